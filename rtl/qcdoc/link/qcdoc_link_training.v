// SPDX-License-Identifier: Apache-2.0
// Training of a QCDOC link: byte alignment, and whether both ends mean the same session. [QCDOC2004] section 2.2,
// says that a known byte sequence is exchanged after reset; what it carries here is ours (rtl/qcdoc/README.md).
//
//          enable                   four good sequences, the peer says
//   DOWN ----------------> TRAIN ----------------------------------------> UP
//    ^  ^  disabled, too    | ^   heard, four of ours said so              |
//    |  |  long, other peer | |                                           |
//    |  +-------------------+ +---- no record for LOST_BYTES, asked to ----+
//    +------ disabled; retrained too often without progress ---------------+
//
//   sequence   F6  28  S  ~S        S, the status: version, session, used, heard, port
//
// `session`: this end was UP since its numbers began at 0. `used`: something was accepted or acknowledged since.
// An end that is `used` does not resume with a peer without `session`: it was reset, and words may be lost.
`default_nettype none
`include "qcdoc_wire.vh"
module qcdoc_link_training #(
    parameter GOOD = 4                   // sequences in a row
) (
    input  wire        clk,
    input  wire        rst,
    input  wire [3:0]  port,

    input  wire        enable,
    input  wire        retrain,          // pulse
    input  wire        new_session,      // pulse, in DOWN: numbers begin at 0
    input  wire [15:0] timeout,          // of training, in units of 256 bytes
    input  wire [3:0]  retrain_limit,

    input  wire        slot,
    input  wire        framing,          // a frame is still on its way out
    output reg  [7:0]  tx_data,
    input  wire        strobe,
    input  wire        aligned,
    input  wire [7:0]  rx_data,
    output wire        hunt,

    input  wire        signal_lost,      // pulse
    input  wire        used,
    input  wire        progress,         // pulse: something new was accepted, or something acknowledged

    output wire        up,
    output wire [1:0]  state,            // 0 DOWN, 1 TRAIN, 2 UP
    output wire        restart,          // pulse with the first cycle of up
    output wire        clear,            // pulse
    output wire [3:0]  peer_port,
    output wire        disable_link,     // pulse: down by itself
    output wire        event_retrain,    // pulses
    output wire        error_timeout,
    output wire        error_retrains,
    output wire        error_peer,
    output wire        error_version,
    input  wire        error_lost        // words are gone: go down, or stay there
);
    localparam [1:0] DOWN = 2'd0, TRAIN = 2'd1, UP = 2'd2;
    localparam [2:0] ENOUGH = GOOD;

    reg  [1:0]  state_reg;
    reg         up_reg;                  // UP one cycle ago
    reg         session_reg;
    reg         broken_reg;              // the break went out
    reg  [1:0]  tx_place_reg, rx_place_reg;
    reg         synced_reg;              // the next byte is at rx_place
    reg  [2:0]  good_reg, said_reg;      // sequences heard, of one version; sequences sent since
    reg  [7:0]  sending_reg;             // S on its way out: it must not change before its complement
    reg  [7:0]  status_reg;              // S as it came
    reg         intact_reg;              // with its complement; believed when the next sequence begins where it should
    reg         peer_version_reg, peer_session_reg, peer_heard_reg, peer_used_reg;
    reg  [3:0]  peer_port_reg;
    reg  [23:0] time_reg;
    reg  [3:0]  retrains_reg;

    wire       in_train = state_reg == TRAIN;
    wire       enough   = good_reg == ENOUGH;
    wire       heard    = enough && peer_version_reg;
    wire [7:0] status;
    wire       intact   = rx_data == ~status_reg;
    wire       version  = status_reg[`QCDOC_STATUS_VERSION] == `QCDOC_WIRE_VERSION;
    // a bit lost inside S and ~S may leave a complement, of something else
    wire       believed = in_train && strobe && synced_reg && rx_place_reg == 2'd1 && rx_data == `QCDOC_TRAIN_SECOND &&
                          intact_reg;
    // one sequence may be a word of a peer that is still up, four in a row may not: a header stands between two words
    wire       reset    = in_train && heard && used && !peer_session_reg;
    wire       same     = version == peer_version_reg;
    wire       expected = rx_place_reg == 2'd0 ? rx_data == `QCDOC_TRAIN_FIRST :
                          rx_place_reg == 2'd1 ? rx_data == `QCDOC_TRAIN_SECOND :
                          rx_place_reg == 2'd2 ? 1'b1 : intact;
    wire       sent     = slot && in_train && tx_place_reg == 2'd3;
    wire       agreed   = heard && peer_heard_reg;    // each end hears the other: the peer may leave now
    wire       ready    = agreed && said_reg == ENOUGH && (session_reg || !peer_used_reg);
    wire       late     = in_train && time_reg[23:8] >= timeout && timeout != 16'd0;
    wire       again    = state_reg == UP && (signal_lost || retrain);
    wire       too_many = again && retrains_reg >= retrain_limit;

    assign status[`QCDOC_STATUS_VERSION] = `QCDOC_WIRE_VERSION;
    assign status[`QCDOC_STATUS_SESSION] = session_reg;
    assign status[`QCDOC_STATUS_USED]    = used;
    assign status[`QCDOC_STATUS_HEARD]   = heard;
    assign status[`QCDOC_STATUS_PORT]    = port;

    assign hunt           = in_train && !synced_reg;
    assign up             = state_reg == UP;
    assign state          = state_reg;
    assign restart        = up && !up_reg;
    assign clear          = new_session && state_reg == DOWN;
    assign peer_port      = peer_port_reg;
    assign error_timeout  = late;
    assign error_retrains = too_many;
    assign error_peer     = reset;
    assign error_version  = believed && enough && !peer_version_reg && !version;
    assign disable_link   = late || too_many || reset || error_lost;
    assign event_retrain  = again && !too_many;

    always @* begin
        case (tx_place_reg)
            2'd0:    tx_data = `QCDOC_TRAIN_FIRST;
            2'd1:    tx_data = `QCDOC_TRAIN_SECOND;
            2'd2:    tx_data = sending_reg;
            default: tx_data = ~sending_reg;
        endcase
        if (state_reg == DOWN)
            tx_data = 8'h00;
        // to the peer, which may be in step, a byte of a sequence or a 00 with a flipped bit would be a header and
        // acknowledge what it did not get; a break is two bits away from every header
        if (!broken_reg)
            tx_data = `QCDOC_BREAK;
    end

    always @(posedge clk) begin
        up_reg <= up;
        if (up)
            broken_reg <= 1'b0;
        else if (slot && !framing)
            broken_reg <= 1'b1;
        if (slot)
            tx_place_reg <= in_train && broken_reg ? tx_place_reg + 2'd1 : 2'd0;
        if (slot && tx_place_reg == 2'd1)
            sending_reg <= status;
        if (sent && heard && sending_reg[`QCDOC_STATUS_HEARD] && said_reg != ENOUGH)
            said_reg <= said_reg + 3'd1;

        if (aligned && strobe && in_train) begin
            synced_reg   <= 1'b1;
            rx_place_reg <= 2'd2;
        end else if (strobe && in_train && synced_reg) begin
            rx_place_reg <= rx_place_reg + 2'd1;
            status_reg   <= rx_place_reg == 2'd2 ? rx_data : status_reg;
            intact_reg   <= rx_place_reg == 2'd3 ? intact : intact_reg && expected;
            if (!expected && !agreed) begin
                synced_reg <= 1'b0;
                good_reg   <= 3'd0;
                said_reg   <= 3'd0;
            end
        end
        if (believed) begin
            good_reg         <= !same ? 3'd1 : enough ? good_reg : good_reg + 3'd1;
            peer_version_reg <= version;
        end
        if (believed && version) begin
            peer_session_reg <= status_reg[`QCDOC_STATUS_SESSION];
            peer_used_reg    <= status_reg[`QCDOC_STATUS_USED];
            peer_heard_reg   <= status_reg[`QCDOC_STATUS_HEARD];
            peer_port_reg    <= status_reg[`QCDOC_STATUS_PORT];
        end

        time_reg <= in_train ? (slot ? time_reg + 24'd1 : time_reg) : 24'd0;
        if (progress)
            retrains_reg <= 4'd0;

        case (state_reg)
            TRAIN:
                if (sent && ready) begin
                    state_reg   <= UP;
                    session_reg <= 1'b1;
                end
            UP:
                if (again) begin
                    state_reg    <= TRAIN;
                    retrains_reg <= retrains_reg + 4'd1;
                end
            default:
                if (enable) begin
                    state_reg    <= TRAIN;
                    retrains_reg <= 4'd0;
                end
        endcase
        if (state_reg != TRAIN || !synced_reg)
            intact_reg <= 1'b0;
        if (state_reg != TRAIN) begin
            synced_reg     <= 1'b0;
            good_reg       <= 3'd0;
            said_reg       <= 3'd0;
            peer_heard_reg <= 1'b0;
        end
        if (disable_link || !enable)
            state_reg <= DOWN;
        if (clear)
            session_reg <= 1'b0;

        if (rst) begin
            state_reg      <= DOWN;
            up_reg         <= 1'b0;
            session_reg    <= 1'b0;
            broken_reg     <= 1'b0;
            tx_place_reg   <= 2'd0;
            rx_place_reg   <= 2'd0;
            synced_reg     <= 1'b0;
            good_reg       <= 3'd0;
            said_reg       <= 3'd0;
            peer_version_reg <= 1'b0;
            peer_session_reg <= 1'b0;
            peer_heard_reg <= 1'b0;
            peer_used_reg  <= 1'b0;
            peer_port_reg  <= 4'd0;
            retrains_reg   <= 4'd0;
        end
    end
endmodule
`default_nettype wire
