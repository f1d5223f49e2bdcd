// SPDX-License-Identifier: Apache-2.0
// Answers that the receiver has to give, up to four, until the stream of answers takes them. A request is begun only
// when there is room for its answer, so responses never wait for one. Words with SECDED.
`default_nettype none
module tofu_tni_jobs #(
    parameter WORDS = 4
) (
    input  wire                clk,
    input  wire                rst,
    input  wire                blocked,
    input  wire                push,
    input  wire [64*WORDS-1:0] push_job,
    output wire                room,       // for two at least: one may be on its way here
    output wire                valid,
    input  wire                ready,
    output wire [64*WORDS-1:0] job,
    input  wire [143:0]        flip_mask,
    output wire                flipped,
    output reg                 corrected,
    output reg                 fault,
    output wire                obs_idle
);
    reg  [2:0] in_reg, out_reg;
    wire [2:0] held = in_reg - out_reg;
    wire       single, hopeless;
    wire       any  = held != 3'd0;

    tofu_tni_memory #(.WORDS(WORDS), .ADDRESS_BITS(2)) u_memory (
        .clk(clk), .wr_en(push), .wr_address(in_reg[1:0]), .wr_data(push_job), .rd_en(any), .rd_address(out_reg[1:0]),
        .rd_data(job), .flip_mask(flip_mask), .flipped(flipped), .single(single), .uncorrectable(hopeless));

    assign room     = held <= 3'd2;
    assign valid    = any && !blocked && !hopeless;
    assign obs_idle = !any && !corrected && !fault;

    always @(posedge clk) begin
        if (push)
            in_reg <= in_reg + 3'd1;
        if (valid && ready)
            out_reg <= out_reg + 3'd1;
        corrected <= valid && ready && single;
        fault     <= hopeless || held > 3'd4 || (push && held == 3'd4);
        if (rst) begin
            in_reg    <= 3'd0;
            out_reg   <= 3'd0;
            corrected <= 1'b0;
            fault     <= 1'b0;
        end
    end
endmodule
`default_nettype wire
