// SPDX-License-Identifier: Apache-2.0
// One output of a Tofu router: chooses among inputs, corrects what passes, and hands it on.
//
// A packet has the output until its last beat was taken; the next is chosen in that very cycle, so that packets follow
// one another without a gap. Choice: in turn (arbiter_round_robin's rule) among those that `first` prefers, if any ask;
// every 16th time among the others. Heads that never get to ask while the output is free are tofu_reserve's.
// A packet of three beats ends before a link's tx_room counts it: `uncounted`. Data are checked and corrected here,
// behind buffer and crossbar: a beat with more than one wrong bit in 64 makes its packet end as bad (void), in a
// header, which the next hop believes, it is a fault. `halt` blocks the output permanently. Latency: in_beat to tx_beat
// one cycle.
//
// With STAGES the next packet is chosen when the last one has left this node's router, not in the cycle of its last
// beat: no path leads from a link through the outputs to the inputs.
`default_nettype none
`include "tofu_wire.vh"
module tofu_output #(
    parameter PORT      = 0,
    parameter PORTS     = 15,
    parameter STAGES    = 0,             // 0 or 1
    parameter PORT_BITS = $clog2(PORTS)
) (
    input  wire         clk,
    input  wire         rst,
    input  wire         halt,

    // choice
    input  wire [PORTS-1:0] want,        // inputs that want this output; 0 unless `free`
    input  wire [PORTS-1:0] first,       // those that go before the others
    output wire         free,
    output wire         uncounted,       // with free: one unit less is free at a link than tx_room says
    output reg  [PORT_BITS-1:0] winner,  // while somebody wants it
    output wire         held,
    output wire [PORT_BITS-1:0] source,  // the input that has it, while held

    // the source
    input  wire         in_valid,
    input  wire [PORT_BITS-1:0] in_port, // where it means to send
    input  wire [147:0] in_beat,
    output wire         in_ready,

    output wire         tx_valid,
    output wire [147:0] tx_beat,
    input  wire         tx_ready,
    input  wire         drained,         // STAGES: what was sent on has left the router

    input  wire         inject,          // pulse: flip a bit of the state
    output wire         sent,            // pulse: a packet left whole
    output wire         nullified,       // pulse: a packet left as bad
    output wire         corrected,
    output wire         uncorrectable,
    output reg          fault_header,
    output reg          fault_parity,
    output reg          fault_state,
    output wire         idle
);
    localparam [1:0] REST = 2'b01, BUSY = 2'b10;  // others are faults
    localparam [PORT_BITS-1:0] HERE = PORT;
    localparam [PORTS-1:0]     ONE = 1;

    // Of each bit of a port's number, the ports that have it.
    function [PORTS*PORT_BITS-1:0] ports_with;
        input integer ports;
        integer       i, j;
        begin
            ports_with = {PORTS*PORT_BITS{1'b0}};
            for (i = 0; i < PORT_BITS; i = i + 1)
                for (j = 0; j < ports; j = j + 1)
                    ports_with[PORTS*i + j] = ((j >> i) & 1) != 0;
        end
    endfunction
    localparam [PORTS*PORT_BITS-1:0] WITH = ports_with(PORTS);

    reg  [1:0]   state;
    reg  [PORT_BITS-1:0] source_reg;
    reg  [PORTS-1:0] later_reg;              // inputs after the one served last
    reg  [3:0]   chosen_reg;             // packets, modulo 16
    reg          header_reg;             // the next beat is the header's second
    reg          third_reg;              // the next beat is the third
    reg          spoilt_reg;             // a beat of the packet was uncorrectable
    reg          valid_reg;
    reg  [147:0] beat_reg;

    wire         in_first = in_beat[`TOFU_BEAT_FIRST];
    wire         in_last  = in_beat[`TOFU_BEAT_LAST];
    wire         in_bad   = in_beat[`TOFU_BEAT_BAD];
    wire         passes   = in_valid && in_ready;

    assign in_ready = !halt && (!valid_reg || tx_ready);
    assign free     = STAGES == 0 ? !halt && (state == REST || (passes && in_last && !header_reg))
                                  : !halt && state == REST && !valid_reg && drained;
    assign uncounted = STAGES == 0 && third_reg;
    assign held     = state[1];
    assign source   = source_reg;

    reg  [PORTS-1:0] asking, group, grant, below;
    always @* begin : chooses
        integer i;
        i      = 0;
        winner = {PORT_BITS{1'b0}};
        asking = {PORTS{1'b0}};
        group  = {PORTS{1'b0}};
        below  = {PORTS{1'b0}};
        grant  = {PORTS{1'b0}};
        if (want != {PORTS{1'b0}}) begin
            asking = want & (chosen_reg == 4'd15 ? ~first : first);
            if (asking == {PORTS{1'b0}})
                asking = want;
            group  = (asking & later_reg) != {PORTS{1'b0}} ? asking & later_reg : asking;
            below  = group - ONE;
            grant  = group & ~below;
            for (i = 0; i < PORT_BITS; i = i + 1)
                winner[i] = |(grant & WITH[PORTS*i +: PORTS]);
        end
    end

    wire [127:0] data;
    wire [15:0]  check;
    wire [1:0]   one_wrong, more_wrong;
    secded_decode_enabled u_low (
        .enable(in_valid),
        .data(in_beat[63:0]), .check(in_beat[135:128]), .corrected(data[63:0]), .corrected_check(check[7:0]),
        .single(one_wrong[0]), .uncorrectable(more_wrong[0])
    );
    secded_decode_enabled u_high (
        .enable(in_valid),
        .data(in_beat[127:64]), .check(in_beat[143:136]), .corrected(data[127:64]), .corrected_check(check[15:8]),
        .single(one_wrong[1]), .uncorrectable(more_wrong[1])
    );
    wire         wrong    = more_wrong != 2'd0;
    wire         bad      = in_last && (in_bad || wrong || spoilt_reg);
    wire         turn_bad = bad != in_bad;

    assign corrected     = passes && one_wrong != 2'd0;
    assign uncorrectable = passes && wrong;
    assign sent          = passes && in_last && !bad;
    assign nullified     = passes && in_last && bad;
    assign tx_valid      = valid_reg && !halt;
    assign tx_beat       = beat_reg;
    assign idle          = state == REST && !valid_reg && (STAGES == 0 || drained);
    wire   unused        = &{1'b0, drained};

    always @(posedge clk) begin
        fault_parity <= fault_parity || (in_valid && ^in_beat[147:144] != 1'b1);
        fault_header <= fault_header || (passes && wrong && (in_first || header_reg));
        fault_state  <= fault_state || (state != REST && state != BUSY) || (in_valid && in_port != HERE);

        if (want != {PORTS{1'b0}}) begin
            state      <= BUSY;
            source_reg <= winner;
            later_reg  <= ~(below ^ group);
            chosen_reg <= chosen_reg + 4'd1;
        end else if (passes && in_last)
            state <= REST;

        if (passes) begin
            valid_reg  <= 1'b1;
            beat_reg   <= {in_beat[147] ^ turn_bad, bad, in_last, in_first, check, data};
            header_reg <= in_first;
            third_reg  <= header_reg && !in_last;
            spoilt_reg <= (spoilt_reg || wrong) && !in_last;
        end else if (tx_ready)
            valid_reg <= 1'b0;
        if (inject)
            state[0] <= !state[0];

        if (rst) begin
            state        <= REST;
            source_reg   <= {PORT_BITS{1'b0}};
            later_reg    <= {PORTS{1'b0}};
            chosen_reg   <= 4'd0;
            header_reg   <= 1'b0;
            third_reg    <= 1'b0;
            spoilt_reg   <= 1'b0;
            valid_reg    <= 1'b0;
            fault_parity <= 1'b0;
            fault_header <= 1'b0;
            fault_state  <= 1'b0;
        end
    end
endmodule
`default_nettype wire
