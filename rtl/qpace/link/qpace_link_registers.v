// SPDX-License-Identifier: Apache-2.0
// Registers of a QPACE link (link_registers.toml): configuration, sticky errors, and the read path. A
// request waits for the counters' memory. Unknown or read-only writes: `reg_error`, no effect; so
// are NODE and EPOCH unless the link is DOWN.
//
// Latency: reg_valid to reg_ack at least 1 cycle; the answer is a register.
`default_nettype none
`include "qpace_link_regs.vh"
module qpace_link_registers (
    input  wire        link_clk,
    input  wire        link_rst,

    // one request at a time: reg_valid is a pulse, the arguments stand still until reg_ack
    input  wire        reg_valid,
    input  wire        reg_write,
    input  wire [5:0]  reg_address,
    input  wire [31:0] reg_wdata,
    output wire        reg_ack,
    output wire [31:0] reg_rdata,
    output wire        reg_error,
    output wire        quiet,

    // configuration
    output wire        enable,
    output wire        retrain,          // pulse
    output wire        clear_counters,   // pulse
    output wire        identity_written, // pulse: a new node or epoch since the cycle before
    output wire [15:0] node,
    output wire [15:0] epoch,
    output wire [15:0] ack_timeout,
    output wire [7:0]  retry_limit,
    output wire [3:0]  retrain_limit,
    output wire [15:0] train_timeout,    // units of 256 cycles
    output wire [15:0] busy_probe,       // units of 256 cycles
    output wire [5:0]  alive_timeout,    // units of 1024 cycles

    // status
    input  wire        disable_link,     // pulse: clears enable
    input  wire [7:0]  errors,           // pulses, as in ERROR
    output wire        attention,
    input  wire [1:0]  state,
    input  wire        held,
    input  wire        heard,
    input  wire        peer_known,
    input  wire        refusing,
    input  wire [5:0]  outstanding,
    input  wire [5:0]  tx_sequence,
    input  wire [5:0]  rx_expected,
    input  wire [15:0] peer_node,
    input  wire [2:0]  peer_port,
    input  wire [15:0] peer_epoch,
    input  wire [31:0] tx_checksum,
    input  wire [31:0] rx_checksum,
    // the counters' memory, which has a copy of the configuration
    output wire        read,
    input  wire        ready,
    output wire [4:0]  index,
    input  wire [31:0] stored,
    output wire        keep,             // a configuration register is written: reg_wdata at index
    output wire        kept              // it was, in the cycle before
);
    reg         waiting_reg;
    reg         ack_reg;
    reg         error_reg;
    reg  [31:0] rdata_reg;
    reg         refused_reg;      // the request is, as things stand
    reg         identity_reg;     // a node or epoch was written, rdata_reg is the one before
    reg         kept_reg;
    reg         enable_reg;
    reg  [7:0]  sticky_reg;
    reg  [15:0] node_reg;
    reg  [15:0] epoch_reg;
    reg  [15:0] ack_timeout_reg;
    reg  [7:0]  retry_limit_reg;
    reg  [3:0]  retrain_limit_reg;
    reg  [15:0] train_timeout_reg;
    reg  [15:0] busy_probe_reg;
    reg  [5:0]  alive_timeout_reg;

    wire        serve      = waiting_reg && ready;
    wire        store      = serve && reg_write && !refused_reg;
    wire        is_down    = state == `QPACE_LINK_STATUS_STATE_DOWN;
    // NODE and EPOCH stay as they are while somebody hears them
    wire        is_identity = reg_address == `QPACE_LINK_NODE || reg_address == `QPACE_LINK_EPOCH;
    wire        known, writable;
    wire [31:0] value;

    assign reg_ack          = ack_reg;
    assign reg_rdata        = rdata_reg;
    assign reg_error        = error_reg;
    assign quiet            = !waiting_reg && !ack_reg;
    assign enable           = enable_reg;
    assign retrain          = store && reg_address == `QPACE_LINK_CONTROL && reg_wdata[`QPACE_LINK_CONTROL_RETRAIN];
    assign clear_counters   = store && reg_address == `QPACE_LINK_CONTROL &&
                              reg_wdata[`QPACE_LINK_CONTROL_CLEAR_COUNTERS];
    assign identity_written = identity_reg && rdata_reg[15:0] != reg_wdata[15:0];
    assign node             = node_reg;
    assign epoch            = epoch_reg;
    assign ack_timeout      = ack_timeout_reg;
    assign retry_limit      = retry_limit_reg;
    assign retrain_limit    = retrain_limit_reg;
    assign train_timeout    = train_timeout_reg;
    assign busy_probe       = busy_probe_reg;
    assign alive_timeout    = alive_timeout_reg;
    assign attention        = sticky_reg != 8'd0;
    assign read             = waiting_reg;
    assign index            = reg_address[4:0];
    assign keep             = store && !reg_address[5] && !reg_address[4] && reg_address[3:0] > 4'd2;
    assign kept             = kept_reg;

    qpace_link_reads u_reads (
        .address(reg_address), .control_enable(enable_reg),
        .status_state(state), .status_held(held), .status_heard(heard), .status_peer_known(peer_known),
        .status_refusing(refusing), .status_outstanding(outstanding), .status_tx_sequence(tx_sequence),
        .status_rx_expected(rx_expected),
        .error(sticky_reg), .stored(stored), .peer_node(peer_node), .peer_port(peer_port),
        .peer_epoch_epoch(peer_epoch), .tx_checksum(tx_checksum), .rx_checksum(rx_checksum),
        .alive_timeout_cycles(alive_timeout_reg),
        .value(value), .known(known), .writable(writable));

    always @(posedge link_clk) begin
        ack_reg      <= 1'b0;
        refused_reg  <= !known || (reg_write && (!writable || (is_identity && !is_down)));
        identity_reg <= store && is_identity;
        kept_reg     <= keep;
        if (reg_valid) begin
            waiting_reg <= 1'b1;
        end else if (serve) begin
            waiting_reg <= 1'b0;
            ack_reg     <= 1'b1;
            error_reg   <= refused_reg;
            rdata_reg   <= value;                   // nobody looks at it if refused
        end
        if (store) begin
            case (reg_address)
                `QPACE_LINK_CONTROL:       enable_reg        <= reg_wdata[`QPACE_LINK_CONTROL_ENABLE];
                `QPACE_LINK_NODE:          node_reg          <= reg_wdata[`QPACE_LINK_NODE_NODE];
                `QPACE_LINK_EPOCH:         epoch_reg         <= reg_wdata[`QPACE_LINK_EPOCH_EPOCH];
                `QPACE_LINK_ACK_TIMEOUT:   ack_timeout_reg   <= reg_wdata[`QPACE_LINK_ACK_TIMEOUT_CYCLES];
                `QPACE_LINK_RETRY_LIMIT:   retry_limit_reg   <= reg_wdata[`QPACE_LINK_RETRY_LIMIT_COUNT];
                `QPACE_LINK_RETRAIN_LIMIT: retrain_limit_reg <= reg_wdata[`QPACE_LINK_RETRAIN_LIMIT_COUNT];
                `QPACE_LINK_TRAIN_TIMEOUT: train_timeout_reg <= reg_wdata[`QPACE_LINK_TRAIN_TIMEOUT_CYCLES];
                `QPACE_LINK_BUSY_PROBE:    busy_probe_reg    <= reg_wdata[`QPACE_LINK_BUSY_PROBE_CYCLES];
                `QPACE_LINK_ALIVE_TIMEOUT: alive_timeout_reg <= reg_wdata[`QPACE_LINK_ALIVE_TIMEOUT_CYCLES];
                default: ;
            endcase
        end
        if (disable_link) begin
            enable_reg <= 1'b0;
        end
        sticky_reg <= ((store && reg_address == `QPACE_LINK_ERROR) ? sticky_reg & ~reg_wdata[7:0] : sticky_reg) |
                      errors;
        if (link_rst) begin
            waiting_reg       <= 1'b0;
            ack_reg           <= 1'b0;
            error_reg         <= 1'b0;
            identity_reg      <= 1'b0;
            kept_reg          <= 1'b0;
            enable_reg        <= `QPACE_LINK_CONTROL_ENABLE_RESET;
            sticky_reg        <= 8'd0;
            node_reg          <= `QPACE_LINK_NODE_NODE_RESET;
            epoch_reg         <= `QPACE_LINK_EPOCH_EPOCH_RESET;
            ack_timeout_reg   <= `QPACE_LINK_ACK_TIMEOUT_CYCLES_RESET;
            retry_limit_reg   <= `QPACE_LINK_RETRY_LIMIT_COUNT_RESET;
            retrain_limit_reg <= `QPACE_LINK_RETRAIN_LIMIT_COUNT_RESET;
            train_timeout_reg <= `QPACE_LINK_TRAIN_TIMEOUT_CYCLES_RESET;
            busy_probe_reg    <= `QPACE_LINK_BUSY_PROBE_CYCLES_RESET;
            alive_timeout_reg <= `QPACE_LINK_ALIVE_TIMEOUT_CYCLES_RESET;
        end
    end

    wire unused = &{1'b0, reg_wdata[31:24]};   // no register is wider
endmodule
`default_nettype wire
