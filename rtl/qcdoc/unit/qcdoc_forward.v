// SPDX-License-Identifier: Apache-2.0
// One set of links of a global operation: what comes in on one link goes out on any others, and into memory.
// [QCDOC2004], section 2.2, "Global operations"; a node has two of these, for disjoint sets.
//
// A word is passed through while it still arrives: its header is rewritten as soon as it is here (8 bits), its bytes
// follow as they come. An output that cannot start at that moment takes the whole word later. What turns out bad, or
// breaks off, gets a wrong parity downstream, too; each hop asks for it again.
//
//   input link   | header | byte 0 | byte 1 | ... | byte 7 | header |
//   offer                 __/~~~\____                            until the next slot
//   outputs                    | header | byte 0 | ...            | header |
//   word waits in the input link                                     /~~~~ until every output has it (and memory)
//
// A word is believed when a good header follows it (`accept`). An output that passed it on is informed before it
// chooses its next header, and sends none where none was good here. A word whose header follows another word's last
// byte goes out when it is complete.
//
// Own words of this node on an output link come before, or between, forwarded ones: `blocked` keeps them away only
// while a number is taken by a word that is passed through.
`default_nettype none
`include "qcdoc_wire.vh"
module qcdoc_forward (
    input  wire        clk,
    input  wire        rst,
    input  wire        slot,

    // the set
    input  wire        setup,            // pulse: the settings below are new
    input  wire        enable,
    input  wire [11:0] outputs,
    input  wire [15:0] limit,            // words forwarded; those after them only go to memory; 0: all
    input  wire        none,             // not even the first

    // its input link
    input  wire        early_start,
    input  wire [1:0]  early_parity,
    input  wire        early_byte,
    input  wire [7:0]  early_data,
    input  wire        in_step,          // the word that arrives will be complete
    input  wire        accept,           // pulse: the word that arrived is believed
    input  wire        forget,           // pulse: a new session, the word that waits is gone
    input  wire        take_valid,
    input  wire        take,             // somebody takes the word
    output wire        takeable,         // all outputs have it

    // all links
    output wire [11:0] through_valid,
    input  wire [11:0] through_start,
    output wire [1:0]  through_parity,
    output wire [7:0]  through_data,
    output wire [11:0] through_sure,     // the word that went through is believed, and will be handed in
    output wire [11:0] word_valid,
    output wire [11:0] word_sent,
    input  wire [11:0] word_ready,
    output wire [11:0] blocked,

    output wire [15:0] forwarded,        // words, since setup
    output wire        obs_idle
);
    reg         offer_reg;
    reg  [1:0]  parity_reg;
    reg  [7:0]  byte_reg;
    reg  [11:0] cut_reg;                 // outputs that the last word to arrive was passed through to,
    reg         sure_reg;                // which is believed, but not the one that waits yet
    reg         given_reg;               // todo_reg is about the word that waits
    reg  [11:0] todo_reg;                // outputs that have not got it,
    reg  [11:0] sent_reg;                // and those to which it was passed through
    reg  [15:0] count_reg;
    reg  [1:0]  sum_reg;                 // parity of what went out so far, 0 if it agrees with the header's
    reg         spoil_reg;               // the input broke off: the rest must not have the right parity

    wire        more    = enable && !none && (limit == 16'd0 || count_reg != limit);
    wire        fresh   = take_valid && !given_reg;    // a word nobody has seen yet
    wire [11:0] pushed  = word_valid & word_ready;
    // the word that begins to arrive may be passed through if nothing before it waits, nor is about to
    wire        follows = !take_valid && !given_reg && !accept && cut_reg == 12'd0;

    assign takeable       = given_reg && todo_reg == 12'd0;
    assign through_valid  = offer_reg ? outputs : 12'd0;
    assign through_parity = parity_reg;
    assign through_data   = !spoil_reg ? byte_reg : sum_reg == 2'd0 ? 8'h01 : 8'h00;
    assign word_valid     = given_reg ? todo_reg : 12'd0;
    assign through_sure   = (sure_reg ? cut_reg : 12'd0) | (given_reg ? todo_reg & sent_reg : 12'd0);
    assign word_sent      = sent_reg;
    assign blocked        = cut_reg | sent_reg;
    assign forwarded      = count_reg;
    assign obs_idle       = !offer_reg && !fresh && pushed == 12'd0 && !take && !setup && !forget;

    always @(posedge clk) begin
        if (early_byte)
            byte_reg <= early_data;
        if (early_start && more && follows) begin
            offer_reg  <= 1'b1;
            parity_reg <= early_parity;
        end else if (slot) begin
            offer_reg <= 1'b0;
        end
        if (accept)
            sure_reg <= 1'b1;
        if (fresh) begin
            given_reg <= 1'b1;
            todo_reg  <= more ? outputs : 12'd0;
            sent_reg  <= cut_reg;
            cut_reg   <= 12'd0;
            sure_reg  <= 1'b0;
            if (more)
                count_reg <= count_reg + 16'd1;
        end else begin
            todo_reg <= todo_reg & ~pushed;
            sent_reg <= sent_reg & ~pushed;
        end
        if (offer_reg && slot)
            cut_reg <= through_start;
        if (take || forget)
            given_reg <= 1'b0;
        if (slot)
            sum_reg <= offer_reg ? parity_reg ^ `QCDOC_INVERTED_DATA :
                                   sum_reg ^ {^(through_data & 8'hAA), ^(through_data & 8'h55)};
        if (early_start)
            spoil_reg <= 1'b0;
        // what is not believed yet will not be
        if (!sure_reg && !in_step) begin
            cut_reg   <= 12'd0;
            offer_reg <= 1'b0;
            spoil_reg <= 1'b1;
        end

        if (rst || setup || forget) begin
            cut_reg   <= 12'd0;
            sure_reg  <= 1'b0;
            todo_reg  <= 12'd0;
            sent_reg  <= 12'd0;
        end
        if (rst || setup) begin
            spoil_reg <= !rst;
            offer_reg <= 1'b0;
            given_reg <= 1'b0;
            count_reg <= 16'd0;
        end
    end
endmodule
`default_nettype wire
