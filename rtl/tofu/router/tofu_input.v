// SPDX-License-Identifier: Apache-2.0
// One input of a Tofu router: a receive buffer of 8 KB for each virtual channel ([Tofu2012] section 4.4), routes,
// credits.
//
// Buffers are given out in units of 128 bytes; a packet takes its beats, header and trailer included, rounded up. The
// route is found when the header arrives and waits with the packet. A packet may leave while it arrives (virtual
// cut-through); one that turns out bad while nothing of it was sent on is dropped in place. A bad packet frees no
// credits: the sender has them back. What is refused (its destination or interface does not exist, or
// its group is not the port's) is never stored.
//
//   cycle    0            1                    2              3
//   rx_beat  first        second
//            route        want, granted: read  m_beat         at the output
//
// With STAGES four cycles more: what arrives is corrected and routed in two cycles (tofu_input_arrive), a head's stored
// route is registered, and so is the choice among heads. The next packet is looked for when the last beat has left.
//
// Soft errors: the header is corrected before it is routed, a stored route before it is used, everything else at the
// outputs. A parity bit on first, last and bad, on pointers and credits; a monitor of states, lengths and room. `fault`
// is sticky and the router then blocks.
`default_nettype none
`include "tofu_wire.vh"
module tofu_input #(
    parameter VC_BITS   = 2,             // 2: a link's four channels; 1: an interface's requests and responses
    parameter UNIT_BITS = 6,             // a channel's buffer: 2^UNIT_BITS units of 128 bytes
    parameter INTERFACES      = 4,       // network and
    parameter GATE_INTERFACES = 1,       // barrier interfaces of the node
    parameter LINKS = 1023,     // links of the node that are there; ports are counted without the others
    parameter STAGES = 0,       // 0 or 1
    parameter PORTS     = 10 + GATE_INTERFACES + INTERFACES,
    parameter PORT_BITS = $clog2(PORTS)
) (
    input  wire                      clk,
    input  wire                      rst,
    input  wire [18:0]               place,
    input  wire [31:0]               shape,
    input  wire [5:0]                group,       // packets must be of this group, or of 0; 0: any

    input  wire                      rx_valid,
    input  wire [147:0]              rx_beat,
    output wire [((UNIT_BITS+1)<<VC_BITS)-1:0] rx_free,   // units free in each channel's buffer
    output wire [(7<<VC_BITS)-1:0]   rx_credit,   // units freed, cumulative
    input  wire                      rx_reset,    // new session: credits count from 0, packets held count no more

    // outputs
    input  wire [(4<<PORT_BITS)-1:0] go,          // {port, response, channel}: is free and has room
    input  wire [(1<<PORT_BITS)-1:0] reserved,    // port: is kept for one head (tofu_reserve)
    input  wire [(1<<VC_BITS)-1:0]   owed,        // for this channel's head, its port is
    output wire [((PORT_BITS+3)<<VC_BITS)-1:0] waits,   // heads that were not granted when the input looked at
                                                  // them last: {waits, response, routing channel, port} each
    input  wire [PORTS-1:0]          ready,       // port takes m_beat
    output reg  [PORTS-1:0]          want,        // port, one-hot
    output wire [PORT_BITS-1:0]      want_port,   // the same, while there is one
    input  wire                      granted,
    output wire                      m_valid,
    output wire [147:0]              m_beat,
    output wire [PORT_BITS-1:0]      m_port,

    // pulse: flip {a bit of credits, pointers out, in, two, one bit of the next route, a bit of the state, two, one of
    // the next data}
    input  wire [7:0]                inject,
    output wire                      corrected,   // pulses
    output wire                      refused_to,
    output wire                      refused_interface,
    output wire                      refused_length,
    output wire                      strayed,     // of another group
    output wire                      dropped,     // bad, and nothing of it was sent on
    output reg                       fault_header,   // a header that cannot be corrected
    output reg                       fault_parity,   // or a stored route that cannot be corrected
    output reg                       fault_state,
    output wire                      idle
);
    localparam VCS  = 1 << VC_BITS;
    localparam UB   = UNIT_BITS;
    localparam PB   = PORT_BITS;
    localparam IB   = PB + 6;                      // {units, channel, port} of a packet
    localparam [PORTS-1:0] PORT_0 = 1;
    localparam [1:0] REST = 2'b01, BUSY = 2'b10;  // others are faults

    // ---- a header arrives
    wire         in_valid, in_reset, in_resets, quiet;
    wire [147:0] in_beat;                // of a header what was received, but for `data` and `check`
    wire         in_first = in_beat[`TOFU_BEAT_FIRST];
    wire         in_last  = in_beat[`TOFU_BEAT_LAST];
    wire         in_bad   = in_beat[`TOFU_BEAT_BAD];
    wire         head_in  = in_valid && in_first;
    wire [127:0] data;
    wire [15:0]  check;
    wire [1:0]   one_wrong, more_wrong;
    wire [PB-1:0] route_port;
    wire         route_channel, route_leg, bad_to, bad_interface;
    tofu_input_arrive #(.INTERFACES(INTERFACES), .GATE_INTERFACES(GATE_INTERFACES), .LINKS(LINKS), .STAGES(STAGES),
                        .PORT_BITS(PORT_BITS)) u_arrive (
        .clk(clk), .rst(rst), .place(place), .shape(shape), .rx_valid(rx_valid), .rx_beat(rx_beat), .rx_reset(rx_reset),
        .valid(in_valid), .beat(in_beat), .reset(in_reset), .resets(in_resets), .data(data), .check(check),
        .one_wrong(one_wrong), .more_wrong(more_wrong), .port(route_port), .channel(route_channel), .leg(route_leg),
        .bad_to(bad_to), .bad_interface(bad_interface), .idle(quiet)
    );

    // The fields the router writes; their check bits change by the columns of the bits that change.
    // What goes to barrier gates is a response from its injection on: arrivals there always sink.
    wire         to_gates      = data[`TOFU_HEADER_INTERFACE] == `TOFU_INTERFACE_BARRIER ||
                                 data[`TOFU_HEADER_MORE_BARRIERS];
    wire         response      = data[`TOFU_HEADER_RESPONSE] || (VC_BITS == 1 && to_gates);
    wire         turn_response = data[`TOFU_HEADER_RESPONSE] != response;
    wire         turn_channel = data[`TOFU_HEADER_CHANNEL] != route_channel;
    wire         turn_leg     = data[`TOFU_HEADER_LEG] != route_leg;
    wire [7:0]   column_response, column_channel, column_leg;
    secded_encode u_column_response (.data(64'd1 << `TOFU_HEADER_RESPONSE), .check(column_response));
    secded_encode u_column_channel (.data(64'd1 << `TOFU_HEADER_CHANNEL), .check(column_channel));
    secded_encode u_column_leg     (.data(64'd1 << `TOFU_HEADER_LEG),     .check(column_leg));
    wire [15:0]  turned_check = check ^ {8'd0, (turn_response ? column_response : 8'd0) ^
                                               (turn_channel ? column_channel : 8'd0) ^
                                               (turn_leg ? column_leg : 8'd0)};

    wire [6:0]   in_beats   = data[`TOFU_HEADER_BEATS];
    wire [7:0]   in_length  = {1'b0, in_beats} + 8'd3;
    wire [4:0]   in_units   = in_length[7:3] + {4'd0, in_length[2:0] != 3'd0};
    wire         bad_length = in_beats > 7'd125;
    wire [5:0]   in_group   = data[`TOFU_HEADER_KIND] == `TOFU_KIND_GATE ? data[`TOFU_GATE_JOB]
                                                                         : data[`TOFU_REMOTE_GROUP];
    wire         strays     = group != 6'd0 && in_group != 6'd0 && in_group != group;
    wire         refuse     = bad_length || bad_to || bad_interface || strays;
    wire [VC_BITS-1:0] in_vc;
    generate
        if (VC_BITS == 2) begin : gen_link
            assign in_vc = data[`TOFU_HEADER_VC];
        end else begin : gen_interface
            assign in_vc = response;
        end
    endgenerate

    // ---- state
    reg  [1:0]              rx_state;
    reg                     refusing_reg;
    reg  [VC_BITS-1:0]      rx_vc;
    reg  [4:0]              rx_units;
    reg  [7:0]              rx_length;
    reg  [7:0]              rx_count;    // beats that arrived
    reg  [1:0]              tx_state;
    reg  [VC_BITS-1:0]      tx_vc;
    reg  [PB-1:0]           tx_port;
    reg  [4:0]              tx_units;
    reg  [UB:0]             tx_next;     // the unit after the packet
    reg  [6:0]              tx_read;     // beats read from the buffer
    reg                     m_valid_reg;
    reg  [3:0]              armed_reg;   // errors to inject: {two, one bit of a route, two, one of data}
    // of each channel, UB + 1 bits that count units: the first of the packet to be written next, or under way; of the
    // packet to leave next
    wire [VCS*(UB+1)-1:0]   put_reg, take_reg;
    wire [VCS*7-1:0]        credit_reg;
    wire [2:0]              number_wrong;
    reg  [VCS-1:0]          old_reg;     // packets of an old session up to
    reg  [VCS*(UB+1)-1:0]   old_end_reg;
    reg  [VC_BITS-1:0]      turn_reg;    // channel served last
    reg  [VCS-1:0]          waits_reg;   // heads that wait
    reg  [VCS*(PB+1)-1:0]   waits_port_reg;   // {routing channel, port} of those

    wire arriving = rx_state[1];
    wire sending  = tx_state[1];

    // ---- leaving
    wire       m_taken  = m_valid_reg && ready[tx_port];
    wire       m_last   = m_beat[`TOFU_BEAT_LAST];
    wire       done     = m_taken && m_last;
    wire       good     = done && !m_beat[`TOFU_BEAT_BAD];
    wire       can_begin = !sending || (STAGES == 0 && done);
    wire       complete = put_reg[(UB+1)*tx_vc +: UB+1] != take_reg[(UB+1)*tx_vc +: UB+1];
    wire       read_on  = sending && !(m_valid_reg && (m_last || !m_taken)) && (complete || {1'b0, tx_read} < rx_count);

    // The packet at the head of each channel: its route, if there is one
    reg  [VCS*(UB+1)-1:0] head_unit;
    reg  [VCS-1:0]        head;
    wire                  occupied = put_reg != take_reg || arriving;
    wire [VCS*IB-1:0]     stored;        // {units, channel, port}
    wire [VCS-1:0]        stored_single, stored_double;
    wire [VCS*IB-1:0]     info;          // the same, with STAGES a cycle later,
    wire [VCS-1:0]        route_single, route_double;
    wire [VCS-1:0]        known;         // of these heads
    wire                  route_write = head_in && !refuse && !arriving;
    wire [IB-1:0]         route_new   = {in_units, route_channel, route_port};
    wire [IB+7:0]         route_flip  = {{IB+6{1'b0}}, armed_reg[3], armed_reg[3:2] != 2'd0};
    genvar v;
    generate
        for (v = 0; v < VCS; v = v + 1) begin : gen_head
            ram_small_secded #(.WIDTH(IB), .ADDRESS_BITS(UB)) u_routes (
                .clk(clk), .wr_en(route_write && in_vc == v), .wr_address(put_reg[(UB+1)*v +: UB]),
                .wr_data(route_new), .flip(route_flip), .rd_en(can_begin && head[v]),
                .rd_address(head_unit[(UB+1)*v +: UB]), .rd_data(stored[IB*v +: IB]),
                .single(stored_single[v]), .uncorrectable(stored_double[v])
            );
        end
    endgenerate

    always @* begin : heads
        integer i;
        i         = 0;
        head_unit = take_reg;
        head      = {VCS{1'b0}};
        if (occupied) begin
            if (STAGES == 0 && done)
                head_unit[(UB+1)*tx_vc +: UB+1] = tx_next;
            for (i = 0; i < VCS; i = i + 1)
                head[i] = head_unit[(UB+1)*i +: UB+1] != put_reg[(UB+1)*i +: UB+1] ||
                          (arriving && !refusing_reg && rx_vc == i[VC_BITS-1:0]);
        end
    end

    // Of the channels whose next packet could leave now, one, in turn; first those whose output is reserved for them.
    reg  [VCS-1:0]     able, due;
    reg  [VC_BITS-1:0] chosen_vc;
    reg                picked;
    reg  [PB+4:0]      chosen;       // {units, port}
    reg  [VC_BITS-1:0] k;
    always @* begin : picks
        integer i;
        i         = 0;
        able      = {VCS{1'b0}};
        due       = {VCS{1'b0}};
        chosen_vc = turn_reg;
        picked    = 1'b0;
        chosen    = {PB+5{1'b0}};
        k         = {VC_BITS{1'b0}};
        if (can_begin && known != {VCS{1'b0}}) begin
            for (i = 0; i < VCS; i = i + 1) begin
                able[i] = known[i] && !route_double[i] && go[{info[IB*i +: PB], i[VC_BITS-1], info[IB*i + PB]}];
                due[i]  = able[i] && owed[i] && info[IB*i +: PB] == waits_port_reg[(PB+1)*i +: PB];
                if (reserved[info[IB*i +: PB]] && !due[i])
                    able[i] = 1'b0;
            end
            if (due != {VCS{1'b0}})
                able = due;
            for (i = 0; i < VCS; i = i + 1) begin
                k = turn_reg - i[VC_BITS-1:0];        // ends with the one after that served last
                if (able[k]) begin
                    chosen_vc = k;
                    picked    = 1'b1;
                end
            end
            if (picked)
                chosen = {info[IB*chosen_vc + PB + 1 +: 5], info[IB*chosen_vc +: PB]};
        end
    end

    wire               asks;             // for an output,
    wire [PB+4:0]      asked;            // {units, port},
    wire [VC_BITS-1:0] pick;             // with the head of this channel
    wire               pick_single;      // whose stored route was corrected
    wire               at_rest;          // nothing is registered of heads
    generate
        if (STAGES == 0) begin : gen_pick
            assign info         = stored;
            assign route_single = stored_single;
            assign route_double = stored_double;
            assign known        = head;
            assign asks         = picked;
            assign asked        = chosen;
            assign pick         = chosen_vc;
            assign pick_single  = route_single[chosen_vc];
            assign at_rest      = 1'b1;
        end else begin : gen_pick_after
            reg  [VCS*IB-1:0]  info_reg;
            reg  [VCS-1:0]     single_reg, double_reg, known_reg;
            reg                asks_reg, pick_single_reg;
            reg  [PB+4:0]      asked_reg;
            reg  [VC_BITS-1:0] pick_reg;
            assign info         = info_reg;
            assign route_single = single_reg;
            assign route_double = double_reg & known;
            assign known        = known_reg & head;      // what arrives may have been dropped since
            assign asks         = asks_reg && can_begin && head[pick_reg];
            assign asked        = asked_reg;
            assign pick         = pick_reg;
            assign pick_single  = pick_single_reg;
            assign at_rest      = known_reg == {VCS{1'b0}} && !asks_reg;
            always @(posedge clk) begin
                known_reg <= can_begin && !rst ? head : {VCS{1'b0}};
                if (can_begin && head != {VCS{1'b0}}) begin
                    info_reg   <= stored;
                    single_reg <= stored_single;
                    double_reg <= stored_double;
                end
                asks_reg <= picked && !rst;
                if (picked) begin
                    asked_reg       <= chosen;
                    pick_reg        <= chosen_vc;
                    pick_single_reg <= route_single[chosen_vc];
                end
            end
        end
    endgenerate
    always @* begin
        want = {PORTS{1'b0}};
        if (asks)
            want = PORT_0 << asked[PB-1:0];
    end
    assign want_port = asked[PB-1:0];

    wire          read    = granted || read_on;
    wire [6:0]    at      = granted ? 7'd0 : tx_read;
    wire [VC_BITS-1:0] rd_vc = granted ? pick : tx_vc;
    wire [UB-1:0] rd_head = granted ? head_unit[(UB+1)*pick +: UB] : take_reg[(UB+1)*tx_vc +: UB];
    wire [UB-1:0] rd_unit = rd_head + {{UB-4{1'b0}}, at[6:3]};

    assign m_valid = m_valid_reg;
    assign m_port  = tx_port;

    // ---- arriving
    wire          store   = in_valid && (in_first ? !refuse && !arriving : arriving && !refusing_reg);
    wire [VC_BITS-1:0] wr_vc = in_first ? in_vc : rx_vc;
    wire [7:0]    wr_at   = in_first ? 8'd0 : rx_count;
    wire [UB-1:0] wr_unit = put_reg[(UB+1)*wr_vc +: UB] + {{UB-4{1'b0}}, wr_at[6:3]};
    wire          flip     = store && wr_at > 8'd1;
    wire          flip_one = flip && armed_reg[0];
    wire          flip_two = flip && armed_reg[1];
    reg  [147:0]  wr_data;
    always @* begin
        wr_data = in_beat;
        if (head_in)
            wr_data[143:0] = {turned_check, data[127:19], route_leg, response, route_channel, data[15:0]};
        if (flip_one || flip_two) begin
            wr_data[0] = !in_beat[0];
            wr_data[2] = in_beat[2] ^ flip_two;
        end
    end

    ram_dual_clock #(.WIDTH(148), .ADDRESS_BITS(VC_BITS + UB + 3)) u_buffer (
        .wr_clk(clk), .wr_en(store), .wr_address({wr_vc, wr_unit, wr_at[2:0]}), .wr_data(wr_data),
        .rd_clk(clk), .rd_en(read), .rd_clear(1'b0), .rd_address({rd_vc, rd_unit, at[2:0]}), .rd_data(m_beat)
    );

    // Something of the packet under way was sent on, or is about to be.
    wire          ends     = in_valid && in_last && arriving;
    wire          at_head  = put_reg[(UB+1)*rx_vc +: UB+1] == head_unit[(UB+1)*rx_vc +: UB+1];
    wire          begun    = (sending && !done && tx_vc == rx_vc && !complete) || (granted && pick == rx_vc && at_head);
    wire          keep     = ends && !refusing_reg && (!in_bad || begun);
    wire          lost     = ends && !refusing_reg && in_bad && !begun;

    assign rx_credit = in_resets ? {VCS*7{1'b0}} : credit_reg;
    assign corrected = (head_in && one_wrong != 2'd0) || (granted && pick_single);
    assign refused_length    = head_in && bad_length;
    assign refused_to        = head_in && bad_to;
    assign refused_interface = head_in && bad_interface;
    assign strayed = head_in && strays;
    assign dropped = lost;
    assign idle = rx_state == REST && tx_state == REST && put_reg == take_reg && waits_reg == {VCS{1'b0}} &&
                  quiet && at_rest;

    generate
        for (v = 0; v < VCS; v = v + 1) begin : gen_waits
            localparam RESPONSE = v >> (VC_BITS - 1);
            assign waits[(PB+3)*v +: PB+3] = {waits_reg[v], RESPONSE[0], waits_port_reg[(PB+1)*v +: PB+1]};
        end
    endgenerate

    reg  [VCS*(UB+1)-1:0] units_free;
    assign rx_free = units_free;
    always @* begin : rooms
        integer i;
        i          = 0;
        units_free = {VCS{1'b1, {UB{1'b0}}}};
        if (occupied || (STAGES != 0 && head_in))
            for (i = 0; i < VCS; i = i + 1) begin
                units_free[(UB+1)*i +: UB+1] =
                    {1'b1, {UB{1'b0}}} - put_reg[(UB+1)*i +: UB+1] + take_reg[(UB+1)*i +: UB+1] -
                    (arriving && !refusing_reg && rx_vc == i[VC_BITS-1:0] ? {{UB-4{1'b0}}, rx_units} : {UB+1{1'b0}});
                // With STAGES it began two cycles ago, and the next one may begin in the next.
                if (STAGES != 0 && head_in && !refuse && !arriving && in_vc == i[VC_BITS-1:0])
                    units_free[(UB+1)*i +: UB+1] = units_free[(UB+1)*i +: UB+1] - {{UB-4{1'b0}}, in_units};
            end
    end

    reg  [VCS-1:0] still_held;
    always @* begin : holds
        integer i;
        i          = 0;
        still_held = {VCS{1'b0}};
        if (in_reset)
            for (i = 0; i < VCS; i = i + 1)
                still_held[i] = (done && tx_vc == i[VC_BITS-1:0] ? tx_next : take_reg[(UB+1)*i +: UB+1]) !=
                                put_reg[(UB+1)*i +: UB+1];
    end

    // A good packet that left, or was refused, frees its units. (So may both at once.)
    reg  [VCS*7-1:0] credit_next;
    always @* begin
        credit_next = credit_reg;
        if (good && !old_reg[tx_vc])
            credit_next[7*tx_vc +: 7] = credit_next[7*tx_vc +: 7] + {2'd0, tx_units};
        if (ends && refusing_reg && !in_bad)
            credit_next[7*rx_vc +: 7] = credit_next[7*rx_vc +: 7] + {2'd0, rx_units};
        if (in_reset || rst)                              // the link has closed what was under way
            credit_next = {VCS*7{1'b0}};
    end
    reg  [VCS*(UB+1)-1:0] put_next, take_next;
    always @* begin
        put_next  = put_reg;
        take_next = take_reg;
        if (keep)
            put_next[(UB+1)*rx_vc +: UB+1] = put_reg[(UB+1)*rx_vc +: UB+1] + {{UB-4{1'b0}}, rx_units};
        if (done)
            take_next[(UB+1)*tx_vc +: UB+1] = tx_next;
        if (rst) begin
            put_next  = {VCS*(UB+1){1'b0}};
            take_next = {VCS*(UB+1){1'b0}};
        end
    end
    register_parity #(.WIDTH(VCS*(UB+1))) u_put (
        .clk(clk), .next(put_next), .flip(inject[5]), .value(put_reg), .wrong(number_wrong[0])
    );
    register_parity #(.WIDTH(VCS*(UB+1))) u_take (
        .clk(clk), .next(take_next), .flip(inject[6]), .value(take_reg), .wrong(number_wrong[1])
    );
    register_parity #(.WIDTH(VCS*7)) u_credit (
        .clk(clk), .next(credit_next), .flip(inject[7]), .value(credit_reg), .wrong(number_wrong[2])
    );

    integer n;
    always @(posedge clk) begin
        fault_header <= fault_header || (head_in && more_wrong != 2'd0);
        fault_parity <= fault_parity || (in_valid && ^in_beat[147:144] != 1'b1) || route_double != {VCS{1'b0}} ||
                        number_wrong != 3'd0;
        fault_state  <= fault_state ||
                        (rx_state != REST && rx_state != BUSY) ||
                        (tx_state != REST && tx_state != BUSY) ||
                        (in_valid && in_first == arriving) ||
                        (in_valid && !in_first && !(in_last && in_bad) &&
                         (in_last ? rx_count + 8'd1 != rx_length : rx_count + 8'd1 >= rx_length)) ||
                        (m_valid_reg && !sending);

        if (head_in) begin
            rx_state     <= BUSY;
            refusing_reg <= refuse;
            rx_vc        <= in_vc;
            rx_units     <= in_units;
            rx_length    <= in_length;
            rx_count     <= 8'd1;
        end else if (in_valid) begin
            rx_count     <= rx_count + 8'd1;
            if (in_last)
                rx_state <= REST;
        end
        if (granted) begin
            tx_state    <= BUSY;
            tx_vc       <= pick;
            tx_port     <= asked[PB-1:0];
            tx_units    <= asked[PB +: 5];
            tx_next     <= head_unit[(UB+1)*pick +: UB+1] + {{UB-4{1'b0}}, asked[PB +: 5]};
            tx_read     <= 7'd1;
            turn_reg    <= pick;
        end else begin
            if (done)
                tx_state <= REST;
            if (read_on)
                tx_read <= tx_read + 7'd1;
        end
        if (can_begin) begin
            waits_reg <= known | (waits_reg & head);   // with STAGES a head is not known at once, and waits on
            if (granted)
                waits_reg[pick] <= 1'b0;
            for (n = 0; n < VCS; n = n + 1)
                if (known[n])
                    waits_port_reg[(PB+1)*n +: PB+1] <= info[IB*n +: PB+1];
        end
        if (read)
            m_valid_reg <= 1'b1;
        else if (m_taken)
            m_valid_reg <= 1'b0;

        if (done && tx_next == old_end_reg[(UB+1)*tx_vc +: UB+1])
            old_reg[tx_vc] <= 1'b0;

        armed_reg  <= (armed_reg | {inject[4:3], inject[1:0]}) & ~{{2{route_write}}, {2{flip}}};
        if (inject[2])
            tx_state[0] <= !tx_state[0];
        if (in_reset) begin
            old_reg     <= still_held;
            old_end_reg <= put_reg;
        end

        if (rst) begin
            old_reg      <= {VCS{1'b0}};
            armed_reg    <= 4'd0;
            fault_header <= 1'b0;
            rx_state     <= REST;
            refusing_reg <= 1'b0;
            rx_vc        <= {VC_BITS{1'b0}};
            rx_count     <= 8'd0;
            tx_state     <= REST;
            tx_vc        <= {VC_BITS{1'b0}};
            tx_port      <= {PB{1'b0}};
            m_valid_reg  <= 1'b0;
            waits_reg    <= {VCS{1'b0}};
            turn_reg     <= {VC_BITS{1'b0}};
            fault_parity <= 1'b0;
            fault_state  <= 1'b0;
        end
    end
endmodule
`default_nettype wire
