// SPDX-License-Identifier: Apache-2.0
// One QPACE link between a node's two ports and nothing else of a node: lines go to it as they come, and packets that
// it received are read, its channels in turn, as lines of link 0 that lie at their remote offsets. There are no
// credits: all that comes is taken.
//
//   pw_in  --> (address taken apart) --> tx   qpace_link
//   pw_out <-- one beat a cycle <------- rx
//
// A packet takes eight cycles and three in between.
`default_nettype none
module qpace_link_lines (
    input  wire         clk,
    input  wire         rst,

    // lines out, eight beats each, to be begun only with room for one; always ready then
    input  wire         pw_in_valid,
    input  wire [31:0]  pw_in_addr,      // [21:7] offset, [24:22] channel
    input  wire         pw_in_last,
    output wire         tx_valid,
    output wire         tx_first,
    output wire [2:0]   tx_vc,
    output wire [14:0]  tx_offset,

    // packets that came
    input  wire [7:0]   rx_waiting,
    output wire [2:0]   rx_vc,
    output wire [2:0]   rx_beat,
    input  wire [127:0] rx_data,
    input  wire [14:0]  rx_offset,
    output wire         rx_pop,

    output wire         pw_out_valid,
    output wire [38:0]  pw_out_addr,
    output wire [127:0] pw_out_data,
    output wire         pw_out_last
);
    // ---- out
    reg  inside_reg;                     // of a line
    assign tx_valid  = pw_in_valid;
    assign tx_first  = !inside_reg;
    assign tx_vc     = pw_in_addr[24:22];
    assign tx_offset = pw_in_addr[21:7];
    always @(posedge clk) begin
        if (pw_in_valid)
            inside_reg <= !pw_in_last;
        if (rst)
            inside_reg <= 1'b0;
    end

    // ---- in: a beat is asked for, is at the link's memory output
    reg        ask_reg, there_reg;
    reg  [2:0] vc_reg, ask_beat_reg, beat_reg;
    wire       found;
    wire [2:0] choice;
    select_next #(.N(8), .WIDTH(3)) turn (
        .request(rx_waiting), .last(vc_reg), .found(found), .choice(choice));

    assign rx_vc   = vc_reg;
    assign rx_beat = ask_beat_reg;
    assign rx_pop  = there_reg && beat_reg == 3'd7;

    assign pw_out_valid = there_reg;
    assign pw_out_addr  = {14'd0, vc_reg, rx_offset, beat_reg, 4'd0};
    assign pw_out_data  = rx_data;
    assign pw_out_last  = rx_pop;

    always @(posedge clk) begin
        if (ask_reg) begin
            ask_beat_reg <= ask_beat_reg + 3'd1;
            ask_reg      <= ask_beat_reg != 3'd7;
        end else if (!there_reg && found) begin
            ask_reg <= 1'b1;
            vc_reg  <= choice;
        end
        there_reg <= ask_reg;
        beat_reg  <= ask_beat_reg;
        if (rst) begin
            ask_reg      <= 1'b0;
            there_reg    <= 1'b0;
            vc_reg       <= 3'd7;
            ask_beat_reg <= 3'd0;
        end
    end

    // their other bits say which link, and this is the only one
    wire unused = &{1'b0, pw_in_addr[31:25], pw_in_addr[6:0], 1'b0};
endmodule
`default_nettype wire
