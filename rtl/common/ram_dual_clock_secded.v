// SPDX-License-Identifier: Apache-2.0
// ram_dual_clock whose words carry the check bits of secded_encode: what was read has one wrong bit corrected and two
// detected, behind the memory's output register. Shorter words are those of 64 bits with zeros above, so what would be
// corrected among these was several wrong bits. `flip` corrupts what is written, for tests of that. The output is
// looked at only while `look`. Latency: 1 cycle, as without; with STAGES one more, between what check bits say and
// correction.
`default_nettype none
module ram_dual_clock_secded #(
    parameter WIDTH        = 32,         // at most 64
    parameter ADDRESS_BITS = 7,
    parameter STAGES       = 0           // 0 or 1
) (
    input  wire                    wr_clk,
    input  wire                    wr_en,
    input  wire [ADDRESS_BITS-1:0] wr_address,
    input  wire [WIDTH-1:0]        wr_data,
    input  wire [WIDTH+7:0]        flip,          // {check bits, data}
    input  wire                    rd_clk,
    input  wire                    rd_en,
    input  wire [ADDRESS_BITS-1:0] rd_address,
    input  wire                    look,          // at rd_data
    output wire [WIDTH-1:0]        rd_data,
    output wire                    single,        // one bit was wrong and is corrected
    output wire                    uncorrectable  // more than one were
);
    wire [7:0]       check, read_check, stored_check;
    wire [WIDTH-1:0] read_data, stored;
    wire [64:0]      written = {{65-WIDTH{1'b0}}, wr_data};
    wire [64:0]      read    = {{65-WIDTH{1'b0}}, stored};
    wire [63:0]      corrected;
    wire             one_wrong, more_wrong;
    wire             beyond = ({1'b0, corrected} >> WIDTH) != 65'd0;

    // (without the enable it would be a way less long, but simulated more often)
    secded_encode_enabled u_encode (.enable(wr_en || STAGES != 0), .data(written[63:0]), .check(check));

    localparam STYLE = STAGES == 0 ? "block" : "auto";
    ram_dual_clock #(.WIDTH(WIDTH), .ADDRESS_BITS(ADDRESS_BITS), .STYLE(STYLE)) u_data (
        .wr_clk(wr_clk), .wr_en(wr_en), .wr_address(wr_address), .wr_data(wr_data ^ flip[WIDTH-1:0]),
        .rd_clk(rd_clk), .rd_en(rd_en), .rd_clear(1'b0), .rd_address(rd_address), .rd_data(read_data)
    );
    ram_dual_clock #(.WIDTH(8), .ADDRESS_BITS(ADDRESS_BITS), .STYLE(STYLE)) u_check (
        .wr_clk(wr_clk), .wr_en(wr_en), .wr_address(wr_address), .wr_data(check ^ flip[WIDTH+7:WIDTH]),
        .rd_clk(rd_clk), .rd_en(rd_en), .rd_clear(1'b0), .rd_address(rd_address), .rd_data(read_check)
    );

    generate
        if (STAGES == 0) begin : gen_at_once
            wire [7:0] unused_check;
            assign {stored_check, stored} = {read_check, read_data};
            secded_decode_enabled u_decode (
                .enable(look), .data(read[63:0]), .check(stored_check), .corrected(corrected),
                .corrected_check(unused_check), .single(one_wrong), .uncorrectable(more_wrong)
            );
            wire unused = &{1'b0, unused_check};
        end else begin : gen_staged
            reg  [63:0] data_reg;
            reg  [7:0]  syndrome_reg;
            wire [7:0]  made, unused_check;
            assign {stored_check, stored} = {read_check, read_data};
            secded_encode u_made (.data(read[63:0]), .check(made));
            secded_correct u_correct (
                .data(data_reg), .check(8'd0), .syndrome(syndrome_reg), .corrected(corrected),
                .corrected_check(unused_check), .single(one_wrong), .uncorrectable(more_wrong)
            );
            always @(posedge rd_clk) begin
                data_reg     <= read[63:0];
                syndrome_reg <= made ^ stored_check;
            end
            wire unused = &{1'b0, unused_check, look};
        end
    endgenerate

    assign rd_data       = corrected[WIDTH-1:0];
    assign single        = one_wrong && !beyond;
    assign uncorrectable = more_wrong || beyond;

    wire unused = &{1'b0, written[64], read[64]};
endmodule
`default_nettype wire
