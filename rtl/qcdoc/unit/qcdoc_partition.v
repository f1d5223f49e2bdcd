// SPDX-License-Identifier: Apache-2.0
// Partition interrupts of a QCDOC node: what one node raises floods the links of its partition within a window of the
// slow global clock, each interrupt forwarded once, and all nodes present it at the window's end. [QCDOC2004] section
// 2.2.
//
//   window     |      k       |     k + 1    |
//   raise      a                                    latched before a window opens,
//   links               a a a                       sent in it, forwarded at first sight,
//   present                          a              sampled at its end by every node
//
// Bit 7 of a packet is the window's parity, so seven interrupts. One that comes in another window than it was sent in
// was too late for some node: sticky error where it is detected. Windows come from the count alone, and with nothing
// latched and nothing seen the end of one changes nothing: cycles may be skipped over it (obs_idle).
//
// A packet that a link did not get rid of in its window, or that another one has overtaken, is void: it must not be
// seen later. The peer may have got it, or not, so the link sends one without interrupts in its place until that is
// acknowledged. A link that is not up is not waited for.
//
// Without `enable` the node presents nothing and passes on what comes as it came, once until a packet of another window
// comes, or, by the count, a window ends.
`default_nettype none
`include "qcdoc_wire.vh"
module qcdoc_partition (
    input  wire        clk,
    input  wire        rst,
    input  wire        enable,           // there are windows
    input  wire [3:0]  log2_ticks,       // of 2^log2_ticks ticks; 0 without enable: nobody said
    input  wire [15:0] count,            // of ticks of the global clock
    input  wire [11:0] links,            // of the partition
    input  wire [11:0] up,
    input  wire [11:0] forget,           // pulses: a new session, numbers begin anew

    input  wire        raise,            // pulse
    input  wire [6:0]  raise_bits,
    output reg  [6:0]  present,          // level, until cleared
    input  wire        clear,            // pulse
    input  wire [6:0]  clear_bits,
    output reg         late,             // pulse: an error

    // links
    output wire [11:0] int_valid,
    output wire [7:0]  int_code,         // the same for all
    output wire [11:0] int_void,         // but for these: without interrupts
    input  wire [11:0] int_done,
    input  wire [11:0] int_arrived,      // pulses
    input  wire [95:0] int_received,

    output wire        obs_idle
);
    reg  [15:0] count_reg;
    reg         enable_reg;
    reg  [6:0]  raised_reg;              // for the next window
    reg  [6:0]  seen_reg;                // in this one
    reg  [6:0]  sent_reg;                // and said to the neighbours
    reg         relay_reg;               // without windows: the parity of what was seen
    reg         code_parity_reg;
    reg  [6:0]  code_reg;                // held until it is acknowledged, whatever comes meanwhile
    reg  [11:0] todo_reg;                // links whose packet is not acknowledged
    reg  [11:0] void_reg;                // and those with one before it, which nobody wants any more
    reg         again_reg;               // seen more since

    // a window ends and the next one opens
    wire        known   = enable || log2_ticks != 4'd0;
    wire [3:0]  place   = known ? log2_ticks : 4'd15;
    wire        ends    = count[place] != count_reg[place];
    wire        window  = enable && ends;
    wire        forgets = enable ? !enable_reg : ends;    // what was passed on without windows
    wire        parity  = enable ? count_reg[place] : relay_reg;

    reg  [6:0]  arrived, arrived_other;  // by parity
    reg  [7:0]  code;
    integer     i;
    always @* begin
        i             = 0;
        arrived       = 7'd0;
        arrived_other = 7'd0;
        code          = 8'd0;
        for (i = 0; i < 12; i = i + 1) begin
            code = int_received[8*i +: 8];
            if (int_arrived[i] && links[i]) begin
                if (code[`QCDOC_INTERRUPT_CODE_WINDOW] == parity)
                    arrived = arrived | code[`QCDOC_INTERRUPT_CODE_RAISED];
                else
                    arrived_other = arrived_other | code[`QCDOC_INTERRUPT_CODE_RAISED];
            end
        end
    end

    wire        other  = !enable && arrived_other != 7'd0;    // another window, says the neighbour
    wire [6:0]  seen   = other ? arrived_other : seen_reg | arrived;
    wire [6:0]  sent   = other ? 7'd0 : sent_reg;
    wire [6:0]  unsent = seen & ~sent;
    wire [11:0] todo   = todo_reg & ~(int_done & ~void_reg);
    wire        go     = again_reg && (todo_reg & links & up) == 12'd0 && !window;

    assign int_valid = todo_reg | void_reg;
    assign int_code[`QCDOC_INTERRUPT_CODE_WINDOW] = code_parity_reg;
    assign int_code[`QCDOC_INTERRUPT_CODE_RAISED] = code_reg;
    assign int_void  = void_reg;
    assign obs_idle  = (int_valid & up) == 12'd0 && !again_reg && !raise && !clear && !late &&
                       seen_reg == 7'd0 && todo_reg == 12'd0 && (!enable || raised_reg == 7'd0);

    always @(posedge clk) begin
        count_reg  <= count;
        enable_reg <= enable;
        relay_reg  <= parity ^ other;
        late       <= enable && arrived_other != 7'd0;
        if (clear)
            present <= present & ~clear_bits;
        if (raise)
            raised_reg <= raised_reg | raise_bits;
        seen_reg  <= seen;
        sent_reg  <= sent;
        again_reg <= again_reg || unsent != 7'd0;
        todo_reg  <= todo;
        void_reg  <= ((void_reg & ~int_done) | (go || ends ? todo : 12'd0)) & ~forget;
        if (forgets) begin
            seen_reg <= unsent;
            sent_reg <= 7'd0;
        end
        // one packet says all that was seen until it went; links that wait for an acknowledgement get the rest after it
        if (go) begin
            seen_reg        <= forgets ? 7'd0 : seen;
            sent_reg        <= forgets ? 7'd0 : seen;
            code_reg        <= known ? seen : unsent;
            code_parity_reg <= parity ^ other;
            todo_reg        <= links;
            again_reg       <= 1'b0;
        end
        if (ends && !go)
            todo_reg <= 12'd0;
        if (window) begin
            present    <= (clear ? present & ~clear_bits : present) | seen;
            // what is raised in this very cycle waits: it may be the first one after skipped ones, and `window` late
            seen_reg   <= raised_reg;
            raised_reg <= raise ? raise_bits : 7'd0;
            sent_reg   <= 7'd0;
            again_reg  <= raised_reg != 7'd0;
            if ((todo & links) != 12'd0 || unsent != 7'd0)
                late <= 1'b1;            // not acknowledged by a neighbour, or not sent to it, when the window closed
        end
        if (rst) begin
            raised_reg <= 7'd0;
            seen_reg   <= 7'd0;
            sent_reg   <= 7'd0;
            todo_reg   <= 12'd0;
            void_reg   <= 12'd0;
            again_reg  <= 1'b0;
            enable_reg <= 1'b0;
            relay_reg  <= 1'b0;
            present    <= 7'd0;
            late       <= 1'b0;
        end
    end
endmodule
`default_nettype wire
