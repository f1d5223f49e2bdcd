// SPDX-License-Identifier: Apache-2.0
// Partition interrupts of a QCDOC node: what one node raises floods the links of its partition within a window of the
// slow global clock, each interrupt forwarded once, and all nodes present it at the window's end. Seed 000, section 2.2.
//
//   window     |      k       |     k + 1    |
//   raise      a                                    latched before a window opens,
//   links               a a a                       sent in it, forwarded by who sees it first,
//   present                          a              sampled at its end by every node
//
// Bit 7 of a packet is the window's parity, so seven interrupts. One that comes in another window than it was
// sent in was too late for somebody: sticky error at who notices. Windows come from the count alone, and with nothing
// latched and nothing seen the end of one changes nothing: cycles may be skipped over it (obs_idle).
`default_nettype none
module qcdoc_partition (
    input  wire        clk,
    input  wire        rst,
    input  wire        enable,           // there are windows
    input  wire [3:0]  log2_ticks,       // of 2^log2_ticks ticks
    input  wire [15:0] count,            // of ticks of the global clock
    input  wire [11:0] links,            // of the partition

    input  wire        raise,            // pulse
    input  wire [6:0]  raise_bits,
    output reg  [6:0]  present,          // level, until cleared
    input  wire        clear,            // pulse
    input  wire [6:0]  clear_bits,
    output reg         late,             // pulse: an error

    // links
    output wire [11:0] int_valid,
    output wire [7:0]  int_code,         // the same for all
    input  wire [11:0] int_done,
    input  wire [11:0] int_arrived,      // pulses
    input  wire [95:0] int_received,

    output wire        obs_idle
);
    reg  [15:0] count_reg;
    reg  [6:0]  raised_reg;              // for the next window
    reg  [6:0]  seen_reg;                // in this one
    reg  [6:0]  sent_reg;                // and said to the neighbours
    reg         code_parity_reg;
    reg  [6:0]  code_reg;                // held until it is acknowledged, whatever comes meanwhile
    reg  [11:0] todo_reg;                // links whose packet is not acknowledged
    reg         again_reg;               // seen more since

    // a window ends and the next one opens
    wire        parity = count_reg[log2_ticks];
    wire        window = enable && count[log2_ticks] != parity;

    reg  [6:0]  arrived, arrived_late;
    integer     i;
    always @* begin
        arrived      = 7'd0;
        arrived_late = 7'd0;
        for (i = 0; i < 12; i = i + 1)
            if (int_arrived[i] && links[i]) begin
                if (int_received[8*i + 7] == parity)
                    arrived = arrived | int_received[8*i +: 7];
                else
                    arrived_late = arrived_late | int_received[8*i +: 7];
            end
    end

    wire [6:0]  seen  = seen_reg | arrived;
    wire        ready = todo_reg == 12'd0;

    assign int_valid = todo_reg;
    assign int_code  = {code_parity_reg, code_reg};
    assign obs_idle  = ready && !again_reg && !raise && !clear && !late &&
                       (!enable || (raised_reg == 7'd0 && seen_reg == 7'd0));

    always @(posedge clk) begin
        count_reg <= count;
        late <= arrived_late != 7'd0;
        if (clear)
            present <= present & ~clear_bits;
        if (raise)
            raised_reg <= raised_reg | raise_bits;
        seen_reg <= seen;
        if ((seen & ~sent_reg) != 7'd0)
            again_reg <= 1'b1;
        todo_reg <= todo_reg & ~int_done;
        // one packet says all that was seen until it went; links that wait for an acknowledgement get the rest after it
        if (ready && again_reg) begin
            sent_reg        <= seen;
            code_reg        <= seen;
            code_parity_reg <= parity;
            todo_reg        <= links;
            again_reg       <= 1'b0;
        end
        if (window) begin
            present    <= (clear ? present & ~clear_bits : present) | seen;
            // what is raised in this very cycle waits: it may be the first one after skipped ones, and `window` late
            seen_reg   <= raised_reg;
            raised_reg <= raise ? raise_bits : 7'd0;
            sent_reg   <= 7'd0;
            again_reg  <= raised_reg != 7'd0;
            if (!ready || (seen & ~sent_reg) != 7'd0)
                late <= 1'b1;            // a neighbour had not acknowledged, or not been told, when the window closed
        end
        if (rst) begin
            raised_reg <= 7'd0;
            seen_reg   <= 7'd0;
            sent_reg   <= 7'd0;
            todo_reg   <= 12'd0;
            again_reg  <= 1'b0;
            present    <= 7'd0;
            late       <= 1'b0;
        end
    end
endmodule
`default_nettype wire
