// SPDX-License-Identifier: Apache-2.0
// axi_puts: of one queue, which may be any, lines go out in their turn, whole, each to its address with what memory has
// in its place; LINES is what the port has not taken; the queue's registers are written only while it reads 0; none of
// its lines is begun without room; no more is asked of memory than there are places for; lines are for the queue's own
// link, and their channel.
// Environment: any accesses to the registers, of puts of up to three lines, to targets at either end of a channel;
// memory answers in order, at any time, with the address it was asked for. Resets at any time.
`default_nettype none
`include "bus_puts_regs.vh"
module puts (
    input wire        clk,
    input wire        rst_any,
    input wire        valid,
    input wire        write,
    input wire [5:0]  address,
    input wire [31:0] wdata,
    input wire        rd_ready,
    input wire        answers,
    input wire [5:0]  room,
    input wire        m_ready
);
    (* anyconst *) reg [2:0] queue;
    always @* assume (queue < 3'd6);

    reg  started = 1'b0;
    always @(posedge clk) started <= 1'b1;
    wire rst = rst_any || !started;

    wire [31:0]  rdata, m_address;
    wire         error, rd_valid, m_valid, m_last;
    wire [4:0]   rd_address;
    wire [127:0] m_data;

    // small numbers, for the prover's sake: the adders' widths are no part of it
    wire [1:0] word = address[1:0];       // SOURCE is at 0 modulo 4
    wire       at_an_end = wdata[24:22] == 3'd0 && (wdata[21:10] == 12'd0 || &wdata[21:10]);
    always @* assume (!write || word == 2'd0 || (word == 2'd1 ? at_an_end : wdata[31:2] == 30'd0));

    // memory: what was asked and is not answered, at most the 16 beats of two lines
    reg  [4:0]  asked [0:15];
    reg  [4:0]  in_count, out_count;
    wire [4:0]  waiting = in_count - out_count;
    wire        asks    = rd_valid && rd_ready;
    wire        rvalid  = answers && waiting != 5'd0;

    axi_puts #(.UNIT_BITS(5), .AHEAD_BITS(1)) dut (
        .clk(clk), .rst(rst), .valid(valid), .write(write), .address(address), .wdata(wdata), .rdata(rdata),
        .error(error), .rd_valid(rd_valid), .rd_ready(rd_ready), .rd_address(rd_address), .rd_rvalid(rvalid),
        .rd_data({123'd0, asked[out_count[3:0]]}), .room(room), .m_valid(m_valid), .m_ready(m_ready),
        .m_address(m_address), .m_data(m_data), .m_last(m_last));

    (* hierconn *) wire [20:0] \dut.line ;
    (* hierconn *) wire \dut.begins ;
    (* hierconn *) wire [2:0] \dut.choice ;

    // the queue as its registers promise it
    reg  [1:0]   source;
    reg  [17:0]  target;
    reg  [15:0]  left;
    reg  [2:0]   beat;
    wire [5:0]   place  = address - `BUS_PUTS_SOURCE;
    wire         mine   = place[5:2] == {1'b0, queue} && place[1:0] != 2'd3;
    wire         other  = place[1:0] == 2'd1 && wdata[31:25] != {4'd0, queue};
    wire         beyond = place[1:0] == 2'd2 && {1'b0, target[14:0]} + {1'b0, wdata[14:0]} > 16'h8000;
    wire         may    = left == 16'd0 && !other && !beyond;
    wire         writes = valid && write && mine && may;
    wire         moves  = m_valid && m_ready && !rst;
    wire         its    = \dut.line [20:18] == queue;
    reg          others;                  // a line of another queue went out while this one waited

    always @(posedge clk) begin
        if (asks)
            asked[in_count[3:0]] <= rd_address;
        in_count  <= in_count + {4'd0, asks};
        out_count <= out_count + {4'd0, rvalid};
        if (writes)
            case (place[1:0])
                2'd0:    source <= wdata[1:0];
                2'd1:    target <= wdata[24:7];
                default: left   <= wdata[15:0];
            endcase
        if (moves)
            beat <= beat + 3'd1;
        if (moves && its && m_last) begin
            source <= source + 2'd1;
            target <= target + 18'd1;
            left   <= left - 16'd1;
        end
        others <= others || (moves && !its && left != 16'd0);
        if (rst) begin
            in_count  <= 5'd0;
            out_count <= 5'd0;
            source    <= 2'd0;
            target    <= 18'd0;
            left      <= 16'd0;
            beat      <= 3'd0;
            others    <= 1'b0;
        end
    end

    always @* if (started && !rst) begin
        lines:    assert (!moves || m_last == (beat == 3'd7));
        targets:  assert (!(moves && its) || m_address == {4'd0, queue, target, 7'd0});
        sources:  assert (!(moves && its) || m_data == {123'd0, source, beat});
        due:      assert (!(moves && its) || left != 16'd0);
        count:    assert (!(valid && mine && place[1:0] == 2'd2) || rdata == {16'd0, left});
        refused:  assert (!(valid && mine) || error == (write && !may));
        with_room: assert (!(\dut.begins && \dut.choice == queue) || room[queue]);
        places:   assert (waiting <= 5'd16);
        one_line: cover (moves && its && m_last && left == 16'd1 && source != 2'd1);
        second:   cover (moves && its && beat == 3'd7 && left == 16'd1 && source == 2'd2 && others);
        at_end:   cover (moves && its && m_last && left == 16'd1 && target[14:0] == 15'h7FFF);
        all_asked: cover (waiting == 5'd16);
    end
endmodule
`default_nettype wire
