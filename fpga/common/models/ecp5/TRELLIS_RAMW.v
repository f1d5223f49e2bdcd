// SPDX-License-Identifier: Apache-2.0
// Model of the slice of an ECP5 that hands addresses and data to the tables beside it that are memory (TRELLIS_COMB
// in mode DPRAM): wires only, from the inputs of its own two tables.
`default_nettype none
module TRELLIS_RAMW (
    input  wire A0,
    input  wire B0,
    input  wire C0,
    input  wire D0,
    input  wire A1,
    input  wire B1,
    input  wire C1,
    input  wire D1,
    output wire WADO0,
    output wire WADO1,
    output wire WADO2,
    output wire WADO3,
    output wire WDO0,
    output wire WDO1,
    output wire WDO2,
    output wire WDO3
);
    assign {WADO3, WADO2, WADO1, WADO0} = {A0, C0, B0, D0};
    assign {WDO3, WDO2, WDO1, WDO0}     = {B1, D1, A1, C1};
endmodule
`default_nettype wire
