// SPDX-License-Identifier: Apache-2.0
// Registers of another clock domain: a request crosses to them, and their answer comes back (cdc_request). There a
// request is answered in the cycle of reg_valid, a pulse, as by registers of a domain of one's own.
// Latency, request to ack: 3 to 4 cycles of dst_clk, and 3 to 4 of clk.
`default_nettype none
module register_crossing #(
    parameter ADDRESS_BITS = 4
) (
    input  wire        clk,
    input  wire        rst,
    input  wire        valid,            // until ack, and the rest with it
    input  wire        write,
    input  wire [ADDRESS_BITS-1:0] address,
    input  wire [31:0] wdata,
    output wire        ack,              // pulse
    output wire [31:0] rdata,            // with it
    output wire        error,

    input  wire        dst_clk,
    input  wire        dst_rst,          // both sides are reset together
    output wire        reg_valid,
    output wire        reg_write,
    output wire [ADDRESS_BITS-1:0] reg_address,
    output wire [31:0] reg_wdata,
    input  wire [31:0] reg_rdata,
    input  wire        reg_error
);
    reg         asked_reg, valid_reg, answered_reg;
    reg  [32:0] answer_reg;
    wire        request;

    assign reg_valid = valid_reg;

    cdc_request #(.ARGUMENT_WIDTH(ADDRESS_BITS + 33), .ANSWER_WIDTH(33)) crossing (
        .src_clk(clk), .src_rst(rst), .src_request(valid && !asked_reg), .src_argument({write, address, wdata}),
        .src_done(ack), .src_answer({error, rdata}),
        .dst_clk(dst_clk), .dst_rst(dst_rst), .dst_request(request),
        .dst_argument({reg_write, reg_address, reg_wdata}), .dst_done(answered_reg), .dst_answer(answer_reg));

    always @(posedge clk) begin
        asked_reg <= valid && !ack;
        if (rst)
            asked_reg <= 1'b0;
    end

    always @(posedge dst_clk) begin
        answered_reg <= valid_reg;
        valid_reg    <= request;
        if (valid_reg)
            answer_reg <= {reg_error, reg_rdata};
        if (dst_rst) begin
            valid_reg    <= 1'b0;
            answered_reg <= 1'b0;
        end
    end
endmodule
`default_nettype wire
