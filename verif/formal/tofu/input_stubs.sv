// SPDX-License-Identifier: Apache-2.0
// Stubs for routes, checks of data and memories in input.sv: any route; no soft errors; the routes' memories keep
// each packet's units, ports and channels are any; the buffer gives any beat (what is known of it input.sv assumes).
`default_nettype none
module tofu_route #(
    parameter INTERFACES = 4, GATE_INTERFACES = 1, LINKS = 1023, PORT_BITS = 4
) (
    input  wire         enable,
    input  wire [18:0]  place,
    input  wire [31:0]  shape,
    input  wire [127:0] header,
    output wire [3:0]   port,
    output wire         channel,
    output wire         leg,
    output wire         bad_to,
    output wire         bad_interface
);
    (* anyseq *) wire [7:0] any;
    assign {bad_interface, bad_to, leg, channel, port} = any;
endmodule

module secded_decode_enabled (
    input  wire        enable,
    input  wire [63:0] data,
    input  wire [7:0]  check,
    output wire [63:0] corrected,
    output wire [7:0]  corrected_check,
    output wire        single,
    output wire        uncorrectable
);
    assign corrected       = data;
    assign corrected_check = check;
    assign single          = 1'b0;
    assign uncorrectable   = 1'b0;
endmodule

module secded_correct (
    input  wire [63:0] data,
    input  wire [7:0]  check,
    input  wire [7:0]  syndrome,
    output wire [63:0] corrected,
    output wire [7:0]  corrected_check,
    output wire        single,
    output wire        uncorrectable
);
    assign corrected       = data;
    assign corrected_check = check;
    assign single          = 1'b0;
    assign uncorrectable   = 1'b0;
endmodule

module secded_encode (
    input  wire [63:0] data,
    output wire [7:0]  check
);
    assign check = 8'd0;
endmodule

module ram_small_secded #(parameter WIDTH = 10, parameter ADDRESS_BITS = 6) (
    input  wire                    clk,
    input  wire                    wr_en,
    input  wire [ADDRESS_BITS-1:0] wr_address,
    input  wire [WIDTH-1:0]        wr_data,
    input  wire [WIDTH+7:0]        flip,
    input  wire                    rd_en,
    input  wire [ADDRESS_BITS-1:0] rd_address,
    output wire [WIDTH-1:0]        rd_data,
    output wire                    single,
    output wire                    uncorrectable
);
    (* keep *) reg [5*(1 << ADDRESS_BITS)-1:0] units;
    (* anyseq *) wire [4:0] any;
    assign rd_data       = {units[5*rd_address +: 5], any};
    assign single        = 1'b0;
    assign uncorrectable = 1'b0;
    always @(posedge clk)
        if (wr_en)
            units[5*wr_address +: 5] <= wr_data[9:5];
endmodule

module ram_dual_clock #(parameter WIDTH = 148, parameter ADDRESS_BITS = 11) (
    input  wire                    wr_clk,
    input  wire                    wr_en,
    input  wire [ADDRESS_BITS-1:0] wr_address,
    input  wire [WIDTH-1:0]        wr_data,
    input  wire                    rd_clk,
    input  wire                    rd_en,
    input  wire                    rd_clear,    // never
    input  wire [ADDRESS_BITS-1:0] rd_address,
    output wire [WIDTH-1:0]        rd_data
);
    (* anyseq *) wire [1:0] any;        // {bad, last}
    (* keep *) reg [1:0] marks;
    assign rd_data = {1'b0, marks[1], marks[0], 145'd0};
    always @(posedge rd_clk)
        if (rd_en)
            marks <= any;
endmodule
`default_nettype wire
