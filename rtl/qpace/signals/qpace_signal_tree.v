// SPDX-License-Identifier: Apache-2.0
// Combining node of the global signal tree: children's states up, the parent's or, at the root, the own
// state down. [QPACE2009] sections 3 and 4: a 2-wire tree for global conditions, synchronisation and a
// kill signal; combined on root and superroot cards. Ours: the code, and that the node remembers.
//
//              every child voted                         every child NULL
//   up = NULL ------------------> up = FALSE if one is, ------------------> up = NULL
//                                 else TRUE
//
//   child 0  NULL | TRUE                  | NULL
//   child 1  NULL        | FALSE                 | NULL
//   up       NULL         | FALSE                 | NULL
//
// Up changes to a value after the last vote and back after the last withdrawal, so a value below the root means
// that all voted, NULL that all have seen the result: successive operations cannot be confused.
//
// Kill overtakes: a child in KILL is passed up at once, with the number that follows, until all children
// are NULL and have been for 64 cycles; of several the first, of those at once the lowest. What comes of a child that
// went back to NULL belongs to no kill that is passed on: two halves of numbers would look like one. A child that
// breaks the order (takes back a vote without a result, changes it, votes before NULL) counts as a kill without number.
// Latency: child to up, and parent to down, 1 cycle; root: child to down 2.
`default_nettype none
`include "qpace_signal.vh"
module qpace_signal_tree #(
    parameter CHILDREN = 16
) (
    input  wire                  clk,
    input  wire                  rst,
    input  wire [CHILDREN-1:0]   enable,  // children that belong to the partition; changed at rest
    input  wire                  root,    // top of the partition

    input  wire [2*CHILDREN-1:0] child,   // filtered states
    output wire [1:0]            up,
    input  wire [1:0]            parent,  // filtered state
    output wire [1:0]            down,

    output wire                  fault,   // a child broke the order; until the kill ends
    output wire                  quiet    // nothing will change while the inputs do not
);
    reg  [1:0]            up_reg;
    reg  [1:0]            down_reg;
    reg                   kill_reg;       // a child kills, or broke the order
    reg                   fault_reg;
    reg                   killed_reg;     // the partition is being killed: votes may go
    reg  [5:0]            hold_reg;       // a kill lasts until all can have seen it
    reg  [CHILDREN-1:0]   chosen_reg;     // the child that kills, one-hot; none once it was NULL
    reg  [2*CHILDREN-1:0] before_reg;     // children one cycle ago

    // what the children say together
    reg                   all_null, all_vote, any_false, broken;
    reg  [CHILDREN-1:0]   kills;
    reg  [1:0]            chosen_state;
    reg  [1:0]            is, was;
    integer               i;

    wire                  result    = up_reg != `QPACE_SIGNAL_NULL;
    wire [CHILDREN-1:0]   first     = kills & (~kills + {{CHILDREN-1{1'b0}}, 1'b1});

    always @* begin
        i            = 0;
        all_null     = 1'b1;
        all_vote     = enable != {CHILDREN{1'b0}};
        any_false    = 1'b0;
        broken       = 1'b0;
        kills        = {CHILDREN{1'b0}};
        chosen_state = `QPACE_SIGNAL_NULL;
        is           = `QPACE_SIGNAL_NULL;
        was          = `QPACE_SIGNAL_NULL;
        for (i = 0; i < CHILDREN; i = i + 1) begin
            is  = child[2*i +: 2];
            was = before_reg[2*i +: 2];
            if (enable[i]) begin
                kills[i] = is == `QPACE_SIGNAL_KILL;
                if (is != `QPACE_SIGNAL_NULL) begin
                    all_null = 1'b0;
                end
                if (is == `QPACE_SIGNAL_NULL || is == `QPACE_SIGNAL_KILL) begin
                    all_vote = 1'b0;
                end
                if (is == `QPACE_SIGNAL_FALSE) begin
                    any_false = 1'b1;
                end
                if (is != was && is != `QPACE_SIGNAL_KILL
                    && !(was == `QPACE_SIGNAL_NULL ? !result : (is == `QPACE_SIGNAL_NULL && result))) begin
                    broken = 1'b1;
                end
            end
            if (chosen_reg[i]) begin
                chosen_state = is;
            end
        end
    end

    assign up    = up_reg;
    assign down  = down_reg;
    assign fault = fault_reg;
    assign quiet = before_reg == child && !(kill_reg && all_null) && down_reg == (root ? up_reg : parent);

    always @(posedge clk) begin
        before_reg <= child;
        down_reg   <= root ? up_reg : parent;
        if (parent == `QPACE_SIGNAL_KILL && !root) begin
            killed_reg <= 1'b1;
        end else if (parent == `QPACE_SIGNAL_NULL) begin
            killed_reg <= 1'b0;
        end
        hold_reg   <= kill_reg && all_null ? hold_reg + 6'd1 : 6'd0;
        if (kill_reg) begin
            if (all_null && hold_reg == 6'd63) begin
                kill_reg  <= 1'b0;
                fault_reg <= 1'b0;
                up_reg    <= `QPACE_SIGNAL_NULL;
            end else if (!fault_reg) begin
                up_reg <= chosen_state == `QPACE_SIGNAL_NULL ? `QPACE_SIGNAL_KILL : chosen_state;
            end
            if (chosen_state == `QPACE_SIGNAL_NULL) begin
                chosen_reg <= {CHILDREN{1'b0}};
            end
        end else if (kills != {CHILDREN{1'b0}}) begin
            kill_reg   <= 1'b1;
            chosen_reg <= first;
            up_reg     <= `QPACE_SIGNAL_KILL;
        end else if (broken && !killed_reg) begin
            kill_reg   <= 1'b1;
            fault_reg  <= 1'b1;
            chosen_reg <= {CHILDREN{1'b0}};
            up_reg     <= `QPACE_SIGNAL_KILL;
        end else if (!result && all_vote && !killed_reg) begin
            up_reg <= any_false ? `QPACE_SIGNAL_FALSE : `QPACE_SIGNAL_TRUE;
        end else if (result && all_null) begin
            up_reg <= `QPACE_SIGNAL_NULL;
        end
        if (rst) begin
            up_reg     <= `QPACE_SIGNAL_NULL;
            down_reg   <= `QPACE_SIGNAL_NULL;
            kill_reg   <= 1'b0;
            fault_reg  <= 1'b0;
            killed_reg <= 1'b0;
            hold_reg   <= 6'd0;
            chosen_reg <= {CHILDREN{1'b0}};
            before_reg <= {2*CHILDREN{1'b0}};
        end
    end
endmodule
`default_nettype wire
