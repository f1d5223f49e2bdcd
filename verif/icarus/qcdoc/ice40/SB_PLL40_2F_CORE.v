// SPDX-License-Identifier: Apache-2.0
// Model of iCE40's PLL with delays, in ps: an oscillator of the frequency that 12 MHz give, times (DIVF + 1), over
// (DIVR + 1) 2^DIVQ, faster by `ppm`, which is set from outside, so that two of them are two crystals. Port A has that,
// port B half of it, with its edges on rising edges of A. iCE40 Technology Library, FPGA-TN-02026.
`default_nettype none
module SB_PLL40_2F_CORE #(
    parameter FEEDBACK_PATH = "SIMPLE",
    parameter [3:0] DIVR = 4'd0,
    parameter [6:0] DIVF = 7'd0,
    parameter [2:0] DIVQ = 3'd0,
    parameter [2:0] FILTER_RANGE = 3'd0,
    parameter PLLOUT_SELECT_PORTA = "GENCLK",
    parameter PLLOUT_SELECT_PORTB = "GENCLK"
) (
    input  wire REFERENCECLK,
    input  wire RESETB,
    input  wire BYPASS,
    output reg  PLLOUTGLOBALA,
    output reg  PLLOUTGLOBALB
);
    integer ppm, start;
    real    exact;                       // time of the next edge: no rounding adds up
    initial begin
        if (FEEDBACK_PATH != "SIMPLE" || PLLOUT_SELECT_PORTA != "GENCLK" || PLLOUT_SELECT_PORTB != "GENCLK_HALF" ||
            FILTER_RANGE != 3'd1)
            $display("FAILED: the model of the PLL knows no such settings");
        ppm = 0;
        start = 0;
        PLLOUTGLOBALA = 1'b0;
        PLLOUTGLOBALB = 1'b0;
        repeat (20) @(posedge REFERENCECLK);
        if (RESETB !== 1'b1 || BYPASS !== 1'b0)
            $display("FAILED: the model of the PLL has no reset and no bypass");
        exact = $time + start + 1.0;
        forever begin
            exact = exact + 0.5e6 * (DIVR + 1) * (1 << DIVQ) / (12.0 * (DIVF + 1)) * (1.0 - ppm * 1.0e-6);
            #(exact - $time);
            if (!PLLOUTGLOBALA)
                PLLOUTGLOBALB = !PLLOUTGLOBALB;
            PLLOUTGLOBALA = !PLLOUTGLOBALA;
        end
    end
endmodule
`default_nettype wire
