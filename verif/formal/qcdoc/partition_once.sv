// SPDX-License-Identifier: Apache-2.0
// qcdoc_partition: an interrupt is forwarded once a window, to all links, and presented at the window's end at every
// node that saw it. Environment: the partition's links stay as they are and may be up or not, a link acknowledges only
// what it was given.
`default_nettype none
module partition_once (
    input wire        clk,
    input wire [15:0] count,             // anyhow: windows of any length
    input wire [3:0]  any_log2_ticks,
    input wire [11:0] any_links,
    input wire [11:0] up, forget,
    input wire        raise,
    input wire [6:0]  raise_bits,
    input wire        clear,
    input wire [6:0]  clear_bits,
    input wire [11:0] int_done,
    input wire [11:0] int_arrived,
    input wire [95:0] int_received
);
    reg rst = 1'b1;
    always @(posedge clk) rst <= 1'b0;
    (* anyconst *) wire [3:0]  log2_ticks;
    (* anyconst *) wire [11:0] links;
    (* anyconst *) wire [2:0]  who;      // any interrupt
    (* anyconst *) wire [3:0]  link;     // any link
    always @* begin
        assume (who < 3'd7 && link < 4'd12);
        assume ((int_done & ~int_valid) == 12'd0);
        assume ((forget & (up | int_done)) == 12'd0);
    end

    wire [6:0]  present;
    wire        late;
    wire [11:0] int_valid, int_void;
    wire [7:0]  int_code;
    qcdoc_partition dut (
        .clk(clk), .rst(rst), .enable(1'b1), .log2_ticks(log2_ticks), .count(count), .links(links), .up(up),
        .forget(forget),
        .raise(raise), .raise_bits(raise_bits), .present(present), .clear(clear), .clear_bits(clear_bits), .late(late),
        .int_valid(int_valid), .int_code(int_code), .int_void(int_void), .int_done(int_done), .int_arrived(int_arrived),
        .int_received(int_received),
        .obs_idle());

    (* hierconn *) wire \dut.window ;
    (* hierconn *) wire \dut.parity ;
    wire       window = \dut.window ;
    reg        arrives;                  // the watched one, in its window
    integer    i;
    always @* begin
        arrives = 1'b0;
        for (i = 0; i < 12; i = i + 1)
            if (int_arrived[i] && links[i] && int_received[8*i + 7] == \dut.parity && int_received[8*i + who])
                arrives = 1'b1;
    end

    reg        latched;                  // raised, for the next window
    reg        seen;                     // in this window
    reg  [6:0] said;                     // to `link` in this window
    reg        told;                     // `link` has acknowledged the watched one in this window
    reg        p_busy, p_done, p_window, p_told, p_seen, p_present, p_clear, p_void, p_forget, p_up;
    reg  [7:0] p_code;
    wire       busy   = int_valid[link] && !int_void[link];
    wire       done   = int_done[link];
    wire       begins = busy && (!p_busy || p_done || p_forget);    // numbers begin anew: it was not sent yet
    wire       raises = raise && raise_bits[who];
    wire       telling = told || (busy && done && int_code[who]);
    always @(posedge clk) begin
        latched <= raises || (latched && !window);     // raised as a window opens: for the next one
        seen    <= window ? latched : seen || arrives;
        said    <= window ? 7'd0 : said | (busy ? int_code[6:0] : 7'd0);
        told    <= telling && !window;
        p_busy  <= busy;
        p_done  <= done;
        p_code  <= int_code;
        p_void  <= int_void[link];
        p_forget <= forget[link];
        p_up    <= up[link];
        p_window <= window;
        p_seen  <= seen || arrives;
        p_told  <= telling;
        p_present <= present[who];
        p_clear <= clear && clear_bits[who];
        if (rst) begin
            {latched, seen, told, p_busy, p_done, p_window, p_void, p_forget, p_up} <= 9'd0;
            said <= 7'd0;
        end
    end

    // what the design remembers, for the prover
    (* hierconn *) wire [6:0]  \dut.sent_reg , \dut.seen_reg ;
    (* hierconn *) wire [11:0] \dut.todo_reg ;
    (* hierconn *) wire        \dut.again_reg ;
    always @* if (!rst) begin
        again:     assert (!\dut.again_reg || (\dut.seen_reg & ~\dut.sent_reg ) != 7'd0);
        sent:      assert ((said & ~\dut.sent_reg ) == 7'd0 &&
                           (!\dut.todo_reg [link] || (int_code[6:0] & ~\dut.sent_reg ) == 7'd0));
        newer:     assert (!\dut.todo_reg [link] || !int_void[link] || (int_code[6:0] & ~said) != 7'd0);
        watching:  assert (seen == \dut.seen_reg [who]);
        // a packet goes out only if it says something new in its window; held until it is acknowledged, overtaken, or
        // its window over
        new_only:  assert (!begins || p_forget || (int_code[6:0] & ~said) != 7'd0);
        only_seen: assert (!begins || !int_code[who] || seen);
        held:      assert (!busy || begins || int_code == p_code);
        // and it stays offered until one of those, or until the link is not up and a newer one goes out
        held_up:   assert (busy || !p_busy || p_done || p_forget || p_window || !p_up);
        in_window: assert (!p_window || !busy);
        // one that may be on its way leaves a void behind, until that is acknowledged or numbers begin anew
        leaves:    assert (busy || !p_busy || p_done || p_forget || int_void[link]);
        stays:     assert (!p_void || p_done || p_forget || int_void[link]);
        // at the window's end: whoever saw it presents it, nobody else does; and all links were told, or an error says
        // so
        presented: assert (!p_window || present[who] == (p_seen || (p_present && !p_clear)));
        not_else:  assert (p_window || rst || !present[who] || p_present);
        all_told:  assert (!p_window || !p_seen || !links[link] || p_told || late);
        told_in_time: cover (p_window && p_seen && p_told && !late && links == 12'hFFF);
        second:    cover (begins && said[2:0] == 3'd3);
        passes_dead: cover (begins && (int_void & links) != 12'd0);
    end
endmodule
`default_nettype wire
