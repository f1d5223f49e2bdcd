// SPDX-License-Identifier: Apache-2.0
// A small logic analyser: stores what WIDTH signals of one clock do, each change with its time, before and after a
// trigger, in block RAM, and hands it out through registers (signal_capture_registers.toml; README.md). Signals of
// another clock than the registers': the cell stands in theirs, behind a register_crossing.
//
//   probes --> one of SOURCES groups --> now --> before --------------------> memory, a ring
//                                         |        |      changed, or no
//                                         +--------+--> change for 2^TIME_BITS cycles, or triggers
//
//   IDLE --ARM--> ARMED --trigger--> TRIGGERED --AFTER samples--> FULL --ARM--> ARMED        any --STOP--> IDLE
//                   \------------------- AFTER is 0 ---------------/
//
// A sample is {time, signals}. One is stored in the first cycle, then where a signal changed and where time is 0: so
// quiet signals take next to no memory, and all times are known although they are modulo 2^TIME_BITS. The trigger is a
// level (MASK, VALUE), a change (CHANGE), or both in one cycle; its sample is always stored.
//
// A request is answered in the cycle of reg_valid. Signals are seen two cycles late.
`default_nettype none
`include "signal_capture_regs.vh"
module signal_capture #(
    parameter        WIDTH        = 80,         // signals; with TIME_BITS 127 at the most
    parameter        SOURCES      = 1,          // 1 to 16 groups of them, of which one is captured
    parameter        TIME_BITS    = 16,
    parameter        ADDRESS_BITS = 9,          // 2 to 14: the memory holds 2^ADDRESS_BITS samples
    parameter [31:0] SIGNALS      = 32'd0       // hash of the table of names that the signals have
) (
    input  wire        clk,                     // the signals'
    input  wire        rst,
    input  wire [WIDTH*SOURCES-1:0] probes,     // group i at [WIDTH*i +: WIDTH]

    input  wire        reg_valid,
    input  wire        reg_write,
    input  wire [3:0]  reg_address,
    input  wire [31:0] reg_wdata,
    output wire [31:0] reg_rdata,
    output wire        reg_error                // there is no such register, or it is not to be written
);
    localparam [1:0]  IDLE = 2'd0, ARMED = 2'd1, TRIGGERED = 2'd2, FULL = 2'd3;
    localparam [31:0] WIDTH_32 = WIDTH, TIME_32 = TIME_BITS, ADDRESS_32 = ADDRESS_BITS, SOURCES_32 = SOURCES;
    localparam        SAMPLE_BITS = TIME_BITS + WIDTH;
    localparam [ADDRESS_BITS-1:0] ONE = 1;

    reg  [1:0]  state_reg;
    reg  [3:0]  source_reg;
    reg  [1:0]  word_reg;
    reg         wrapped_reg;
    reg  [ADDRESS_BITS-1:0] after_reg, left_reg, next_reg, trigger_reg, place_reg;
    reg  [TIME_BITS-1:0]    time_reg;

    // ---- registers
    wire        known, writable;
    wire        accepts = reg_valid && reg_write && !reg_error;
    wire        command = accepts && reg_address == `SIGNAL_CAPTURE_CONTROL;
    wire        running = state_reg == ARMED || state_reg == TRIGGERED;
    wire        arm     = command && reg_wdata[`SIGNAL_CAPTURE_CONTROL_ARM];
    wire        stop    = command && reg_wdata[`SIGNAL_CAPTURE_CONTROL_STOP];
    wire [SAMPLE_BITS-1:0] stored;
    wire [127:0] data = {{128-SAMPLE_BITS{1'b0}}, stored};

    assign reg_error = !known || (reg_write && !writable);

    signal_capture_reads reads (
        .address(reg_address), .status_state(state_reg), .status_wrapped(wrapped_reg), .shape_width(WIDTH_32[7:0]),
        .shape_time_bits(TIME_32[7:0]), .shape_address_bits(ADDRESS_32[3:0]), .shape_sources(SOURCES_32[4:0]),
        .signals(SIGNALS), .source_number(source_reg),
        .after_samples({{15-ADDRESS_BITS{1'b0}}, after_reg}), .position_trigger({{15-ADDRESS_BITS{1'b0}}, trigger_reg}),
        .position_next({{15-ADDRESS_BITS{1'b0}}, next_reg}), .word_number(word_reg),
        .sample_place({{15-ADDRESS_BITS{1'b0}}, place_reg}), .data0(data[31:0]), .data1(data[63:32]),
        .data2(data[95:64]), .data3(data[127:96]), .value(reg_rdata), .known(known), .writable(writable));

    // ---- signals, and what of them triggers
    reg  [WIDTH-1:0] chosen, now_reg, before_reg, value_reg, mask_reg, change_reg;
    reg              differs_reg, matches_reg;
    wire [WIDTH-1:0] differing = now_reg ^ before_reg;
    integer g, i;
    always @* begin
        g      = 0;
        chosen = {WIDTH{1'b0}};
        for (g = 0; g < SOURCES; g = g + 1)
            if ({28'd0, source_reg} == g)
                chosen = chosen | probes[WIDTH*g +: WIDTH];
    end

    always @(posedge clk) begin
        now_reg     <= chosen;
        before_reg  <= now_reg;
        differs_reg <= differing != {WIDTH{1'b0}};
        matches_reg <= ((now_reg ^ value_reg) & mask_reg) == {WIDTH{1'b0}}
                       && (change_reg == {WIDTH{1'b0}} || (differing & change_reg) != {WIDTH{1'b0}});
        for (i = 0; i < WIDTH; i = i + 1)
            if (accepts && word_reg == i[6:5]) begin
                if (reg_address == `SIGNAL_CAPTURE_VALUE)
                    value_reg[i] <= reg_wdata[i[4:0]];
                if (reg_address == `SIGNAL_CAPTURE_MASK)
                    mask_reg[i] <= reg_wdata[i[4:0]];
                if (reg_address == `SIGNAL_CAPTURE_CHANGE)
                    change_reg[i] <= reg_wdata[i[4:0]];
            end
        if (rst) begin
            mask_reg   <= {WIDTH{1'b0}};
            change_reg <= {WIDTH{1'b0}};
        end
    end

    // ---- the memory
    wire fires = state_reg == ARMED && matches_reg;
    wire store = running && (differs_reg || time_reg == {TIME_BITS{1'b0}} || fires);
    ram_dual_clock #(.WIDTH(SAMPLE_BITS), .ADDRESS_BITS(ADDRESS_BITS)) ring (
        .wr_clk(clk), .wr_en(store), .wr_address(next_reg), .wr_data({time_reg, before_reg}),
        .rd_clk(clk), .rd_en(1'b1), .rd_clear(1'b0), .rd_address(place_reg), .rd_data(stored));

    always @(posedge clk) begin
        time_reg <= running ? time_reg + 1'b1 : {TIME_BITS{1'b0}};
        if (store) begin
            next_reg <= next_reg + ONE;
            left_reg <= left_reg - ONE;
            if (next_reg == {ADDRESS_BITS{1'b1}})
                wrapped_reg <= 1'b1;
        end
        case (state_reg)
            ARMED:
                if (fires) begin
                    trigger_reg <= next_reg;
                    left_reg    <= after_reg;
                    state_reg   <= after_reg == {ADDRESS_BITS{1'b0}} ? FULL : TRIGGERED;
                end
            TRIGGERED:
                if (store && left_reg == ONE)
                    state_reg <= FULL;
            default:
                if (arm) begin
                    state_reg   <= ARMED;
                    next_reg    <= {ADDRESS_BITS{1'b0}};
                    wrapped_reg <= 1'b0;
                end
        endcase
        if (stop)
            state_reg <= IDLE;
        if (accepts) begin
            case (reg_address)
                `SIGNAL_CAPTURE_SOURCE: source_reg <= reg_wdata[`SIGNAL_CAPTURE_SOURCE_NUMBER];
                `SIGNAL_CAPTURE_AFTER:  after_reg  <= reg_wdata[ADDRESS_BITS-1:0];
                `SIGNAL_CAPTURE_WORD:   word_reg   <= reg_wdata[`SIGNAL_CAPTURE_WORD_NUMBER];
                `SIGNAL_CAPTURE_SAMPLE: place_reg  <= reg_wdata[ADDRESS_BITS-1:0];
                default: ;
            endcase
        end
        if (rst) begin
            state_reg   <= IDLE;
            source_reg  <= `SIGNAL_CAPTURE_SOURCE_NUMBER_RESET;
            after_reg   <= {ADDRESS_BITS{1'b0}};
            word_reg    <= `SIGNAL_CAPTURE_WORD_NUMBER_RESET;
            place_reg   <= {ADDRESS_BITS{1'b0}};
            next_reg    <= {ADDRESS_BITS{1'b0}};
            wrapped_reg <= 1'b0;
        end
    end

    initial begin
        if (SAMPLE_BITS > 127 || SOURCES < 1 || SOURCES > 16 || ADDRESS_BITS < 2 || ADDRESS_BITS > 14) begin
            $display("signal_capture: WIDTH + TIME_BITS is at most 127, SOURCES 1 to 16, ADDRESS_BITS 2 to 14");
            $finish;
        end
    end

    // What lies above the widest memory's address, and constants' upper bits.
    wire unused = &{1'b0, WIDTH_32[31:8], TIME_32[31:8], ADDRESS_32[31:4], SOURCES_32[31:5], 1'b0};
endmodule
`default_nettype wire
