// SPDX-License-Identifier: Apache-2.0
// ram_small for whole words of 64 bits with the check bits of secded_encode beside them: what is read has one wrong bit
// corrected and two detected. `flip` corrupts what is written, for tests of that. Read without a clock; looked at only
// while rd_en; with STAGES, what rd_address asks for is there two cycles later, whatever rd_en. Data and check bits are
// two memories, which simulates faster than one of 72 bits.
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
    wire [7:0]  check, read_check, stored_check, unused_check;
    wire [63:0] read_data, stored;

    wire [63:0] corrected;
    wire        one_wrong, more_wrong;

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

    secded_decode_enabled u_decode (
        .enable(rd_en || STAGES != 0), .data(stored), .check(stored_check), .corrected(corrected),
        .corrected_check(unused_check),
        .single(one_wrong), .uncorrectable(more_wrong)
    );

    generate
        if (STAGES == 0) begin : gen_at_once
            assign {stored_check, stored} = {read_check, read_data};
            assign {uncorrectable, single, rd_data} = {more_wrong, one_wrong, corrected};
        end else begin : gen_staged
            reg [71:0] read_reg;
            reg [65:0] corrected_reg;
            assign {stored_check, stored} = read_reg;
            assign {uncorrectable, single, rd_data} = corrected_reg;
            always @(posedge clk) begin
                read_reg      <= {read_check, read_data};
                corrected_reg <= {more_wrong, one_wrong, corrected};
            end
        end
    endgenerate

    wire unused = &{1'b0, unused_check};
endmodule
`default_nettype wire
