// SPDX-License-Identifier: Apache-2.0
// Register bus of a node, in the style of the Device Control Register bus of seed 004 section 5:
// decodes requests to the node's own registers, the credit engine and the six links, and collects
// the sticky errors. The map is nwp_registers.toml.
//
// Protocol: dcr_req and the request are held until dcr_ack, a pulse, which brings dcr_rdata and
// dcr_error. Latency from request to ack: 1 cycle for own registers, 5 or less for channels,
// a round trip through two clock crossings for link registers. A refused request changes
// nothing but ERROR, ERROR_COUNT and, if ERROR was clear, ERROR_INFO and ERROR_FIRST.
`default_nettype none
`include "qpace_nwp_regs.vh"
module qpace_dcr #(
    parameter [31:0] VERSION = 32'd0
) (
    input  wire         clk,
    input  wire         rst,

    // the bus
    input  wire         dcr_req,
    input  wire         dcr_write,
    input  wire [11:0]  dcr_addr,
    input  wire [31:0]  dcr_wdata,
    output reg          dcr_ack,
    output reg  [31:0]  dcr_rdata,
    output reg          dcr_error,

    // credit engine: request held until ack
    output wire         credit_req,
    input  wire         credit_ack,
    input  wire [31:0]  credit_rdata,
    input  wire         credit_full,
    input  wire         credit_size,
    input  wire         credit_no_base,

    // links: req is a pulse; address and data come from the bus, which holds them
    output reg  [5:0]   link_req,
    input  wire [5:0]   link_ack,
    input  wire [191:0] link_rdata,       // 32 bits a link
    input  wire [5:0]   link_err,
    input  wire [5:0]   link_up,
    input  wire [5:0]   link_attention,

    // errors of the posted-write port in
    input  wire         pw_error,
    input  wire         pw_unaligned,
    input  wire         pw_bad_link,
    input  wire         pw_bad_address,
    input  wire         pw_short,
    input  wire         pw_long,
    input  wire [31:0]  pw_info,

    output reg          notify_enable,
    output reg  [31:0]  notify_base,
    output wire         irq,
    output wire         obs_idle
);
    localparam [1:0]
        IDLE   = 2'd0,
        CREDIT = 2'd1,    // the credit engine works on it
        LINK   = 2'd2;    // a link works on it

    reg  [1:0]  state;
    reg  [31:0] scratch;
    reg  [31:0] error, error_kept;        // less what is cleared now
    reg  [31:0] error_info;
    reg  [31:0] error_first;
    reg  [15:0] error_count;

    // decode
    wire        start      = state == IDLE && dcr_req && !dcr_ack;
    wire        is_channel = dcr_addr[11:8] == 4'h1 && dcr_addr[7:5] < 3'd6;
    wire        is_link    = dcr_addr[11:9] == 3'b010 && dcr_addr[8:6] < 3'd6;
    wire        channel_ro = dcr_addr[1:0] == 2'd3;
    wire [2:0]  link       = dcr_addr[8:6];

    // own registers: the first sixteen words
    reg         own;                      // exists
    reg         own_ro;                   // must not be written
    reg  [31:0] own_rdata;
    wire [3:0]  word = dcr_addr[3:0];

    always @* begin
        own       = dcr_addr[11:4] == 8'd0;
        own_ro    = 1'b0;
        own_rdata = 32'd0;
        case ({8'd0, word})
            `QPACE_NWP_ID: begin
                own_rdata = `QPACE_NWP_ID_RESET;
                own_ro    = 1'b1;
            end
            `QPACE_NWP_VERSION: begin
                own_rdata = VERSION;
                own_ro    = 1'b1;
            end
            `QPACE_NWP_ERROR:
                own_rdata = error;
            `QPACE_NWP_ERROR_INFO: begin
                own_rdata = error_info;
                own_ro    = 1'b1;
            end
            `QPACE_NWP_ERROR_FIRST: begin
                own_rdata = error_first;
                own_ro    = 1'b1;
            end
            `QPACE_NWP_ERROR_COUNT: begin
                own_rdata[`QPACE_NWP_ERROR_COUNT_REFUSED] = error_count;
                own_ro    = 1'b1;
            end
            `QPACE_NWP_NOTIFY_BASE:
                own_rdata = notify_base;
            `QPACE_NWP_NOTIFY_CONTROL:
                own_rdata[`QPACE_NWP_NOTIFY_CONTROL_ENABLE] = notify_enable;
            `QPACE_NWP_LINK_STATUS: begin
                own_rdata[`QPACE_NWP_LINK_STATUS_UP]        = link_up;
                own_rdata[`QPACE_NWP_LINK_STATUS_ATTENTION] = link_attention;
                own_ro    = 1'b1;
            end
            `QPACE_NWP_SCRATCH:
                own_rdata = scratch;
            default:
                own = 1'b0;
        endcase
    end

    reg  [31:0] selected_rdata;

    always @*
        case (link)
            3'd0:    selected_rdata = link_rdata[31:0];
            3'd1:    selected_rdata = link_rdata[63:32];
            3'd2:    selected_rdata = link_rdata[95:64];
            3'd3:    selected_rdata = link_rdata[127:96];
            3'd4:    selected_rdata = link_rdata[159:128];
            default: selected_rdata = link_rdata[191:160];
        endcase

    // what a request ends with
    reg         done;
    reg  [31:0] done_rdata;
    reg  [31:0] refused;                  // causes, as in ERROR
    wire        linked     = (link_ack & (6'd1 << link)) != 6'd0;
    wire        link_error = (link_err & (6'd1 << link)) != 6'd0;

    assign credit_req = state == CREDIT;

    always @* begin
        done    = 1'b0;
        refused = 32'd0;
        case (state)
            CREDIT: begin
                done       = credit_ack;
                done_rdata = credit_rdata;
                refused[`QPACE_NWP_ERROR_CREDIT_FULL]    = credit_ack && credit_full;
                refused[`QPACE_NWP_ERROR_CREDIT_SIZE]    = credit_ack && credit_size;
                refused[`QPACE_NWP_ERROR_CREDIT_NO_BASE] = credit_ack && credit_no_base;
            end
            LINK: begin
                done       = linked;
                done_rdata = selected_rdata;
                refused[`QPACE_NWP_ERROR_REGISTER_LINK] = linked && link_error;
            end
            default: begin
                done       = start && !is_link && !(is_channel && !(dcr_write && channel_ro));
                done_rdata = own_rdata;
                refused[`QPACE_NWP_ERROR_REGISTER_UNKNOWN]   = done && !own && !is_channel;
                refused[`QPACE_NWP_ERROR_REGISTER_READ_ONLY] = done && dcr_write && (is_channel || (own && own_ro));
            end
        endcase
    end

    // sticky errors
    wire        dcr_refused = refused != 32'd0;
    wire        own_write   = done && !dcr_refused && dcr_write && state == IDLE;
    reg  [31:0] pw_causes;

    always @* begin
        pw_causes = 32'd0;
        pw_causes[`QPACE_NWP_ERROR_WRITE_UNALIGNED]   = pw_error && pw_unaligned;
        pw_causes[`QPACE_NWP_ERROR_WRITE_BAD_LINK]    = pw_error && pw_bad_link;
        pw_causes[`QPACE_NWP_ERROR_WRITE_BAD_ADDRESS] = pw_error && pw_bad_address;
        pw_causes[`QPACE_NWP_ERROR_WRITE_SHORT]       = pw_error && pw_short;
        pw_causes[`QPACE_NWP_ERROR_WRITE_LONG]        = pw_error && pw_long;
        error_kept = error;
        if (own_write && {8'd0, word} == `QPACE_NWP_ERROR)
            error_kept = error & ~dcr_wdata;
    end

    assign irq      = error != 32'd0 || link_attention != 6'd0;
    assign obs_idle = state == IDLE && !dcr_ack && link_req == 6'd0;

    always @(posedge clk) begin
        dcr_ack <= done;
        if (done) begin
            dcr_rdata <= done_rdata;
            dcr_error <= dcr_refused;
        end
        if (done && (dcr_write || dcr_refused))
            dcr_rdata <= 32'd0;

        link_req <= 6'd0;
        case (state)
            IDLE:
                if (start && is_channel && !done)
                    state <= CREDIT;
                else if (start && is_link) begin
                    state    <= LINK;
                    link_req <= 6'd1 << link;
                end
            default:
                if (done)
                    state <= IDLE;
        endcase

        if (own_write)
            case ({8'd0, word})
                `QPACE_NWP_NOTIFY_BASE: begin
                    notify_base   <= dcr_wdata;
                    notify_enable <= 1'b1;
                end
                `QPACE_NWP_NOTIFY_CONTROL:
                    notify_enable <= dcr_wdata[`QPACE_NWP_NOTIFY_CONTROL_ENABLE];
                `QPACE_NWP_SCRATCH:
                    scratch <= dcr_wdata;
                default: ;
            endcase

        error <= error_kept | refused | pw_causes;
        if (dcr_refused || pw_error) begin
            error_count <= error_count + {14'd0, dcr_refused && pw_error, dcr_refused != pw_error};
            if (error_kept == 32'd0) begin
                error_first <= dcr_refused ? refused : pw_causes;
                error_info  <= dcr_refused ? {20'd0, dcr_addr} : pw_info;
            end
        end

        if (rst) begin
            state         <= IDLE;
            dcr_ack       <= 1'b0;
            link_req      <= 6'd0;
            scratch       <= 32'd0;
            error         <= 32'd0;
            error_info    <= 32'd0;
            error_first   <= 32'd0;
            error_count   <= 16'd0;
            notify_base   <= 32'd0;
            notify_enable <= 1'b0;
        end
    end
endmodule
`default_nettype wire
