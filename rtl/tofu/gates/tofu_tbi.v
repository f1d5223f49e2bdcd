// SPDX-License-Identifier: Apache-2.0
// A Tofu barrier interface: 64 barrier gates, eight channels, one arithmetic unit. [Tofu2012] and [Tofu2012ja]
// section 5; README.md, "Barrier gates"; registers in tbi_registers.toml.
//
//   router  -> tofu_tbi_parser -> tofu_tbi_gates (tofu_tbi_alu) -> tofu_tbi_send -> router
//                                   |       ^  signals                  |
//   host   <-> tofu_tbi_registers --+       +---------------------------+
//              tofu_tbi_channels -> memory
//
// Latency: last beat of the packet that completes a gate in to first beat of the gate's packet out: 8 cycles. Memories
// and beats have SECDED, the control of the pipeline parity. What cannot be corrected sets ERROR.FAULT and blocks
// out_valid, mem_valid and the gates until reset. Between the memories (four cycles) data have no code.
//
// TofuD's carries three states an operation, or six integers, and is one of six of its node; gates of several are wired
// to one another by packets.
`default_nettype none
module tofu_tbi #(
    parameter STATES          = 1,       // of 320 bits, that an operation carries: 1 or 3
    parameter GATE_INTERFACES = 1,       // of a node
    parameter GATES           = 64,      // 16, 32 or 64
    parameter FLOATING        = 1,       // 0: no sums of doubles, only words of 64 bits; STATES is 1
    parameter BITS            = FLOATING != 0 ? 320*STATES : 64   // of an operation's data
) (
    input  wire         clk,
    input  wire         rst,
    input  wire [18:0]  coordinates,
    input  wire [2:0]   number,          // of this barrier interface

    // to and from the router: 148 bits a beat, see README.md
    output wire         out_valid,
    output wire [147:0] out_beat,
    input  wire         out_ready,
    input  wire         in_valid,        // always taken
    input  wire [147:0] in_beat,

    input  wire         reg_valid,
    input  wire         reg_write,
    input  wire [11:0]  reg_address,
    input  wire [31:0]  reg_wdata,
    output wire         reg_ack,
    output wire [31:0]  reg_rdata,
    output wire         reg_error,

    output wire         mem_valid,
    input  wire         mem_ready,
    output wire [35:0]  mem_address,     // units of 16 bytes
    output wire [127:0] mem_wdata,
    output wire         mem_last,        // the next beat, STATUS, is to be seen behind all until here
    input  wire         mem_pending,     // not all that was offered is in memory yet: wr_pending of tofu_icc

    output wire         irq,
    output wire         fault,           // outputs are blocked

    output wire         obs_idle,
    output wire         obs_fired,       // pulse: a gate fired; its number
    output wire [5:0]   obs_gate,
    output wire [7:0]   obs_done         // pulses
);
    reg  [7:0]   clear_reg;
    wire         clearing = !clear_reg[7];
    always @(posedge clk) begin
        if (clearing)
            clear_reg <= clear_reg + 8'd1;
        if (rst)
            clear_reg <= 8'd0;
    end

    wire         blocked;
    wire         packet_valid, packet_taken, packet_good, packet_bad, overrun;
    wire [74:0]  packet;
    wire [BITS-1:0] packet_data;
    wire         signal_valid, signal_taken;
    wire [74:0]  signal;
    wire [BITS-1:0] signal_data;
    wire         start_valid, access_valid, gates_taken, gates_done, start_empty;
    wire [BITS-1:0] start_data;
    wire [4:0]   channel_word;
    wire [31:0]  gates_value, operations;
    wire [3:0]   gates_refused;
    wire [GATES-1:0] pending, left;
    wire         fire, result;
    wire [5:0]   fire_gate;
    wire [127:0] fire_head;
    wire [BITS-1:0] fire_data;
    wire [4:0]   result_status, errors;
    wire [23:0]  result_sequence;
    wire [18:0]  errors_node;
    wire         errors_channel_valid;
    wire [2:0]   errors_channel;
    wire [7:0]   busy, done, acknowledge, give_up, moving;
    wire         write_operand, write_address, reads_result, result_wrong;
    wire [31:0]  result_value, address_value, status_value;
    wire         prepare, refuse_operation, refuse_operand, accept;
    wire [1:0]   flip;
    wire [2:0]   flip_memory;
    wire [2:0]   flipped, faults;
    wire [3:0]   corrected;
    wire [4:0]   idle;
    wire         packet_sent;

    assign fault     = blocked;
    assign obs_idle  = idle == 5'h1F && !clearing && !rst;
    assign obs_gate  = fire_gate;

    initial begin
        if ((STATES != 1 && STATES != 3) || GATE_INTERFACES < 1 || GATE_INTERFACES > 6) begin
            $display("%m: a barrier interface has one state or three, and is one of six at most");
            $finish;
        end
        if (GATES != 16 && GATES != 32 && GATES != 64) begin
            $display("%m: GATES is 16, 32 or 64");
            $finish;
        end
        if (FLOATING != 0 && FLOATING != 1 || (FLOATING == 0 && STATES != 1)) begin
            $display("%m: FLOATING is 0 or 1, and STATES 1 without");
            $finish;
        end
    end

    tofu_tbi_parser #(.STATES(STATES), .GATE_INTERFACES(GATE_INTERFACES), .GATES(GATES), .FLOATING(FLOATING))
    u_parser (
        .clk(clk), .rst(rst), .coordinates(coordinates), .number(number), .in_valid(in_valid), .in_beat(in_beat),
        .valid(packet_valid), .message(packet), .data(packet_data), .taken(packet_taken),
        .good(packet_good), .bad(packet_bad), .corrected(corrected[0]), .overrun(overrun), .obs_idle(idle[0]));

    tofu_tbi_gates #(.STATES(STATES), .GATE_INTERFACES(GATE_INTERFACES), .GATES(GATES), .FLOATING(FLOATING))
    u_gates (
        .clk(clk), .rst(rst), .coordinates(coordinates), .number(number), .blocked(blocked), .clearing(clearing),
        .clear_address(clear_reg[6:0]),
        .packet_valid(packet_valid), .packet(packet), .packet_data(packet_data), .packet_taken(packet_taken),
        .signal_valid(signal_valid), .signal(signal), .signal_data(signal_data), .signal_taken(signal_taken),
        .start_valid(start_valid), .access_valid(access_valid), .access_write(reg_write),
        .reg_gate(start_valid ? {3'd0, reg_address[7:5]} : reg_address[7:2]), .access_word(reg_address[1:0]),
        .access_data(reg_wdata), .start_operation(reg_wdata[3:0]), .start_empty(start_empty), .start_data(start_data),
        .reg_taken(gates_taken), .reg_done(gates_done), .reg_value(gates_value), .reg_refused(gates_refused),
        .channel_busy(busy), .channel_operation(operations),
        .pending(pending), .left(left), .fire(fire), .fire_gate(fire_gate), .fire_head(fire_head),
        .fire_data(fire_data), .fired(obs_fired), .result(result), .result_status(result_status),
        .result_sequence(result_sequence),
        .errors(errors), .errors_node(errors_node), .errors_channel_valid(errors_channel_valid),
        .errors_channel(errors_channel),
        .flip(flip), .flip_memory(flip_memory), .flipped(flipped[0]), .corrected(corrected[1]), .fault(faults[0]),
        .obs_idle(idle[1]));

    tofu_tbi_send #(.STATES(STATES), .GATE_INTERFACES(GATE_INTERFACES), .GATES(GATES), .FLOATING(FLOATING))
    u_send (
        .clk(clk), .rst(rst), .coordinates(coordinates), .number(number), .blocked(blocked), .clearing(clearing),
        .clear_address(clear_reg[5:0]),
        .fire(fire), .fire_gate(fire_gate), .fire_head(fire_head), .fire_data(fire_data), .pending(pending),
        .left(left),
        .signal_valid(signal_valid), .signal(signal), .signal_data(signal_data), .signal_taken(signal_taken),
        .out_valid(out_valid), .out_beat(out_beat), .out_ready(out_ready), .sent(packet_sent),
        .flip(flip_memory == 3'd4 ? flip : 2'd0), .flipped(flipped[1]), .corrected(corrected[2]), .fault(faults[1]),
        .obs_idle(idle[2]));

    tofu_tbi_channels #(.STATES(STATES), .FLOATING(FLOATING)) u_channels (
        .clk(clk), .rst(rst), .blocked(blocked), .clearing(clearing), .clear_address(clear_reg[2:0]),
        .channel(reg_address[7:5]), .word(channel_word), .reg_wdata(reg_wdata), .write_operand(write_operand),
        .write_address(write_address), .reads_result(reads_result), .result_value(result_value), .moving(moving),
        .result_wrong(result_wrong), .address_value(address_value), .status_value(status_value),
        .acknowledge(acknowledge), .give_up(give_up),
        .prepare(prepare), .start_empty(start_empty), .start_data(start_data), .refuse_operation(refuse_operation),
        .refuse_operand(refuse_operand), .accept(accept),
        .result(result), .result_channel(fire_gate[2:0]), .result_data(fire_data), .result_status(result_status),
        .result_sequence(result_sequence), .errors(errors), .errors_valid(errors_channel_valid),
        .errors_channel(errors_channel),
        .busy(busy), .done(done), .finished(obs_done), .operations(operations),
        .mem_valid(mem_valid), .mem_ready(mem_ready), .mem_address(mem_address), .mem_wdata(mem_wdata),
        .mem_last(mem_last), .mem_pending(mem_pending),
        .flip(flip), .flip_memory(flip_memory), .flipped(flipped[2]), .corrected(corrected[3]), .fault(faults[2]),
        .obs_idle(idle[3]));

    tofu_tbi_registers #(.STATES(STATES), .GATES(GATES), .FLOATING(FLOATING)) u_registers (
        .clk(clk), .rst(rst), .reg_valid(reg_valid && !clearing), .reg_write(reg_write), .reg_address(reg_address),
        .reg_wdata(reg_wdata), .reg_ack(reg_ack), .reg_rdata(reg_rdata), .reg_error(reg_error), .irq(irq),
        .start_valid(start_valid), .access_valid(access_valid), .gates_taken(gates_taken), .gates_done(gates_done),
        .gates_value(gates_value), .gates_refused(gates_refused), .channel_word(channel_word),
        .write_operand(write_operand),
        .write_address(write_address), .reads_result(reads_result), .result_value(result_value),
        .moving(moving), .result_wrong(result_wrong), .address_value(address_value), .status_value(status_value),
        .acknowledge(acknowledge), .give_up(give_up), .prepare(prepare), .refuse_operation(refuse_operation),
        .refuse_operand(refuse_operand), .accept(accept), .busy(busy), .done(done), .errors(errors),
        .errors_gate(fire_gate), .errors_node(errors_node), .packet_bad(packet_bad), .fault(faults != 3'd0 || overrun),
        .blocked(blocked), .packet_good(packet_good), .packet_sent(packet_sent), .corrected(corrected), .flip(flip),
        .flip_memory(flip_memory), .flipped(flipped != 3'd0), .obs_idle(idle[4]));
endmodule
`default_nettype wire
