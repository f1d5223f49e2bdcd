// SPDX-License-Identifier: Apache-2.0
// The messages of several packets that are open at the receiver: whose they are, the byte that must come next, and the
// cause of their first fault. Packets of a message travel one path in order, so a packet that does not begin there
// shows that one was lost. README.md, "Messages that lose packets".
//
// One entry is looked at a cycle, open ones only: `found_valid` comes 2 cycles after `find`, and one more for each open
// message that is looked at. An entry for which no packet came in a whole time limit expires. Entries have SECDED.
`default_nettype none
module tofu_tni_open #(
    parameter INDEX_BITS = 5             // log2 of the messages
) (
    input  wire                  clk,
    input  wire                  rst,
    input  wire                  period,         // pulse: a time limit is over
    input  wire                  find,           // pulse
    input  wire [29:0]           message,        // {message, source interface, from}, held from then on
    output reg                   found_valid,    // pulse, with these, which stay:
    output reg                   found,          // it is open
    output reg                   room,           // or there is room for it
    output reg  [INDEX_BITS-1:0] index,          // where it is, or may be
    output reg  [23:0]           position,       // byte that must come next
    output reg  [3:0]            cause,          // of its first fault
    input  wire                  keep,           // pulse: it is open, at `index`, with these
    input  wire [23:0]           keep_position,
    input  wire [3:0]            keep_cause,
    input  wire                  close,          // pulse: it is not any more
    input  wire [143:0]          flip_mask,
    output wire                  flipped,
    output reg                   corrected,
    output reg                   fault,
    output wire                  pending,        // a time limit runs
    output wire                  obs_idle
);
    localparam MESSAGES = 1 << INDEX_BITS;
    localparam [MESSAGES-1:0] ONE = 1;

    reg  [MESSAGES-1:0]   open_reg;
    reg  [MESSAGES-1:0]   alive_reg;             // a packet came since the last period
    reg  [MESSAGES-1:0]   left_reg;              // still to be looked at
    reg                   find_reg, looks_reg;
    reg  [INDEX_BITS-1:0] at_reg;                // looked at
    reg  [INDEX_BITS-1:0] next, free;
    wire [63:0]           entry;
    wire                  single, hopeless;
    wire                  is_this = looks_reg && entry[29:0] == message && !hopeless;
    wire                  active  = find_reg || looks_reg;
    wire                  ends    = active && (is_this || left_reg == {MESSAGES{1'b0}}) && !found_valid;
    integer               i;

    always @* begin
        i    = 0;
        next = {INDEX_BITS{1'b0}};
        free = {INDEX_BITS{1'b0}};
        for (i = MESSAGES - 1; i >= 0; i = i - 1) begin
            if (left_reg[i])
                next = i[INDEX_BITS-1:0];
            if (!open_reg[i])
                free = i[INDEX_BITS-1:0];
        end
    end

    tofu_tni_memory #(.WORDS(1), .ADDRESS_BITS(INDEX_BITS)) u_entries (
        .clk(clk), .wr_en(keep), .wr_address(index), .wr_data({6'd0, keep_cause, keep_position, message}),
        .rd_en(looks_reg), .rd_address(at_reg), .rd_data(entry), .flip_mask(flip_mask), .flipped(flipped),
        .single(single), .uncorrectable(hopeless));

    assign pending  = open_reg != {MESSAGES{1'b0}};
    assign obs_idle = !find && !active && !found_valid && !keep && !close && !corrected && !fault;

    always @(posedge clk) begin
        corrected <= single;
        fault     <= hopeless;
        find_reg  <= find;
        if (find)
            left_reg <= open_reg;
        if (active && !ends) begin
            at_reg         <= next;
            left_reg[next] <= 1'b0;
        end
        looks_reg   <= active && !ends;
        found_valid <= ends;
        if (ends) begin
            found    <= is_this;
            room     <= open_reg != {MESSAGES{1'b1}};
            index    <= is_this ? at_reg : free;
            position <= entry[53:30];
            cause    <= entry[57:54];
        end

        alive_reg <= (period ? {MESSAGES{1'b0}} : alive_reg) | (ends && is_this ? ONE << at_reg : {MESSAGES{1'b0}}) |
                     (keep ? ONE << index : {MESSAGES{1'b0}});
        open_reg  <= ((period ? open_reg & alive_reg : open_reg) | (keep ? ONE << index : {MESSAGES{1'b0}})) &
                     ~(close ? ONE << index : {MESSAGES{1'b0}});
        if (rst) begin
            open_reg    <= {MESSAGES{1'b0}};
            find_reg    <= 1'b0;
            looks_reg   <= 1'b0;
            found_valid <= 1'b0;
            corrected   <= 1'b0;
            fault       <= 1'b0;
        end
    end

    wire unused = &{1'b0, entry[63:58]};
endmodule
`default_nettype wire
