// SPDX-License-Identifier: Apache-2.0
// The 64 barrier gates: [Tofu2012] and [Tofu2012ja] section 5.2; rtl/tofu/README.md, "Barrier gates". What gates are
// and what they hold is in memories with SECDED; one pipeline serves them. Through it go packets and signals that
// arrive, starts, checks whether a gate may fire now (after its outputs have left), and accesses of the register bus.
// Two passes of the same gate are three cycles apart.
//
//   cycle    0        1                   2                          3
//            choose   memories are read   what becomes of the gate   memories are written, fire_* pulse
//
// A packet has precedence, so it waits for two cycles at most. Which memory bank holds an operation's data is bit 0 of
// its sequence.
`default_nettype none
`include "tofu_tbi_regs.vh"
`include "tofu_wire.vh"
module tofu_tbi_gates #(
    parameter SEQUENCE_BITS   = 24,      // of operations; fewer in proofs
    parameter STATES          = 1,       // of 320 bits, that an operation carries
    parameter GATE_INTERFACES = 1,       // of a node
    parameter GATES           = 64,
    parameter FLOATING        = 1,       // 0: no sums of doubles, only words of 64 bits
    parameter BITS            = FLOATING != 0 ? 320*STATES : 64   // of an operation's data
) (
    input  wire         clk,
    input  wire         rst,
    input  wire [18:0]  coordinates,
    input  wire [2:0]   number,          // of this barrier interface
    input  wire         blocked,         // a fault was found: only registers are served
    input  wire         clearing,        // memories are cleared
    input  wire [6:0]   clear_address,

    // arrivals: packets, signals. Message: {from interface, status[4:0], operation, sequence, group, from node, from
    // gate, gate}
    input  wire         packet_valid,
    input  wire [74:0]  packet,
    input  wire [BITS-1:0] packet_data,
    output wire         packet_taken,
    input  wire         signal_valid,
    input  wire [74:0]  signal,
    input  wire [BITS-1:0] signal_data,
    output wire         signal_taken,

    // register bus: a start of gate `reg_gate` (its own channel), or an access to its words
    input  wire         start_valid,
    input  wire         access_valid,
    input  wire         access_write,
    input  wire [5:0]   reg_gate,
    input  wire [1:0]   access_word,     // TOFU_TBI_GATE_ ..._WORD
    input  wire [31:0]  access_data,
    input  wire [3:0]   start_operation,
    input  wire         start_empty,
    input  wire [BITS-1:0] start_data,
    output wire         reg_taken,
    output reg          reg_done,        // pulse
    output reg  [31:0]  reg_value,
    output reg  [3:0]   reg_refused,     // {start unwired, wiring incomplete, self, busy}

    input  wire [7:0]   channel_busy,
    input  wire [31:0]  channel_operation, // 4 bits a channel

    // sends
    input  wire [GATES-1:0] pending,       // gates with one not taken yet
    input  wire [GATES-1:0] left,          // pulses: taken
    output reg          fire,            // outputs of fire_gate shall be sent
    output reg  [5:0]   fire_gate,
    output reg  [127:0] fire_head,       // {destination[31:0], outputs {remote, local}, local destination, group,
                                         //  status[4:0], operation, sequence} and zeros
    output wire [BITS-1:0] fire_data,       // of a fire or a result
    output reg          fired,           // pulse: fire_gate fired (a start gate: ended its operation)
    output reg          result,          // channel fire_gate[2:0] has a result
    output reg  [4:0]   result_status,
    output reg  [23:0]  result_sequence,

    // what was found wrong, pulses with the gate in fire_gate: {broadcast, mismatch, sequence, group, address}
    output reg  [4:0]   errors,
    output reg  [18:0]  errors_node,
    output reg          errors_channel_valid,
    output reg  [2:0]   errors_channel,

    // soft errors: so many bits of memory 0 control, 1 wiring, 2 state, 3 bank, 7 the pipeline's control
    input  wire [1:0]   flip,
    input  wire [2:0]   flip_memory,
    output wire         flipped,     // used now
    output reg          corrected,
    output reg          fault,
    output wire         obs_idle
);
    localparam [23:0] SEQUENCES = (24'd1 << SEQUENCE_BITS) - 24'd1;
    localparam D = BITS;
    localparam GB = $clog2(GATES);
    localparam [GATES-1:0] GATE_0 = 1, NONE = 0;
    localparam LAST_GATE = GATES - 1;
    localparam [6:0] MOST_GATE = LAST_GATE[6:0];
    localparam ALL_GATES = GATES == 64;
    // Bits of GATE_SOURCE and GATE_DESTINATION that there are: those of the other gate's interface only with several.
    localparam [31:0] SOURCE_BITS      = GATE_INTERFACES > 1 ? 32'hFF87FFFF : 32'h3F07FFFF;
    localparam [31:0] DESTINATION_BITS = GATE_INTERFACES > 1 ? 32'hFFFFFFFF : 32'h3F7FFFFF;
    localparam [2:0] CHECK = 3'd0, SIGNAL = 3'd1, PACKET = 3'd2, START = 3'd3, READ = 3'd4, WRITE = 3'd5;

    // ---- choose -----------------------------------------------------------------------------------
    reg          read_valid_reg, act_valid_reg;
    reg  [2:0]   read_kind_reg, act_kind_reg;
    reg  [74:0]  read_message_reg, act_message_reg;
    reg  [D-1:0] read_data_reg;
    reg          read_parity_reg, act_parity_reg;
    reg  [GATES-1:0] again_reg;            // gates that may fire now
    reg  [GATES-1:0] bank_reg;            // bit 0 of each gate's sequence: which bank a check is of
    reg  [GB-1:0] again_last_reg;

    wire         again_found;
    wire [GB-1:0] again_choice;
    wire [6:0]   again_wide = {{7-GB{1'b0}}, again_choice};
    wire [5:0]   again_gate = again_wide[5:0];
    select_next #(.N(GATES), .WIDTH(GB)) u_again (
        .request(again_reg), .last(again_last_reg), .found(again_found), .choice(again_choice));

    wire [5:0]   read_gate = read_message_reg[5:0];
    wire [5:0]   act_gate  = act_message_reg[5:0];
    // a gate that is being read or acted upon must be written first
    wire         packet_free = !((read_valid_reg && read_gate == packet[5:0]) ||
                                 (act_valid_reg && act_gate == packet[5:0]));
    wire         signal_free = !((read_valid_reg && read_gate == signal[5:0]) ||
                                 (act_valid_reg && act_gate == signal[5:0]));
    wire         reg_free    = !((read_valid_reg && read_gate == reg_gate) || (act_valid_reg && act_gate == reg_gate));
    wire         again_free  = !((read_valid_reg && read_gate == again_gate) ||
                                 (act_valid_reg && act_gate == again_gate));

    wire         open        = !blocked && !clearing;
    assign packet_taken = packet_valid && (clearing || blocked || packet_free);
    wire         choose_packet = packet_valid && packet_free && open;
    assign signal_taken = signal_valid && signal_free && open && !choose_packet;
    assign reg_taken    = (start_valid || access_valid) && reg_free && !clearing && !choose_packet && !signal_taken;
    wire         choose_again = again_found && again_free && open && !choose_packet && !signal_taken && !reg_taken;

    reg          choose_valid;
    reg  [2:0]   choose_kind;
    reg  [74:0]  choose_message;
    reg  [D-1:0] choose_data;
    always @* begin
        choose_valid   = 1'b1;
        choose_kind    = CHECK;
        choose_message = {69'd0, again_gate};
        choose_data    = {D{1'b0}};
        if (choose_packet) begin
            choose_kind    = PACKET;
            choose_message = packet;
            choose_data    = packet_data;
        end else if (signal_taken) begin
            choose_kind    = SIGNAL;
            choose_message = signal;
            choose_data    = signal_data;
        end else if (reg_taken) begin
            choose_kind    = start_valid ? START : access_write ? WRITE : READ;
            choose_message = {7'd0, start_empty, start_operation, 32'd0, 19'd0, 4'd0, access_word, reg_gate};
            choose_data    = start_valid ? start_data : {{D-32{1'b0}}, access_data};
        end else begin
            choose_valid = choose_again;
        end
    end

    // ---- read -------------------------------------------------------------------------------------
    wire [63:0]  control_read, wiring_read, state_read;
    wire [D-1:0] bank_read;
    wire [3:0]   singles, doubles;
    wire         read_bank = read_kind_reg == CHECK ? bank_reg[read_gate[GB-1:0]] : read_message_reg[39];
    reg          write_control, write_wiring, write_state, write_bank;
    reg  [31:0]  write_control_data;
    reg  [63:0]  write_wiring_data, write_state_data;
    reg          write_bank_index;
    wire [D-1:0] alu_result;
    wire         touched   = read_valid_reg;

    wire [7:0]   flip_at   = (8'd1 << flip_memory) & {8{touched && flip != 2'd0}};
    tofu_tbi_memory #(.WORDS(1), .ADDRESS_BITS(GB)) u_control (
        .clk(clk), .wr_en(write_control || clearing), .wr_address(clearing ? clear_address[GB-1:0] : fire_gate[GB-1:0]),
        .wr_data(clearing ? 64'd0 : {32'd0, write_control_data}), .rd_address(read_gate[GB-1:0]),
        .rd_data(control_read),
        .flip(flip_at[0] ? flip : 2'd0), .single(singles[0]), .uncorrectable(doubles[0]));
    tofu_tbi_memory #(.WORDS(1), .ADDRESS_BITS(GB)) u_wiring (
        .clk(clk), .wr_en(write_wiring || clearing), .wr_address(clearing ? clear_address[GB-1:0] : fire_gate[GB-1:0]),
        .wr_data(clearing ? 64'd0 : write_wiring_data), .rd_address(read_gate[GB-1:0]), .rd_data(wiring_read),
        .flip(flip_at[1] ? flip : 2'd0), .single(singles[1]), .uncorrectable(doubles[1]));
    tofu_tbi_memory #(.WORDS(1), .ADDRESS_BITS(GB)) u_state (
        .clk(clk), .wr_en(write_state || clearing), .wr_address(clearing ? clear_address[GB-1:0] : fire_gate[GB-1:0]),
        .wr_data(clearing ? 64'd0 : write_state_data), .rd_address(read_gate[GB-1:0]), .rd_data(state_read),
        .flip(flip_at[2] ? flip : 2'd0), .single(singles[2]), .uncorrectable(doubles[2]));
    tofu_tbi_memory #(.WORDS(BITS/64), .ADDRESS_BITS(GB + 1)) u_bank (
        .clk(clk), .wr_en(write_bank || clearing),
        .wr_address(clearing ? clear_address[GB:0] : {fire_gate[GB-1:0], write_bank_index}),
        .wr_data(clearing ? {D{1'b0}} : alu_result), .rd_address({read_gate[GB-1:0], read_bank}), .rd_data(bank_read),
        .flip(flip_at[3] ? flip : 2'd0), .single(singles[3]),
        .uncorrectable(doubles[3]));

    // ---- act --------------------------------------------------------------------------------------
    reg  [31:0]  control_reg;
    reg  [63:0]  wiring_reg, state_reg;
    reg  [D-1:0] bank_data_reg, act_data_reg;
    reg          act_bank_reg;           // which bank bank_data_reg is

    wire         wired         = control_reg[0];
    wire [1:0]   enabled       = control_reg[2:1];        // {packet, signal}
    wire [1:0]   outputs       = control_reg[4:3];
    wire [2:0]   channel       = control_reg[7:5];
    wire [5:0]   local_source  = control_reg[13:8];
    wire [7:0]   group         = control_reg[31:24];
    wire [23:0]  turn      = state_reg[23:0];
    wire         started       = state_reg[24];
    // a bank: {broadcast, address, sequence, mismatch, has data, operation, arrived {packet, signal}}
    wire [10:0]  bank0         = state_reg[35:25];
    wire [10:0]  bank1         = state_reg[46:36];

    wire [5:0]   m_from_gate   = act_message_reg[11:6];
    wire [18:0]  m_from_node   = act_message_reg[30:12];
    wire [7:0]   m_group       = act_message_reg[38:31];
    wire [23:0]  m_sequence    = act_message_reg[62:39];
    wire [3:0]   m_operation   = act_message_reg[66:63];
    wire         m_has_data    = !act_message_reg[67];
    wire [3:0]   m_errors      = act_message_reg[71:68];
    wire [2:0]   m_from_interface = act_message_reg[74:72];

    // parity of the control of each stage, and a kind that does not exist: nothing is done, and it is a fault
    wire         act_wrong     = act_parity_reg != ^{act_valid_reg, act_kind_reg, act_gate} ||
                                 (act_valid_reg && act_kind_reg > WRITE);
    wire         act           = act_valid_reg && !act_wrong;

    wire         is_start_gate = act_gate < 6'd8;
    wire         arrival       = act && (act_kind_reg == SIGNAL || act_kind_reg == PACKET);
    wire [1:0]   side        = act_kind_reg == PACKET ? 2'b10 : 2'b01;
    wire         foreign       = wired && m_group != group;
    wire         expected      = (enabled & side) != 2'd0 &&
                                 (act_kind_reg == PACKET
                                  ? wiring_reg[18:0] == m_from_node && wiring_reg[29:24] == m_from_gate &&
                                    {wiring_reg[31:30], wiring_reg[23]} == m_from_interface
                                  : local_source == m_from_gate);
    wire         early         = m_sequence == ((turn + 24'd1) & SEQUENCES);
    wire         now           = m_sequence == turn;
    wire [10:0]  meant         = m_sequence[0] ? bank1 : bank0;
    wire         twice         = (meant[1:0] & side) != 2'd0;
    wire         in_step       = (now || early) && !twice;
    wire         adds          = arrival && wired && !foreign;
    wire         trouble_address  = !expected;
    wire         trouble_sequence = expected && !in_step;
    wire         for_next      = adds && expected && in_step && early;
    wire         bank_index    = for_next ? !turn[0] : turn[0];
    wire [10:0]  bank          = bank_index ? bank1 : bank0;

    // the bank after the arrival
    wire [3:0]   errors_before = bank[10:7] |
                                   (adds ? m_errors | {1'b0, trouble_address, trouble_sequence, 1'b0} : 4'd0);
    wire         meets         = adds && errors_before == 4'd0 && bank[1:0] != 2'd0;
    wire         mismatch      = meets && bank[5:2] != m_operation;
    wire         two_data      = meets && !mismatch && m_operation == `TOFU_OP_BROADCAST && bank[6] && m_has_data;
    wire [3:0]   errors_after  = errors_before | {two_data, 2'b00, mismatch};
    wire         data_after    = errors_after == 4'd0 && (bank[6] || (adds && m_has_data));
    wire [3:0]   operation_after = adds && (bank[1:0] == 2'd0 || act_kind_reg == SIGNAL) ? m_operation : bank[5:2];
    wire [1:0]   arrived_after = bank[1:0] | (adds ? side & enabled : 2'd0);
    wire [10:0]  bank_after    = {errors_after, data_after, operation_after, arrived_after};

    wire         starts        = act && act_kind_reg == START && wired && !started;
    wire         looks         = act && (adds || (act_kind_reg == CHECK && wired));
    wire         complete      = looks && !for_next && arrived_after == enabled && !pending[act_gate[GB-1:0]];
    wire         fires         = complete && !is_start_gate;
    wire         ends          = complete && is_start_gate && started;
    wire [3:0]   asked         = channel_operation[4*act_gate[2:0] +: 4];
    wire         other_result  = ends && errors_after == 4'd0 && enabled != 2'd0 && operation_after != asked;
    wire         given_up      = !channel_busy[act_gate[2:0]];

    // the arithmetic: what the bank holds with what has come
    wire         bank_read_right = act_bank_reg == bank_index;
    wire         use_bank      = errors_after == 4'd0 && bank[6] && !other_result && act_kind_reg != START;
    wire         use_message   = errors_after == 4'd0 && m_has_data && !other_result && (adds || act_kind_reg == START);
    tofu_tbi_alu #(.STATES(STATES), .FLOATING(FLOATING)) u_alu (
        .clk(clk), .operation(act_kind_reg == START ? `TOFU_OP_BARRIER : m_operation), .use_a(use_bank),
        .use_b(act_kind_reg == START ? m_has_data : use_message), .a(bank_data_reg), .b(act_data_reg),
        .result(alu_result));
    assign fire_data = alu_result;

    // a register is written
    wire [31:0]  w_data        = act_data_reg[31:0];
    wire [1:0]   w_word        = m_from_gate[1:0];
    wire         w_wires       = w_word == `TOFU_TBI_GATE_CONTROL_WORD && w_data[0];
    wire [27:0]  self          = {number[2:1], act_gate, number[0], coordinates};
    wire         w_busy        = w_word == `TOFU_TBI_GATE_CONTROL_WORD
                                   ? (wired && channel_busy[channel]) || (w_wires && channel_busy[w_data[7:5]])
                                   : wired;
    wire         w_self        = w_wires && ((w_data[1] && w_data[13:8] == act_gate) ||
                                             (w_data[3] && w_data[21:16] == act_gate) ||
                                             (w_data[2] && {wiring_reg[31:23], wiring_reg[18:0]} == self) ||
                                             (w_data[4] && {wiring_reg[63:55], wiring_reg[50:32]} == self));
    wire         w_inputs      = w_data[2:1] != 2'd0;
    wire         w_outputs     = w_data[4:3] != 2'd0;
    // (a signal from or to a gate that there is not)
    wire         w_nowhere     = !ALL_GATES && w_wires && ((w_data[1] && {1'b0, w_data[13:8]} > MOST_GATE) ||
                                                           (w_data[3] && {1'b0, w_data[21:16]} > MOST_GATE));
    wire         w_incomplete  = w_nowhere ||
                                 (w_wires && (is_start_gate ? w_data[7:5] != act_gate[2:0] || (!w_inputs && !w_outputs)
                                                            : !w_inputs || !w_outputs));
    wire         writes        = act && act_kind_reg == WRITE && !w_busy && !w_self && !w_incomplete;
    wire         rewires       = writes && w_word == `TOFU_TBI_GATE_CONTROL_WORD;
    reg  [31:0]  r_value;
    always @*
        case (w_word)
            `TOFU_TBI_GATE_CONTROL_WORD:     r_value = control_reg;
            `TOFU_TBI_GATE_SOURCE_WORD:      r_value = wiring_reg[31:0];
            `TOFU_TBI_GATE_DESTINATION_WORD: r_value = wiring_reg[63:32];
            default:                         r_value = {3'd0, started, bank1[1:0], bank0[1:0], turn};
        endcase

    wire [10:0]  bank0_next = fires || ends ? (turn[0] ? bank0 : 11'd0) : adds && !bank_index ? bank_after : bank0;
    wire [10:0]  bank1_next = fires || ends ? (turn[0] ? 11'd0 : bank1) : adds && bank_index ? bank_after : bank1;
    wire         started_next  = (started || starts) && !ends;
    wire [23:0]  sequence_next = fires || ends ? (turn + 24'd1) & SEQUENCES : turn;

    // what cannot be
    wire         read_wrong  = read_parity_reg != ^{read_valid_reg, read_kind_reg, read_gate};
    wire         bank_wrong  = looks && ((bank_reg[act_gate[GB-1:0]] != turn[0]) || (use_bank && !bank_read_right));
    // a wrong word is not acted upon
    wire         read_fault  = read_valid_reg && (doubles != 4'd0 || read_wrong);
    assign flipped = flip_at != 8'd0 && (flip_memory < 3'd4 || flip_memory == 3'd7);
    wire [2:0]   spoiled     = flip_at[7] ? 3'b001 : 3'b000;

    wire unused = &{1'b0, clear_address, again_wide[6], control_read[63:32], state_reg[63:47], meant[10:2]};

    assign obs_idle = !packet_valid && !signal_valid && !start_valid && !access_valid && !read_valid_reg &&
                      !act_valid_reg && again_reg == NONE && !fire && !result && errors == 5'd0 && !reg_done &&
                      !corrected && !clearing && left == NONE;

    wire [GATES-1:0] act_bit = GATE_0 << act_gate;
    always @(posedge clk) begin
        // choose
        read_valid_reg   <= choose_valid;
        read_kind_reg    <= choose_kind;
        read_message_reg <= choose_message;
        read_data_reg    <= choose_data;
        read_parity_reg  <= ^{choose_valid, choose_kind, choose_message[5:0]};
        if (choose_again)
            again_last_reg <= again_choice;

        // read
        act_valid_reg    <= read_valid_reg && !read_fault;
        act_kind_reg     <= read_kind_reg ^ spoiled;
        act_message_reg  <= read_message_reg;
        act_parity_reg   <= ^{read_valid_reg && !read_fault, read_kind_reg, read_gate};
        act_data_reg     <= read_data_reg;
        act_bank_reg     <= read_bank;
        control_reg      <= control_read[31:0];
        wiring_reg       <= wiring_read;
        state_reg        <= state_read;
        bank_data_reg    <= bank_read;
        corrected        <= read_valid_reg && singles != 4'd0;
        fault            <= read_fault || act_wrong || bank_wrong;

        // act
        fire_gate         <= act_gate;
        fire              <= (starts || fires) && outputs != 2'd0;
        fire_head         <= {wiring_reg[63:32], 15'd0, outputs, control_reg[21:16], group,
                              act_kind_reg == START ? m_errors : errors_after,
                              act_kind_reg == START ? !m_has_data : !data_after,
                              act_kind_reg == START ? m_operation : operation_after, turn, 32'd0};
        fired             <= fires || ends;
        result            <= ends && !given_up;
        result_status     <= {errors_after | {3'd0, other_result}, !data_after || other_result};
        result_sequence   <= turn;
        write_control     <= rewires;
        write_control_data <= w_wires ? w_data & 32'hFF3F3FFF : 32'd0;
        write_wiring      <= writes && (w_word == `TOFU_TBI_GATE_SOURCE_WORD ||
                                        w_word == `TOFU_TBI_GATE_DESTINATION_WORD);
        write_wiring_data <= w_word == `TOFU_TBI_GATE_SOURCE_WORD ? {wiring_reg[63:32], w_data & SOURCE_BITS}
                                            : {w_data & DESTINATION_BITS, wiring_reg[31:0]};
        write_state       <= adds || starts || fires || ends || rewires;
        write_state_data  <= rewires ? 64'd0 : {17'd0, bank1_next, bank0_next, started_next, sequence_next};
        write_bank        <= adds && !fires && !ends;
        write_bank_index  <= bank_index;
        if (fires || ends || rewires)
            bank_reg[act_gate[GB-1:0]] <= rewires ? 1'b0 : !turn[0];
        again_reg <= (again_reg & ~(choose_again ? GATE_0 << again_gate : NONE)) | left |
                     (starts && outputs == 2'd0 ? act_bit : NONE);

        errors               <= arrival ? {two_data, mismatch || other_result, wired && !foreign && trouble_sequence,
                                           foreign, !wired || (!foreign && trouble_address)}
                                        : {1'b0, other_result, 3'd0};
        errors_node          <= act_kind_reg == PACKET ? m_from_node : coordinates;
        errors_channel_valid <= wired;
        errors_channel       <= channel;

        reg_done    <= act && act_kind_reg >= START;
        reg_value   <= r_value;
        reg_refused <= act_kind_reg == START ? {!starts, 3'd0} :
                       act_kind_reg == WRITE ? (w_busy ? 4'd1 : w_self ? 4'd2 : w_incomplete ? 4'd4 : 4'd0) : 4'd0;

        if (rst) begin
            read_valid_reg  <= 1'b0;
            read_kind_reg   <= CHECK;
            read_message_reg <= 75'd0;
            read_parity_reg <= 1'b0;
            act_valid_reg   <= 1'b0;
            act_kind_reg    <= CHECK;
            act_message_reg <= 75'd0;
            act_parity_reg  <= 1'b0;
            again_reg       <= NONE;
            again_last_reg  <= {GB{1'b0}};
            bank_reg        <= NONE;
            corrected       <= 1'b0;
            fault           <= 1'b0;
            fire            <= 1'b0;
            fired           <= 1'b0;
            result          <= 1'b0;
            write_control   <= 1'b0;
            write_wiring    <= 1'b0;
            write_state     <= 1'b0;
            write_bank      <= 1'b0;
            errors          <= 5'd0;
            reg_done        <= 1'b0;
        end
    end
endmodule
`default_nettype wire
