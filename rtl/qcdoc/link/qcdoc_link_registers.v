// SPDX-License-Identifier: Apache-2.0
// Registers of one QCDOC link, its sticky errors, counters and the supervisor word on its way out. Map:
// link_registers.toml. A request is answered in the same cycle, but waits while the counters are not quiet. A new
// session begins when the memory access for this link that is under way is over; until then the link stays DOWN, and
// the register bus does not wait.
`default_nettype none
`include "qcdoc_link_regs.vh"
module qcdoc_link_registers #(
    parameter EVENTS = 11
) (
    input  wire        clk,
    input  wire        rst,

    // register bus; `reg_valid` until `reg_ack`
    input  wire        reg_valid,
    input  wire        reg_write,
    input  wire [4:0]  reg_address,
    input  wire [31:0] reg_wdata,
    output wire        reg_ack,
    output wire [31:0] reg_rdata,
    output wire        unknown,          // with reg_ack: no such register
    output wire        read_only,        // it cannot be written
    output wire        busy,             // no supervisor word now: one was not read yet, or a session is to begin

    // the link
    output wire        enable,
    output wire        retrain,
    output wire        new_session,
    input  wire        dma_busy,         // a memory access for this link is under way
    input  wire [1:0]  state,
    input  wire        held,
    input  wire        outstanding,
    input  wire [3:0]  peer_port,
    input  wire        disable_link,
    input  wire [5:0]  errors,           // {memory, protocol, version, peer, retrains, timeout}
    input  wire [31:0] tx_checksum,
    input  wire [31:0] rx_checksum,
    input  wire [EVENTS-1:0] event_in,
    output reg         sup_valid,
    output reg  [63:0] sup_word,
    input  wire        sup_done,
    input  wire        sup_arrived,
    input  wire [63:0] sup_received,
    output wire        sup_read,

    output wire        attention,        // a sticky error
    output wire        obs_idle
);
    reg  [5:0]  error_reg;
    reg         enable_reg, new_session_reg;

    wire        quiet;
    wire [31:0] count;
    wire        is_count = reg_address >= `QCDOC_LINK_COUNT_SENT && reg_address <= `QCDOC_LINK_COUNT_RETRAIN;
    wire        accepts  = reg_valid && reg_write && reg_ack && !unknown && !read_only;
    wire        control  = accepts && reg_address == `QCDOC_LINK_CONTROL;
    wire        send_low = accepts && reg_address == `QCDOC_LINK_SUPERVISOR_SEND_LOW;
    wire        send     = accepts && reg_address == `QCDOC_LINK_SUPERVISOR_SEND_HIGH;
    wire        known, writable;

    event_counters #(.EVENTS(EVENTS), .INDEX_BITS(4)) counters (
        .clk(clk), .rst(rst), .clear(control && reg_wdata[`QCDOC_LINK_CONTROL_CLEAR_COUNTERS]),
        .event_in(event_in), .read_index(reg_address[3:0]), .read_value(count), .quiet(quiet));

    // nobody hands a word of the old session to the new one; DOWN, the link brings and takes none, so they end
    wire        wants_session = reg_write && reg_address == `QCDOC_LINK_CONTROL &&
                                reg_wdata[`QCDOC_LINK_CONTROL_NEW_SESSION] && state == 2'd0;

    assign reg_ack     = reg_valid && (quiet || !is_count);
    assign unknown     = !known;
    assign read_only   = reg_write && known && !writable;
    assign busy        = (send || send_low) && (sup_valid || new_session_reg);
    assign retrain     = control && reg_wdata[`QCDOC_LINK_CONTROL_RETRAIN];
    assign new_session = new_session_reg && state == 2'd0 && !dma_busy;
    assign enable      = enable_reg && !new_session_reg;
    assign sup_read    = accepts && reg_address == `QCDOC_LINK_SUPERVISOR_READ;
    assign attention   = error_reg != 6'd0;
    // an error that stays changes nothing any more
    assign obs_idle    = quiet && !reg_valid && !new_session_reg && !(disable_link && enable_reg) &&
                         (errors & ~error_reg) == 6'd0;

    qcdoc_link_reads u_reads (
        .address(reg_address), .control_enable(enable_reg), .control_new_session(new_session_reg),
        .status_state(state), .status_held(held), .status_outstanding(outstanding), .status_peer_port(peer_port),
        .status_supervisor_sending(sup_valid), .status_supervisor_arrived(sup_arrived),
        .error(error_reg), .supervisor_send_low(sup_word[31:0]),
        .supervisor_low(sup_received[31:0]), .supervisor_high(sup_received[63:32]),
        .tx_checksum(tx_checksum), .rx_checksum(rx_checksum), .stored(count),
        .value(reg_rdata), .known(known), .writable(writable));

    always @(posedge clk) begin
        error_reg <= (accepts && reg_address == `QCDOC_LINK_ERROR ? error_reg & ~reg_wdata[5:0] : error_reg) | errors;
        if (control)
            enable_reg <= reg_wdata[`QCDOC_LINK_CONTROL_ENABLE];
        if (disable_link)
            enable_reg <= 1'b0;
        if (control && wants_session)
            new_session_reg <= 1'b1;
        else if (new_session)
            new_session_reg <= 1'b0;
        if (send_low && !busy)
            sup_word[31:0] <= reg_wdata;
        if (send && !busy) begin
            sup_word[63:32] <= reg_wdata;
            sup_valid       <= 1'b1;
        end
        if (sup_done || new_session)
            sup_valid <= 1'b0;
        if (rst) begin
            enable_reg     <= `QCDOC_LINK_CONTROL_ENABLE_RESET;
            new_session_reg <= `QCDOC_LINK_CONTROL_NEW_SESSION_RESET;
            error_reg      <= 6'd0;
            sup_valid      <= 1'b0;
            sup_word[31:0] <= `QCDOC_LINK_SUPERVISOR_SEND_LOW_RESET;
        end
    end
endmodule
`default_nettype wire
