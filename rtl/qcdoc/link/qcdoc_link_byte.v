// SPDX-License-Identifier: Apache-2.0
// What a byte from the peer of a QCDOC link may be: rtl/qcdoc/README.md has the codes. With STAGES it is found before a
// register, so that it is there a cycle later, as the byte is.
`default_nettype none
`include "qcdoc_wire.vh"
module qcdoc_link_byte #(
    parameter STAGES = 0               // 0 or 1: qcdoc_link
) (
    input  wire       clk,
    input  wire       rst,
    input  wire       listens,         // bytes that come now are looked at

    // deserialiser
    input  wire       rx_strobe,
    input  wire [7:0] rx_data,
    input  wire       rx_damaged,

    output wire       strobe,
    output wire [7:0] data,
    output wire       damaged,         // another byte was sent
    output wire       header,          // a header, if it is the turn of one
    output wire       mark,
    output wire       sup_code,        // a bare code that acknowledges a supervisor word,
    output wire       int_code,        // an interrupt,
    output wire       idle_code,       // data
    output wire       idle_3,          // up to word 3
    output wire       holds,           // and says that there is no place
    output wire [1:0] parity           // of every other bit
);
    wire        bare     = rx_data[`QCDOC_HEADER_CLASS] == `QCDOC_CLASS_BARE;
    wire        good     = ^{rx_data[`QCDOC_HEADER_CODE], rx_data[`QCDOC_HEADER_ODD]} && !rx_damaged;
    wire        is_mark  = rx_data == `QCDOC_MARK && !rx_damaged;
    wire        of_sup   = rx_data == `QCDOC_ACK_SUPERVISOR_0 || rx_data == `QCDOC_ACK_SUPERVISOR_1;
    wire        of_int   = rx_data == `QCDOC_ACK_INTERRUPT_0 || rx_data == `QCDOC_ACK_INTERRUPT_1;
    wire        is_3     = rx_data == `QCDOC_IDLE_3_HOLD;
    wire        hold     = rx_data[`QCDOC_HEADER_PARITY] == 2'd3;
    wire        composed = !rx_data[`QCDOC_HEADER_OTHER] && !of_sup && (hold || rx_data[`QCDOC_HEADER_PARITY] == 2'd0);
    wire        idle     = bare && (composed || is_3) && good;
    wire        bare_ok  = idle || is_mark || of_sup || of_int;

    wire [18:0] found = {rx_data, rx_damaged, good && (!bare || bare_ok), is_mark, of_sup, of_int, idle, is_3, hold,
                         ^(rx_data & 8'hAA), ^(rx_data & 8'h55), rx_strobe};
    wire [18:0] said;
    assign {data, damaged, header, mark, sup_code, int_code, idle_code, idle_3, holds, parity, strobe} = said;

    generate
        if (STAGES == 0) begin : gen_at_once
            assign said = found;
            wire   unused = &{1'b0, clk, rst, listens};
        end else begin : gen_after
            reg [18:0] said_reg;
            assign said = said_reg;
            always @(posedge clk) begin
                said_reg    <= found;
                said_reg[0] <= rx_strobe && listens && !rst;
            end
        end
    endgenerate
endmodule
`default_nettype wire
