// SPDX-License-Identifier: Apache-2.0
// ram_small for whole words of 64 bits with the check bits of secded_encode beside them: what is read has one wrong bit
// corrected and two detected. `flip` corrupts what is written, for tests of that. Read without a clock; looked at only
// while rd_en; with STAGES, what rd_address asks for is there two cycles later, whatever rd_en. Data and check bits
// are two memories, which simulates faster than one of 72 bits.
`default_nettype none
module ram_word_secded #(
    parameter ADDRESS_BITS = 4,
    parameter STAGES       = 0           // 0 or 1
) (
    input  wire                    clk,
    input  wire                    wr_en,
    input  wire [ADDRESS_BITS-1:0] wr_address,
    input  wire [63:0]             wr_data,
    input  wire [71:0]             flip,          // {check bits, data}
    input  wire                    rd_en,
    input  wire [ADDRESS_BITS-1:0] rd_address,
    output wire [63:0]             rd_data,
    output wire                    single,        // one bit was wrong and is corrected
    output wire                    uncorrectable  // more than one were
);
    wire [7:0]  check, read_check, unused_check;
    wire [63:0] read_data;

    // (without the enable it would be a way less long, but simulated more often)
    secded_encode_enabled u_encode (.enable(wr_en || STAGES != 0), .data(wr_data), .check(check));

    ram_small #(.WIDTH(64), .ADDRESS_BITS(ADDRESS_BITS)) u_data (
        .clk(clk), .wr_en(wr_en), .wr_address(wr_address), .wr_data(wr_data ^ flip[63:0]),
        .rd_address(rd_address), .rd_data(read_data)
    );
    ram_small #(.WIDTH(8), .ADDRESS_BITS(ADDRESS_BITS)) u_check (
        .clk(clk), .wr_en(wr_en), .wr_address(wr_address), .wr_data(check ^ flip[71:64]),
        .rd_address(rd_address), .rd_data(read_check)
    );

    generate
        if (STAGES == 0) begin : gen_at_once
            secded_decode_enabled u_decode (
                .enable(rd_en), .data(read_data), .check(read_check), .corrected(rd_data),
                .corrected_check(unused_check), .single(single), .uncorrectable(uncorrectable)
            );
        end else begin : gen_staged
            reg  [71:0] read_reg;
            reg  [63:0] data_reg;
            reg  [7:0]  syndrome_reg;
            wire [7:0]  made;
            secded_encode u_made (.data(read_reg[63:0]), .check(made));
            secded_correct u_correct (
                .data(data_reg), .check(8'd0), .syndrome(syndrome_reg), .corrected(rd_data),
                .corrected_check(unused_check), .single(single), .uncorrectable(uncorrectable)
            );
            always @(posedge clk) begin
                read_reg     <= {read_check, read_data};
                data_reg     <= read_reg[63:0];
                syndrome_reg <= made ^ read_reg[71:64];
            end
            wire unused_enable = &{1'b0, rd_en};
        end
    endgenerate

    wire unused = &{1'b0, unused_check};
endmodule
`default_nettype wire
