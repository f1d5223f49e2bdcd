// SPDX-License-Identifier: Apache-2.0
// Fetches the frames that the transmit ring's descriptors name, a line of 128 B at a time, into the
// buffer of qpace_gmac_tx, as far ahead as its 4 KB reach; gives descriptors back when their frames
// have left. Lines that lie in the buffer or are on their way there never exceed it, so memory may
// answer as late as it likes: what that costs is speed, and at worst a broken frame.
`default_nettype none
module qpace_gmac_tx_dma (
    input  wire         clk,
    input  wire         rst,
    input  wire [13:0]  max_frame,

    // descriptors
    input  wire         ring_valid,
    input  wire [31:0]  ring_address,
    input  wire [13:0]  ring_length,
    output wire         ring_next,
    output reg          length_error,    // pulse

    // reading lines of memory; eight beats each, in order
    output wire         fetch,
    output reg  [31:0]  fetch_line,
    input  wire         fetch_taken,
    input  wire         fetch_valid,
    input  wire [127:0] fetch_data,

    // giving descriptors back
    input  wire         restart,         // the ring begins anew
    input  wire [11:0]  mask,
    output reg  [11:0]  done_index,      // the oldest not given back
    output wire         give_back,
    output wire         give_back_bad,
    input  wire         given_back,

    output wire [3:0]   rgmii_txd,
    output wire         rgmii_tx_ctl,
    output wire         underrun,        // pulse
    output wire         obs_idle
);
    // Frames whose lines are on their way, waiting, or being sent
    reg  [3:0]   queue_write, queue_read;
    wire [3:0]   queued = queue_write - queue_read;
    wire [14:0]  frame;
    wire         frame_take, done, done_bad;

    reg          active;                 // lines of the newest frame are still to be asked for
    reg  [6:0]   left;
    reg  [5:0]   free;                   // lines of the buffer that nobody asked for
    reg  [5:0]   lines;                  // that are there
    reg  [7:0]   beat;
    wire         line_free, read, tx_idle;
    wire [7:0]   read_address;
    wire [127:0] read_data;

    // frames that left, not yet reported: at most two, as frames wait for that
    reg  [1:0]   reports;
    reg  [1:0]   report_bad;             // the older in bit 0

    wire         bad      = ring_length == 14'd0 || ring_length > max_frame - 14'd4;
    wire         arrived  = fetch_valid && beat[2:0] == 3'd7;

    assign ring_next     = ring_valid && !active && !queued[3];
    assign fetch         = active && free != 6'd0;
    assign give_back     = reports != 2'd0;
    assign give_back_bad = report_bad[0];
    assign underrun      = done && done_bad && !frame_bad_now;
    assign obs_idle      = tx_idle && queued == 4'd0 && !active && reports == 2'd0 && !ring_valid && !length_error;

    ram_small #(.WIDTH(15), .ADDRESS_BITS(3)) queue (
        .clk(clk), .wr_en(ring_next), .wr_address(queue_write[2:0]), .wr_data({bad, ring_length}),
        .rd_address(queue_read[2:0]), .rd_data(frame));

    ram_dual_clock #(.WIDTH(128), .ADDRESS_BITS(8)) buffer (
        .wr_clk(clk), .wr_en(fetch_valid), .wr_address(beat), .wr_data(fetch_data),
        .rd_clk(clk), .rd_en(read), .rd_clear(1'b0), .rd_address(read_address), .rd_data(read_data));

    qpace_gmac_tx tx (
        .clk(clk), .rst(rst),
        .frame_valid(queued != 4'd0 && !reports[1] && !(done && reports[0])),
        .frame_bad(frame[14]), .frame_length(frame[13:0]),
        .frame_take(frame_take), .done(done), .done_bad(done_bad),
        .lines(lines), .line_free(line_free),
        .read(read), .read_address(read_address), .read_data(read_data),
        .rgmii_txd(rgmii_txd), .rgmii_tx_ctl(rgmii_tx_ctl), .obs_idle(tx_idle));

    // whether what is reported now was never to be sent
    reg          frame_bad_now;

    always @(posedge clk) begin
        length_error <= ring_next && bad;
        if (frame_take) begin
            queue_read    <= queue_read + 4'd1;
            frame_bad_now <= frame[14];
        end
        if (ring_next) begin
            queue_write <= queue_write + 4'd1;
            active      <= !bad;
            left        <= ring_length[13:7] + {6'd0, ring_length[6:0] != 7'd0};
            fetch_line  <= ring_address;
        end
        if (fetch_taken) begin
            fetch_line <= fetch_line + 32'd1;
            left       <= left - 7'd1;
            if (left == 7'd1)
                active <= 1'b0;
        end
        if (fetch_valid)
            beat <= beat + 8'd1;
        free    <= free + {5'd0, line_free} - {5'd0, fetch_taken};
        lines   <= lines + {5'd0, arrived} - {5'd0, line_free};
        reports <= reports + {1'b0, done} - {1'b0, given_back};
        if (given_back) begin
            report_bad <= {1'b0, report_bad[1]};
            done_index <= (done_index + 12'd1) & mask;
        end
        if (done)
            report_bad[reports[0] && !given_back] <= done_bad;
        if (restart)
            done_index <= 12'd0;
        if (rst) begin
            queue_write  <= 4'd0;
            queue_read   <= 4'd0;
            active       <= 1'b0;
            free         <= 6'd32;
            lines        <= 6'd0;
            beat         <= 8'd0;
            reports      <= 2'd0;
            done_index   <= 12'd0;
            length_error <= 1'b0;
        end
    end
endmodule
`default_nettype wire
