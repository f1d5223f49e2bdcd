// SPDX-License-Identifier: Apache-2.0
// 32-bit counters of event pulses in one small memory instead of an adder each. Every event waits in one bit for its
// turn; so of each kind at most one may come in EVENTS + 1 cycles, and not more than one of all a cycle in the long
// run. After reset or `clear` the memory is cleared in 2^INDEX_BITS cycles, in which reads give 0 and events wait.
`default_nettype none
module event_counters #(
    parameter EVENTS     = 11,
    parameter INDEX_BITS = 4             // 2^INDEX_BITS >= EVENTS
) (
    input  wire                  clk,
    input  wire                  rst,
    input  wire                  clear,  // pulse
    input  wire [EVENTS-1:0]     event_in,
    input  wire [INDEX_BITS-1:0] read_index,
    output wire [31:0]           read_value,    // while quiet
    output wire                  quiet
);
    reg  [EVENTS-1:0]   wait_reg;
    reg  [INDEX_BITS:0] clear_reg;       // next word to be cleared

    wire                  clearing = !clear_reg[INDEX_BITS];
    wire                  adds     = wait_reg != {EVENTS{1'b0}} && !clearing;
    wire [EVENTS-1:0]     one      = {{EVENTS-1{1'b0}}, 1'b1};
    wire [EVENTS-1:0]     serve    = wait_reg & ~(wait_reg - one);
    reg  [INDEX_BITS-1:0] index;
    integer               i;
    always @* begin
        i     = 0;
        index = read_index;
        if (clearing)
            index = clear_reg[INDEX_BITS-1:0];
        else
            for (i = 0; i < EVENTS; i = i + 1)
                if (serve[i])
                    index = i[INDEX_BITS-1:0];
    end

    wire [31:0] value;
    ram_small #(.WIDTH(32), .ADDRESS_BITS(INDEX_BITS)) counters (
        .clk(clk), .wr_en(adds || clearing), .wr_address(index),
        .wr_data(clearing ? 32'd0 : value + 32'd1), .rd_address(index), .rd_data(value));

    assign read_value = clearing ? 32'd0 : value;
    assign quiet      = !adds && !clearing;

    always @(posedge clk) begin
        wait_reg <= (adds ? wait_reg & ~serve : wait_reg) | event_in;
        if (clearing)
            clear_reg <= clear_reg + {{INDEX_BITS{1'b0}}, 1'b1};
        if (rst || clear)
            clear_reg <= {INDEX_BITS+1{1'b0}};
        if (rst)
            wait_reg <= {EVENTS{1'b0}};
    end
endmodule
`default_nettype wire
