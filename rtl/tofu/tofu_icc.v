// SPDX-License-Identifier: Apache-2.0
// The interconnect controller of a Tofu node: ten links, the router, network interfaces, barrier interfaces; four and
// one at the K computer's, six and six of three states at TofuD's.
// [Tofu2012] section 2 and figure 1; registers, formats and latency in rtl/tofu/README.md. PCI Express is not here.
//
//   10 x tofu_link <==> tofu_router <--> 4 x tofu_tni <--> memory
//                                   <--> tofu_tbi ---> memory
//   register bus --> tofu_icc_registers, 10 x tofu_link, 4 x tofu_tni, tofu_tbi
//
// One clock, 312.5 MHz (TofuD 425). Vectors by link: 0 X+, 1 X-, 2 Y+, 3 Y-, 4 Z+, 5 Z-, 6 A, 7 B+, 8 B-, 9 C.
`default_nettype none
`include "tofu_wire.vh"
module tofu_icc #(
    parameter INTERFACES      = 4,      // network interfaces, at most 6
    parameter GATE_INTERFACES = 1,      // barrier interfaces, at most 6
    parameter STATES          = 1,      // of 320 bits, that an operation of gates carries: 1 or 3
    parameter RING_BITS       = 9,      // of a link: 2^RING_BITS beats of retransmission ring
    parameter WINDOW          = 64,     // of a link: packets unacknowledged
    parameter LANES           = 0,      // serial lanes behind each link (rtl/lane); 0: none, tx_pause is ignored
    parameter LINKS           = 1023,   // those that are there, a bit each; the others send idle beats
    parameter STAGES          = 0,      // of links and router: 1 for FPGAs
    parameter GATES           = 64,     // of a barrier interface: 16, 32 or 64,
    parameter FLOATING        = 1,      // and whether they sum doubles: 0 or 1; without STATES is 1
    parameter QUEUES          = 255,    // of a network interface, as tofu_tni has them
    parameter MESSAGES        = 16,
    parameter PUTS            = 32,
    parameter GETS            = 32,
    parameter LINES           = 64,
    parameter CHUNKS          = 64,
    parameter FACES           = GATE_INTERFACES + INTERFACES
) (
    input  wire          clk,
    input  wire          rst,
    input  wire [15:0]   tick_count,    // time, for time limits: one more every 64 cycles

    // links, 16 bytes and their control bits a cycle
    output wire [1279:0] txd,
    output wire [159:0]  txc,
    input  wire [1279:0] rxd,
    input  wire [159:0]  rxc,
    input  wire [9:0]    tx_pause,      // of a link's lanes, a bit a link

    // memory, 16 bytes a request: a reading and a writing port for each network interface, and then a writing one for
    // each barrier interface; reads of a port are answered in order
    output wire [INTERFACES-1:0]     rd_valid,
    input  wire [INTERFACES-1:0]     rd_ready,
    output wire [36*INTERFACES-1:0]  rd_address,   // 36 bits a port, in units of 16 bytes
    input  wire [INTERFACES-1:0]     rd_rvalid,
    input  wire [128*INTERFACES-1:0] rd_data,
    output wire [FACES-1:0]          wr_valid,
    input  wire [FACES-1:0]          wr_ready,
    output wire [36*FACES-1:0]       wr_address,
    output wire [128*FACES-1:0]      wr_data,
    output wire [16*FACES-1:0]       wr_strobe,    // a bit a byte
    output wire [FACES-1:0]          wr_last,      // what follows is to be seen behind all until here
    // for memory that holds what it has taken some time later; without, wr_pending is 0
    input  wire [FACES-1:0]          wr_pending,   // what is offered now or was taken is not all there
    output wire [FACES-1:0]          wr_mark,      // pulse: what was taken by the end of its cycle
    input  wire [FACES-1:0]          wr_passed,    // is there, from the next cycle on
    input  wire                      mem_look,     // pulse, or 0: what interfaces were to write then
    output wire                      mem_seen,     // was taken by the ports; from its cycle on
    input  wire [FACES-1:0]          mem_stopped,  // a port answers no more; until reset

    // register bus: held until reg_ack
    input  wire          reg_valid,
    input  wire          reg_write,
    input  wire [15:0]   reg_address,
    input  wire [31:0]   reg_wdata,
    output wire          reg_ack,
    output wire [31:0]   reg_rdata,
    output wire          reg_error,
    output wire          irq,

    // observation, a bit a link
    output wire          obs_idle,      // with idle wires everything stays as it is,
    output reg  [4:0]    obs_period,    // until tick_count is a multiple of 2 to the power of this; 31: whatever it is
    output wire [9:0]    obs_rx_start,
    output wire [9:0]    obs_rx_ok,
    output wire [9:0]    obs_rx_command,
    output wire [9:0]    obs_rx_error,
    output wire [9:0]    obs_rx_command_error,
    output wire [9:0]    obs_retransmit,
    output wire [9:0]    obs_accept,
    output wire [19:0]   obs_state,     // 2 bits a link: 0 DOWN, 1 TRAIN, 2 UP
    // and of each barrier interface
    output wire [GATE_INTERFACES-1:0]   obs_fired,   // a barrier gate fired; which
    output wire [6*GATE_INTERFACES-1:0] obs_gate,
    output wire [8*GATE_INTERFACES-1:0] obs_done     // an operation of a barrier channel ended
`ifdef HT_RESTING_PARTS
    // of the simulator, which leaves out edges at which a part stays as it is: sim/tofu/README.md. Ten links, six
    // network, six barrier interfaces, the router's inputs
    ,
    input  wire [63:0]   rest,          // this part has no edge
    output wire [63:0]   obs_rest       // nothing but what comes by a wire, a memory or the register bus will change it
`endif
);
`include "tofu_links.vh"
    // register bus: one part of the map answers, or nobody does and the access is refused
    wire         at_low    = reg_address[15:10] == 6'd0;
    wire         at_links  = reg_address[15:10] == 6'd1;
    // barrier interface 0 at 0x1000, the others from 0x4000 on
    localparam [3:0] NETWORKS = INTERFACES[3:0], BARRIERS = GATE_INTERFACES[3:0];
    wire [3:0]   page      = reg_address[15:12];
    wire [3:0]   barrier   = page == 4'd1 ? 4'd0 : page - 4'd3;
    wire         at_tbi    = page == 4'd1 || (page >= 4'd4 && barrier < BARRIERS);
    wire [3:0]   which     = reg_address[9:6];
    localparam [15:0] THERE = {6'd0, LINKS[9:0]};
    wire         at_tni    = reg_address[15:11] == 5'd4 && {1'b0, reg_address[10:8]} < NETWORKS;
    wire         at_nobody = !(at_low || (at_links && which < 4'd10 && THERE[which]) || at_tbi || at_tni);
    reg          nobody_reg;
    wire [9:0]   link_ack, link_error, link_attention, link_fault, link_idle;
    wire [319:0] link_rdata;
    reg  [31:0]  links_rdata;
    wire         low_ack, low_error, low_attention, low_idle;
    wire [31:0]  low_rdata;
    wire [GATE_INTERFACES-1:0]    tbi_ack, tbi_error, tbi_irq, tbi_fault, tbi_idle;
    wire [32*GATE_INTERFACES-1:0] tbi_rdata;
    reg  [31:0]                   tbis_rdata;
    wire [INTERFACES-1:0]         tni_ack, tni_error, tni_attention, tni_fault, tni_idle, seen;
    assign mem_seen = &seen;
    wire [32*INTERFACES-1:0]      tni_rdata;
    wire [5*INTERFACES-1:0]       tni_period;
    reg  [31:0]                   tnis_rdata;

    // between links, router and interfaces
    wire [18:0]   place;
    wire [31:0]   shape;
    wire          in_turn, inject_output, router_fault, router_idle;
    wire [7:0]    inject_kind;
    wire [59:0]   groups;
    wire [9:0]    event_strayed;
    wire [FACES+9:0] inject_port, event_sent, event_nullified, event_dropped, event_refused;
    wire [7:0]    cause;
    wire [9:0]    rx_valid, rx_reset, tx_valid, tx_ready;
    wire [2*FACES-1:0] inj_valid, inj_ready, ej_room;
    wire [1479:0] rx_beat, tx_beat;
    wire [296*FACES-1:0] inj_beat;
    wire [359:0]  rx_free;
    wire [279:0]  rx_credit, tx_room;
    wire [FACES-1:0] ej_valid;
    wire [148*FACES-1:0] ej_beat;

    integer n;
    always @* begin
        n           = 0;
        links_rdata = 32'd0;
        for (n = 0; n < 10; n = n + 1)
            links_rdata = links_rdata | link_rdata[32*n +: 32];
        tbis_rdata = 32'd0;
        for (n = 0; n < GATE_INTERFACES; n = n + 1)
            tbis_rdata = tbis_rdata | (tbi_ack[n] ? tbi_rdata[32*n +: 32] : 32'd0);
        tnis_rdata = 32'd0;
        obs_period = 5'd31;
        for (n = 0; n < INTERFACES; n = n + 1) begin
            tnis_rdata = tnis_rdata | (tni_ack[n] ? tni_rdata[32*n +: 32] : 32'd0);
            if (tni_period[5*n +: 5] < obs_period)
                obs_period = tni_period[5*n +: 5];
        end
    end
    always @(posedge clk)
        nobody_reg <= reg_valid && at_nobody && !nobody_reg && !rst;

    assign reg_ack   = low_ack || |tbi_ack || |tni_ack || nobody_reg || link_ack != 10'd0;
    assign reg_rdata = low_rdata | tbis_rdata | tnis_rdata | links_rdata;
    assign reg_error = low_error || |(tbi_ack & tbi_error) || |(tni_ack & tni_error) || nobody_reg ||
                       link_error != 10'd0;
    assign irq       = low_attention || |tbi_irq || |tni_attention || link_attention != 10'd0;
    assign obs_idle  = low_idle && router_idle && &tbi_idle && &tni_idle && link_idle == 10'h3FF && !nobody_reg;

    // faults show in sticky errors
    wire unused = &{1'b0, inj_ready, link_fault, tni_fault, tbi_fault, router_fault, barrier[3]};
    // of links that are not there
    wire unused_links = &{1'b0, rxd, rxc, tx_pause, rx_free, rx_credit, tx_valid, tx_beat};

    genvar i;
    generate
        for (i = 0; i < links_below(10); i = i + 1) begin : g_link
            localparam N = link_of(i);
            localparam [3:0] PORT = N[3:0];
`ifdef HT_RESTING_PARTS
            wire link_clk = clk && !rest[N];
            assign obs_rest[N] = link_idle[N] && !tx_valid[N];
