// SPDX-License-Identifier: Apache-2.0
// Registers of a Tofu link (link_registers.toml): configuration, sticky errors, counters. Unknown registers, writes to
// read-only ones and values out of range: `reg_error`, no effect; so are NODE and EPOCH unless the link is DOWN.
//
// Latency: reg_ack 1 cycle after reg_valid, which stays with its arguments until then; 0 on reg_rdata without reg_ack.
`default_nettype none
`include "tofu_link_regs.vh"
module tofu_link_registers #(
    parameter EVENTS = 21
) (
    input  wire              clk,
    input  wire              rst,

    input  wire              reg_valid,
    input  wire              reg_write,
    input  wire [5:0]        reg_address,
    input  wire [31:0]       reg_wdata,
    output wire              reg_ack,
    output wire [31:0]       reg_rdata,
    output wire              reg_error,
    output wire              quiet,

    // configuration
    output wire              enable,
    output wire              retrain,          // pulse
    output wire              identity_written, // pulse: a new node or epoch
    output wire [31:0]       node,
    output wire [15:0]       epoch,
    output wire [15:0]       ack_timeout,
    output wire [7:0]        retry_limit,
    output wire [3:0]        retrain_limit,
    output wire [15:0]       train_timeout,    // units of 256 cycles
    output wire              timeout_written,  // pulse: ack_timeout or train_timeout is new
    output wire [1:0]        inject,           // flip bits of the next beat stored
    output wire [1:0]        inject_table,     // and of the next table entry
    output wire [6:0]        inject_bit,
    output wire              inject_state,     // pulse
    output wire [6:0]        inject_number,    // pulses: {freed, used, expected, write, high, send, oldest}
    input  wire              injected,         // a beat is stored
    input  wire              injected_table,   // a table entry is

    // status
    input  wire              disable_link,     // clears enable
    input  wire [12:0]       errors,           // pulses, as in ERROR
    output wire              attention,
    output wire              fault,
    input  wire [31:0]       status,           // as STATUS
    input  wire              down,
    input  wire [31:0]       peer_node,
    input  wire [3:0]        peer_port,
    input  wire [15:0]       peer_epoch,
    input  wire [31:0]       tx_checksum,
    input  wire [31:0]       rx_checksum,
    input  wire [27:0]       room,
    input  wire [EVENTS-1:0] events,           // one more in COUNT_SENT, ...
    input  wire              flush,
    input  wire [7:0]        flushed           // packets, with flush
);
    localparam FLUSHED = 19;

    reg         ack_reg, error_reg, enable_reg, timeout_written_reg;
    reg  [31:0] rdata_reg, node_reg;
    reg  [12:0] sticky_reg;
    reg  [15:0] epoch_reg, ack_timeout_reg, train_timeout_reg;
    reg  [7:0]  retry_limit_reg;
    reg  [3:0]  retrain_limit_reg;
    reg  [1:0]  inject_reg, inject_table_reg;
    reg  [6:0]  inject_bit_reg;
    reg  [32*EVENTS-1:0] count_reg;

    wire        serve      = reg_valid && !ack_reg;
    wire        store      = serve && reg_write && writable;
    wire [5:0]  index      = reg_address - `TOFU_LINK_COUNT_SENT;     // of a counter
    wire        known, is_writable;
    reg         fits;
    wire        writable   = is_writable && fits;
    wire [31:0] value;
    integer     i;

    assign reg_ack          = ack_reg;
    assign reg_rdata        = rdata_reg;
    assign reg_error        = error_reg;
    assign quiet            = !reg_valid && !ack_reg && events == {EVENTS{1'b0}};
    assign enable           = enable_reg;
    assign retrain          = store && reg_address == `TOFU_LINK_CONTROL && reg_wdata[`TOFU_LINK_CONTROL_RETRAIN];
    assign identity_written = store && ((reg_address == `TOFU_LINK_NODE && reg_wdata != node_reg)
                                        || (reg_address == `TOFU_LINK_EPOCH && reg_wdata[15:0] != epoch_reg));
    assign timeout_written  = timeout_written_reg;
    assign node             = node_reg;
    assign epoch            = epoch_reg;
    assign ack_timeout      = ack_timeout_reg;
    assign retry_limit      = retry_limit_reg;
    assign retrain_limit    = retrain_limit_reg;
    assign train_timeout    = train_timeout_reg;
    assign inject           = inject_reg;
    assign inject_table     = inject_table_reg;
    assign inject_bit       = inject_bit_reg;
    assign inject_state     = store && reg_address == `TOFU_LINK_INJECT && reg_wdata[`TOFU_LINK_INJECT_STATE];
    assign inject_number    = store && reg_address == `TOFU_LINK_INJECT
                              ? 7'd1 << (reg_wdata[`TOFU_LINK_INJECT_NUMBER] - 3'd1) : 7'd0;
    assign attention        = sticky_reg != 13'd0;
    assign fault            = sticky_reg[`TOFU_LINK_ERROR_RING] || sticky_reg[`TOFU_LINK_ERROR_PARITY]
                              || sticky_reg[`TOFU_LINK_ERROR_MONITOR];

    tofu_link_reads u_reads (
        .address(reg_address), .control_enable(enable_reg), .status(status), .error(sticky_reg), .node(node_reg),
        .epoch_epoch(epoch_reg), .ack_timeout_cycles(ack_timeout_reg), .retry_limit_count(retry_limit_reg),
        .retrain_limit_count(retrain_limit_reg), .train_timeout_cycles(train_timeout_reg),
        .inject_ring(inject_reg), .inject_table(inject_table_reg), .inject_bit(inject_bit_reg),
        .peer_port(peer_port), .peer_node(peer_node), .peer_epoch_epoch(peer_epoch),
        .tx_checksum(tx_checksum), .rx_checksum(rx_checksum),
        .room({room[27:21], 1'b0, room[20:14], 1'b0, room[13:7], 1'b0, room[6:0]}),
        .stored(count_reg[32*index +: 32]),
        .value(value), .known(known), .writable(is_writable));

    // and takes this, now
    always @* begin
        case (reg_address)
            `TOFU_LINK_NODE:          fits = down;
            `TOFU_LINK_EPOCH:         fits = down && (reg_wdata & ~`TOFU_LINK_EPOCH_MAX) == 32'd0;
            `TOFU_LINK_ACK_TIMEOUT:   fits = (reg_wdata & ~`TOFU_LINK_ACK_TIMEOUT_MAX) == 32'd0;
            `TOFU_LINK_RETRY_LIMIT:   fits = reg_wdata <= `TOFU_LINK_RETRY_LIMIT_MAX;
            `TOFU_LINK_RETRAIN_LIMIT: fits = reg_wdata <= `TOFU_LINK_RETRAIN_LIMIT_MAX;
            `TOFU_LINK_TRAIN_TIMEOUT: fits = (reg_wdata & ~`TOFU_LINK_TRAIN_TIMEOUT_MAX) == 32'd0;
            `TOFU_LINK_INJECT:        fits = (reg_wdata & ~`TOFU_LINK_INJECT_MAX) == 32'd0
                                             && reg_wdata[`TOFU_LINK_INJECT_RING] != 2'd3
                                             && reg_wdata[`TOFU_LINK_INJECT_TABLE] != 2'd3;
            default:                  fits = 1'b1;
        endcase
    end

    always @(posedge clk) begin
        ack_reg   <= serve;
        error_reg <= serve && !(reg_write ? writable : known);
        rdata_reg <= serve && !reg_write ? value : 32'd0;
        timeout_written_reg <= store && (reg_address == `TOFU_LINK_ACK_TIMEOUT ||
                                         reg_address == `TOFU_LINK_TRAIN_TIMEOUT);
        if (injected) begin
            inject_reg <= 2'd0;
        end
        if (injected_table) begin
            inject_table_reg <= 2'd0;
        end
        if (store) begin
            case (reg_address)
                `TOFU_LINK_CONTROL:       enable_reg        <= reg_wdata[`TOFU_LINK_CONTROL_ENABLE];
                `TOFU_LINK_NODE:          node_reg          <= reg_wdata;
                `TOFU_LINK_EPOCH:         epoch_reg         <= reg_wdata[`TOFU_LINK_EPOCH_EPOCH];
                `TOFU_LINK_ACK_TIMEOUT:   ack_timeout_reg   <= reg_wdata[`TOFU_LINK_ACK_TIMEOUT_CYCLES];
                `TOFU_LINK_RETRY_LIMIT:   retry_limit_reg   <= reg_wdata[`TOFU_LINK_RETRY_LIMIT_COUNT];
                `TOFU_LINK_RETRAIN_LIMIT: retrain_limit_reg <= reg_wdata[`TOFU_LINK_RETRAIN_LIMIT_COUNT];
                `TOFU_LINK_TRAIN_TIMEOUT: train_timeout_reg <= reg_wdata[`TOFU_LINK_TRAIN_TIMEOUT_CYCLES];
                `TOFU_LINK_INJECT: begin
                    inject_reg       <= reg_wdata[`TOFU_LINK_INJECT_RING];
                    inject_table_reg <= reg_wdata[`TOFU_LINK_INJECT_TABLE];
                    inject_bit_reg   <= reg_wdata[`TOFU_LINK_INJECT_BIT];
                end
                default: ;
            endcase
        end
        if (disable_link) begin
            enable_reg <= 1'b0;
        end
        sticky_reg <= ((store && reg_address == `TOFU_LINK_ERROR) ? sticky_reg & ~reg_wdata[12:0] : sticky_reg) |
                      errors;

        for (i = 0; i < EVENTS; i = i + 1) begin
            if (i == FLUSHED) begin
                if (flush) begin
                    count_reg[32*i +: 32] <= count_reg[32*i +: 32] + {24'd0, flushed};
                end
            end else if (events[i]) begin
                count_reg[32*i +: 32] <= count_reg[32*i +: 32] + 32'd1;
            end
        end
        if (rst || (store && reg_address == `TOFU_LINK_CONTROL && reg_wdata[`TOFU_LINK_CONTROL_CLEAR_COUNTERS])) begin
            count_reg <= {32*EVENTS{1'b0}};
        end
        if (rst) begin
            ack_reg           <= 1'b0;
            error_reg         <= 1'b0;
            enable_reg        <= `TOFU_LINK_CONTROL_ENABLE_RESET;
            sticky_reg        <= 13'd0;
            node_reg          <= `TOFU_LINK_NODE_RESET;
            epoch_reg         <= `TOFU_LINK_EPOCH_EPOCH_RESET;
            ack_timeout_reg   <= `TOFU_LINK_ACK_TIMEOUT_CYCLES_RESET;
            retry_limit_reg   <= `TOFU_LINK_RETRY_LIMIT_COUNT_RESET;
            retrain_limit_reg <= `TOFU_LINK_RETRAIN_LIMIT_COUNT_RESET;
            train_timeout_reg <= `TOFU_LINK_TRAIN_TIMEOUT_CYCLES_RESET;
            inject_reg        <= `TOFU_LINK_INJECT_RING_RESET;
            inject_table_reg  <= `TOFU_LINK_INJECT_TABLE_RESET;
            inject_bit_reg    <= `TOFU_LINK_INJECT_BIT_RESET;
        end
    end
endmodule
`default_nettype wire
