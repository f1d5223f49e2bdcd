// SPDX-License-Identifier: Apache-2.0
// Stubs for the checks of data in sender.sv: CRCs are 0, so that any packet may be right or wrong; a data bit says
// that a beat cannot be corrected; memory keeps the control bits, the fields that are looked at, and one byte; the
// ring's table has no soft errors.
`default_nettype none
module secded_decode (
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
    assign uncorrectable   = data[63];
endmodule

module secded_encode (
    input  wire [63:0] data,
    output wire [7:0]  check
);
    assign check = 8'd0;
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
    assign uncorrectable   = data[63];
endmodule

module tofu_packet_crc #(parameter STAGES = 0) (
    input  wire         clk,
    input  wire         en,
    input  wire         first,
    input  wire         second,
    input  wire [127:0] data,
    output wire [31:0]  crc
);
    assign crc = 32'd0;
endmodule

module tofu_link_checksum (
    input  wire         clk,
    input  wire         rst,
    input  wire         clear,
    input  wire         en,
    input  wire         first,
    input  wire         second,
    input  wire         good,
    input  wire [127:0] data,
    output wire [31:0]  checksum
);
    assign checksum = 32'd0;
endmodule

module crc32c_beat (
    input  wire [31:0]  crc,
    input  wire [127:0] data,
    output wire [31:0]  after_12,
    output wire [31:0]  after_16
);
    assign after_12 = 32'd0;
    assign after_16 = 32'd0;
endmodule

module tofu_control_crc (
    input  wire [39:0] data,
    output wire [15:0] crc
);
    assign crc = 16'd0;
endmodule

module ram_small_secded #(
    parameter WIDTH        = 4,
    parameter ADDRESS_BITS = 2
) (
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
    reg [WIDTH-1:0] memory [0:(1 << ADDRESS_BITS)-1];
    assign rd_data       = memory[rd_address];
    assign single        = 1'b0;
    assign uncorrectable = 1'b0;
    always @(posedge clk)
        if (wr_en)
            memory[wr_address] <= wr_data;
endmodule

module ram_dual_clock #(
    parameter WIDTH        = 148,
    parameter ADDRESS_BITS = 4
) (
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
    reg [11:0] memory [0:(1 << ADDRESS_BITS)-1];
    reg [11:0] out;
    assign rd_data = {out[11:8], 104'd0, out[7:0], 32'd0};
    always @(posedge wr_clk) begin
        if (wr_en)
            memory[wr_address] <= {wr_data[147:144], wr_data[39:32]};
        if (rd_en)
            out <= memory[rd_address];
    end
endmodule
`default_nettype wire