`else
            wire link_clk = clk;
`endif
            tofu_link #(.RING_BITS(RING_BITS), .WINDOW(WINDOW), .STAGES(STAGES), .LANES(LANES)) link (
                .clk(link_clk), .rst(rst), .port(PORT),
                .txd(txd[128*N +: 128]), .txc(txc[16*N +: 16]), .rxd(rxd[128*N +: 128]), .rxc(rxc[16*N +: 16]),
                .tx_pause(tx_pause[N]),
                .rx_valid(rx_valid[N]), .rx_beat(rx_beat[148*N +: 148]), .rx_free(rx_free[36*N +: 36]),
                .rx_credit(rx_credit[28*N +: 28]), .rx_reset(rx_reset[N]),
                .tx_valid(tx_valid[N]), .tx_beat(tx_beat[148*N +: 148]), .tx_ready(tx_ready[N]),
                .tx_room(tx_room[28*N +: 28]),
                .reg_valid(reg_valid && at_links && which == PORT), .reg_write(reg_write),
                .reg_address(reg_address[5:0]), .reg_wdata(reg_wdata), .reg_ack(link_ack[N]),
                .reg_rdata(link_rdata[32*N +: 32]), .reg_error(link_error[N]), .attention(link_attention[N]),
                .fault(link_fault[N]),
                .obs_idle(link_idle[N]), .obs_rx_start(obs_rx_start[N]), .obs_rx_ok(obs_rx_ok[N]),
                .obs_rx_command(obs_rx_command[N]), .obs_rx_error(obs_rx_error[N]),
                .obs_rx_command_error(obs_rx_command_error[N]), .obs_retransmit(obs_retransmit[N]),
                .obs_accept(obs_accept[N]), .obs_state(obs_state[2*N +: 2])
            );
        end
        for (i = 0; i < 10; i = i + 1) begin : g_absent
            if (!LINKS[i]) begin : g_nothing
                assign txd[128*i +: 128]       = {16{`TOFU_WIRE_IDLE}};
                assign txc[16*i +: 16]         = 16'hFFFF;
                assign rx_valid[i]             = 1'b0;
                assign rx_beat[148*i +: 148]   = 148'd0;
                assign rx_reset[i]             = 1'b0;
                assign tx_ready[i]             = 1'b0;
                assign tx_room[28*i +: 28]     = 28'd0;
                assign link_ack[i]             = 1'b0;
                assign link_rdata[32*i +: 32]  = 32'd0;
                assign link_error[i]           = 1'b0;
                assign link_attention[i]       = 1'b0;
                assign link_fault[i]           = 1'b0;
                assign link_idle[i]            = 1'b1;
                assign obs_rx_start[i]         = 1'b0;
                assign obs_rx_ok[i]            = 1'b0;
                assign obs_rx_command[i]       = 1'b0;
                assign obs_rx_error[i]         = 1'b0;
                assign obs_rx_command_error[i] = 1'b0;
                assign obs_retransmit[i]       = 1'b0;
                assign obs_accept[i]           = 1'b0;
                assign obs_state[2*i +: 2]     = 2'd0;
`ifdef HT_RESTING_PARTS
                assign obs_rest[i]             = 1'b0;
`endif
            end
        end
    endgenerate

    tofu_router #(.INTERFACES(INTERFACES), .GATE_INTERFACES(GATE_INTERFACES), .LINKS(LINKS), .STAGES(STAGES)) router (
        .clk(clk), .rst(rst), .place(place), .shape(shape), .in_turn(in_turn), .groups(groups),
        .rx_valid(rx_valid), .rx_beat(rx_beat), .rx_free(rx_free), .rx_credit(rx_credit), .rx_reset(rx_reset),
        .tx_valid(tx_valid), .tx_beat(tx_beat), .tx_ready(tx_ready), .tx_room(tx_room),
        .inj_valid(inj_valid), .inj_beat(inj_beat), .inj_ready(inj_ready),
        .ej_valid(ej_valid), .ej_beat(ej_beat), .ej_room(ej_room),
        .inject_kind(inject_kind), .inject_port(inject_port), .inject_output(inject_output),
        .event_sent(event_sent), .event_nullified(event_nullified), .event_dropped(event_dropped),
        .event_refused(event_refused), .event_strayed(event_strayed), .cause(cause), .fault(router_fault),
        .obs_idle(router_idle)
`ifdef HT_RESTING_PARTS
        , .rest(rest[22 +: FACES + 10]), .obs_rest(obs_rest[22 +: FACES + 10])
`endif
    );

    tofu_icc_registers #(.PORTS(10 + FACES), .LINKS(LINKS)) registers (
        .clk(clk), .rst(rst),
        .reg_valid(reg_valid && at_low), .reg_write(reg_write), .reg_address(reg_address[9:0]), .reg_wdata(reg_wdata),
        .reg_ack(low_ack), .reg_rdata(low_rdata), .reg_error(low_error),
        .place(place), .shape(shape), .in_turn(in_turn), .groups(groups),
        .inject_kind(inject_kind), .inject_port(inject_port), .inject_output(inject_output),
        .event_sent(event_sent), .event_nullified(event_nullified), .event_dropped(event_dropped),
        .event_refused(event_refused), .event_strayed(event_strayed), .cause(cause), .fault(router_fault),
        .links_enabled(obs_state != 20'd0), .attention(low_attention), .obs_idle(low_idle)
    );

    generate
        for (i = 0; i < INTERFACES; i = i + 1) begin : g_tni
            localparam [2:0] NUMBER = i;
            localparam       FACE = GATE_INTERFACES + i;      // at the router
            assign wr_last[i] = 1'b0;                         // entries of rings are seen in the order of their beats
`ifdef HT_RESTING_PARTS
            wire tni_clk = clk && !rest[10 + i];
            assign obs_rest[10 + i] = tni_idle[i];
`else
            wire tni_clk = clk;
`endif
            tofu_tni #(.INTERFACES(INTERFACES), .QUEUES(QUEUES), .MESSAGES(MESSAGES), .PUTS(PUTS), .GETS(GETS),
                       .LINES(LINES), .CHUNKS(CHUNKS)) tni (
                .clk(tni_clk), .rst(rst), .coordinates(place), .number(NUMBER), .tick_count(tick_count),
                .reg_valid(reg_valid && at_tni && reg_address[10:8] == NUMBER), .reg_write(reg_write),
                .reg_address(reg_address[7:0]), .reg_wdata(reg_wdata), .reg_ack(tni_ack[i]),
                .reg_rdata(tni_rdata[32*i +: 32]), .reg_error(tni_error[i]),
                .inj_valid(inj_valid[2*FACE +: 2]), .inj_ready(inj_ready[2*FACE +: 2]),
                .inj_beat(inj_beat[296*FACE +: 296]), .ej_valid(ej_valid[FACE]), .ej_beat(ej_beat[148*FACE +: 148]),
                .ej_room(ej_room[2*FACE +: 2]),
                .rd_valid(rd_valid[i]), .rd_ready(rd_ready[i]), .rd_address(rd_address[36*i +: 36]),
                .rd_rvalid(rd_rvalid[i]), .rd_data(rd_data[128*i +: 128]), .wr_valid(wr_valid[i]),
                .wr_ready(wr_ready[i]), .wr_address(wr_address[36*i +: 36]), .wr_data(wr_data[128*i +: 128]),
                .wr_strobe(wr_strobe[16*i +: 16]), .wr_pending(wr_pending[i]), .wr_mark(wr_mark[i]),
                .wr_passed(wr_passed[i]), .mem_look(mem_look), .mem_seen(seen[i]), .mem_stopped(mem_stopped[i]),
                .attention(tni_attention[i]), .fault(tni_fault[i]), .obs_idle(tni_idle[i]),
                .obs_period(tni_period[5*i +: 5])
            );
        end
        for (i = 0; i < GATE_INTERFACES; i = i + 1) begin : g_tbi
            localparam [2:0] NUMBER = i;
            localparam       PORT = INTERFACES + i;           // of memory
            // It writes whole units, sends by the class of requests, and takes whatever comes.
            assign wr_strobe[16*PORT +: 16]        = 16'hFFFF;
            assign wr_mark[PORT]                   = 1'b0;    // nothing follows that it does not wait for
            wire unused_memory                     = &{1'b0, wr_passed[PORT], mem_stopped[PORT]};
            assign inj_valid[2*i + 1]              = 1'b0;
            assign inj_beat[296*i + 148 +: 148]    = 148'd0;
            assign ej_room[2*i +: 2]               = 2'd3;
`ifdef HT_RESTING_PARTS
            wire tbi_clk = clk && !rest[16 + i];
            assign obs_rest[16 + i] = tbi_idle[i];
`else
            wire tbi_clk = clk;
`endif
            tofu_tbi #(.STATES(STATES), .GATE_INTERFACES(GATE_INTERFACES), .GATES(GATES), .FLOATING(FLOATING)) tbi (
                .clk(tbi_clk), .rst(rst), .coordinates(place), .number(NUMBER),
                .out_valid(inj_valid[2*i]), .out_beat(inj_beat[296*i +: 148]), .out_ready(inj_ready[2*i]),
                .in_valid(ej_valid[i]), .in_beat(ej_beat[148*i +: 148]),
                .reg_valid(reg_valid && at_tbi && barrier[2:0] == NUMBER), .reg_write(reg_write),
                .reg_address(reg_address[11:0]), .reg_wdata(reg_wdata),
                .reg_ack(tbi_ack[i]), .reg_rdata(tbi_rdata[32*i +: 32]), .reg_error(tbi_error[i]),
                .mem_valid(wr_valid[PORT]), .mem_ready(wr_ready[PORT]), .mem_address(wr_address[36*PORT +: 36]),
                .mem_wdata(wr_data[128*PORT +: 128]), .mem_last(wr_last[PORT]), .mem_pending(wr_pending[PORT]),
                .irq(tbi_irq[i]), .fault(tbi_fault[i]),
                .obs_idle(tbi_idle[i]), .obs_fired(obs_fired[i]), .obs_gate(obs_gate[6*i +: 6]),
                .obs_done(obs_done[8*i +: 8])
            );
        end
`ifdef HT_RESTING_PARTS
        wire unused_rest = &{1'b0, rest};
        for (i = 10 + INTERFACES; i < 64; i = i + 1) begin : g_nothing
            if (i < 16 || (i >= 16 + GATE_INTERFACES && i < 22) || i >= 32 + FACES) begin : g_there
                assign obs_rest[i] = 1'b0;
            end
        end
`endif
    endgenerate
endmodule
`default_nettype wire
