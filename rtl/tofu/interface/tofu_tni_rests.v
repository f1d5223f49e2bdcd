// SPDX-License-Identifier: Apache-2.0
// What is left to be sent of messages of several packets, one entry a message, and whose packet is next: in turn, a
// packet each, so that of 2^INDEX_BITS messages each is served once in as many turns. README.md, "Sharing". Entries
// have SECDED.
//
// `found` and `choice` stay until `take`. The cycle after says what is left then: `store`, with nothing more or with
// the new rest, also of a message that begins.
`default_nettype none
module tofu_tni_rests #(
    parameter INDEX_BITS = 3             // log2 of the messages
) (
    input  wire                       clk,
    input  wire                       rst,

    output wire                       found,       // somebody's turn
    output wire [INDEX_BITS-1:0]      choice,
    output wire [255:0]               rest,        // of choice
    input  wire                       take,        // pulse: its next packet is made

    input  wire                       store,       // pulse: of message `index`
    input  wire [INDEX_BITS-1:0]      index,
    input  wire                       more,        // this is left; else nothing
    input  wire [255:0]               new_rest,

    output wire [(1<<INDEX_BITS)-1:0] waiting,     // messages with a rest
    output wire                       room,        // for one more,
    output reg  [INDEX_BITS-1:0]      free,        // here

    input  wire [143:0]               flip_mask,
    output wire                       flipped,
    output wire                       corrected,
    output wire                       fatal
);
    localparam MESSAGES = 1 << INDEX_BITS;
    localparam [MESSAGES-1:0] ONE = 1;

    reg  [MESSAGES-1:0]   waiting_reg;
    reg  [INDEX_BITS-1:0] last_reg;      // served last
    wire                  single, hopeless;
    integer               i;

    select_next #(.N(MESSAGES), .WIDTH(INDEX_BITS)) u_turn (
        .request(waiting_reg), .last(last_reg), .found(found), .choice(choice));
    tofu_tni_memory #(.WORDS(4), .ADDRESS_BITS(INDEX_BITS)) u_rests (
        .clk(clk), .wr_en(store && more), .wr_address(index), .wr_data(new_rest), .rd_en(take), .rd_address(choice),
        .rd_data(rest), .flip_mask(flip_mask), .flipped(flipped), .single(single), .uncorrectable(hopeless));

    assign waiting   = waiting_reg;
    assign room      = waiting_reg != {MESSAGES{1'b1}};
    assign corrected = take && single;
    assign fatal     = take && (hopeless || !found);

    always @* begin
        i    = 0;
        free = {INDEX_BITS{1'b0}};
        for (i = MESSAGES - 1; i >= 0; i = i - 1) begin
            if (!waiting_reg[i])
                free = i[INDEX_BITS-1:0];
        end
    end

    always @(posedge clk) begin
        if (take)
            last_reg <= choice;
        if (store)
            waiting_reg <= more ? waiting_reg | (ONE << index) : waiting_reg & ~(ONE << index);
        if (rst) begin
            waiting_reg <= {MESSAGES{1'b0}};
            last_reg    <= {INDEX_BITS{1'b1}};
        end
    end
endmodule
`default_nettype wire
