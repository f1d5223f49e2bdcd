// SPDX-License-Identifier: Apache-2.0
// Checks the next packet while the one before is carried out (tofu_tni_execute): its form, whether its queue takes
// requests, its steering tag, and where its bytes go. Responses always go on; a request is begun only if there is room
// for its answer. Requests and responses take turns.
//
//   cycle     0       1       2 ..    4         5
//             shown   form    tag, as known     act_valid          a second tag look-up where a page ends
//
// Of a put of several packets it is found out first, behind `form`, what is known of it (tofu_tni_open). A get of
// several packets is refused when as many as there is room for are being answered.
`default_nettype none
`include "tofu_wire.vh"
module tofu_tni_check #(
    parameter SLOT_BITS = 2,
    parameter OPEN_BITS = 5,                     // log2 of the messages of several packets that may be open
    parameter GETS_BITS = 5                      // log2 of the gets of several packets that may be answered at once
) (
    input  wire                 clk,
    input  wire                 rst,
    input  wire [18:0]          coordinates,
    input  wire [2:0]           number,
    input  wire                 enable,
    input  wire [5:0]           group,           // of the interface
    input  wire [7:0]           queue_enabled,

    input  wire [1:0]           shown,           // tofu_tni_receive
    output wire                 look,
    input  wire [255:0]         head,
    input  wire [SLOT_BITS-1:0] slot,
    output wire [1:0]           take,
    input  wire                 job_room,

    output wire                 req_valid,       // tofu_tni_translate
    input  wire                 req_ready,
    output wire [17:0]          req_tag,
    output wire [39:0]          req_offset,
    output wire [23:0]          req_length,
    output wire [1:0]           req_right,
    output wire                 req_local,
    output wire [5:0]           req_queue,
    input  wire                 ans_valid,
    input  wire [39:0]          ans_address,
    input  wire [40:0]          ans_left,
    input  wire [3:0]           ans_cause,

    input  wire                 look_busy,       // tofu_tni_messages: it is asked about another
    output wire                 look_valid,
    output wire [7:0]           look_message,    // the command a response is for
    input  wire                 look_known,
    input  wire                 look_late,
    input  wire                 look_orphan,
    input  wire [3:0]           look_kind,
    input  wire [2:0]           look_queue,
    input  wire [17:0]          look_tag,
    input  wire [39:0]          look_offset,
    input  wire [23:0]          look_length,

    output wire                 act_valid,       // judged; stays until act_ready
    input  wire                 act_ready,
    output reg                  act_class,
    output reg  [SLOT_BITS-1:0] act_slot,
    output reg  [255:0]         act_head,
    output reg                  act_drop,        // nothing is to be done
    output reg  [3:0]           act_cause,       // not 0: only to be reported
    output wire                 act_write,       // payload goes to memory:
    output wire [10:0]          act_bytes,
    output reg  [39:0]          act_address,
    output reg  [10:0]          act_first_bytes, // of the first piece
    output reg  [35:0]          act_second,      // word of the second one

    input  wire                 get_ended,       // pulse: a get of several packets is answered
    input  wire                 period,          // pulse: a time limit is over
    output wire                 pending,         // a time limit runs
    output wire                 holds,           // the packet in hand has a place in memory
    input  wire [143:0]         flip_mask,
    output wire                 flipped,
    output wire                 corrected,
    output reg                  error_packet,    // pulses, with act_head
    output reg                  error_response,
    output reg                  strayed,         // pulse: a packet of another group
    output reg                  late,            // pulse: of a command that ended by its time limit, or before a reset
    output reg                  fault,
    output wire                 obs_idle
);
    localparam [7:0] IDLE = 8'd1, FORM = 8'd2, WAIT = 8'd4, MORE = 8'd8, REST = 8'd16, READY = 8'd32, OPEN = 8'd64,
                     JUDGE = 8'd128;
    localparam [3:0] DISABLED = `TOFU_CAUSE_DISABLED, LOST = `TOFU_CAUSE_DATA_LOST, FULL = `TOFU_CAUSE_FULL,
                     GROUP = `TOFU_CAUSE_GROUP;
    reg  [7:0]   state_reg;

    // ---- whose turn -------------------------------------------------------------------------------------------------
    wire [1:0]   able = shown & {1'b1, job_room};
    assign look = able[!act_class] ? !act_class : act_class;
    assign take = state_reg[0] && able[look] ? (look ? 2'd2 : 2'd1) : 2'd0;

    // ---- fields -----------------------------------------------------------------------------------------------------
    wire [3:0]   kind       = act_head[`TOFU_HEADER_KIND];
    wire [6:0]   beats      = act_head[`TOFU_HEADER_BEATS];
    wire [39:0]  offset     = act_head[`TOFU_REMOTE_OFFSET];
    wire [17:0]  tag        = act_head[`TOFU_REMOTE_TAG];
    wire [5:0]   queue      = act_head[`TOFU_REMOTE_QUEUE];
    wire [3:0]   last_bytes = act_head[`TOFU_REMOTE_LAST_BYTES];
    wire         first      = act_head[`TOFU_REMOTE_FIRST];
    wire         last       = act_head[`TOFU_REMOTE_LAST];
    wire         answer     = act_head[`TOFU_REMOTE_ANSWER];
    wire [2:0]   operation;
    wire         wide;
    assign {wide, operation} = act_head[`TOFU_REMOTE_OPERATION];
    wire [23:0]  length     = act_head[`TOFU_REMOTE_LENGTH];
    wire         put        = kind == `TOFU_KIND_PUT;
    wire         get        = kind == `TOFU_KIND_GET;
    wire         data       = kind == `TOFU_KIND_DATA;
    wire         atomic     = kind == `TOFU_KIND_ATOMIC;
    wire         response   = kind == `TOFU_KIND_RESPONSE;
    wire         form_good  = act_head[`TOFU_HEADER_TO] == coordinates &&
                              act_head[`TOFU_HEADER_INTERFACE] == {1'b0, number} + {3'd0, number[2]} &&
                              kind <= `TOFU_KIND_RESPONSE && act_class == (data || response) && beats <= 7'd120 &&
                              (act_class || answer == last) &&
                              !(get && (beats != 7'd0 || !last)) &&
                              !(response && beats > 7'd1) &&
                              !(atomic && (beats != 7'd1 || !last || operation > 3'd5 ||
                                           (wide ? offset[2:0] : {1'b0, offset[1:0]}) != 3'd0));
    wire [10:0]  payload    = {beats, 4'd0} + {7'd0, last_bytes} - 11'd15;
    assign act_bytes = beats == 7'd0 ? 11'd0 : payload;
    wire [40:0]  data_end   = {1'b0, offset} + {30'd0, act_bytes};
    wire         awaited    = look_known &&
                              (response || (look_kind == `TOFU_KIND_GET && data_end <= {17'd0, look_length}));
    // a request of another group: refused; an answer of another: to none of our requests
    wire         strays     = act_head[`TOFU_REMOTE_GROUP] != group && form_good;
    wire         off        = !enable || queue[5:3] != 3'd0 || !queue_enabled[queue[2:0]];

    // ---- puts of several packets, until their last ones ------------------------------------------------------------
    wire         several = put && !(first && last) && form_good && !strays;
    wire         handed  = act_valid && act_ready;
    wire         found_valid, found, room, open_fault, open_idle;
    wire [3:0]   found_cause;
    wire [23:0]  position;
    wire [OPEN_BITS-1:0] unused_index;
    tofu_tni_open #(.INDEX_BITS(OPEN_BITS)) u_open (
        .clk(clk), .rst(rst), .period(period), .find(state_reg[1] && several),
        .message({act_head[`TOFU_REMOTE_NUMBER], act_head[`TOFU_REMOTE_SOURCE_INTERFACE_HIGH],
                  act_head[`TOFU_REMOTE_SOURCE_INTERFACE], act_head[`TOFU_HEADER_FROM]}),
        .found_valid(found_valid), .found(found), .room(room), .index(unused_index), .position(position),
        .cause(found_cause),
        .keep(handed && several && !last && (found || (first && room))), .keep_position(length),
        .keep_cause(act_cause), .close(handed && several && last && found),
        .flip_mask(flip_mask), .flipped(flipped), .corrected(corrected), .fault(open_fault), .pending(pending),
        .obs_idle(open_idle));
    // its bytes must follow those of the packets before: else one of them was lost
    wire [23:0]  begin_at = first ? 24'd0 : position;
    wire         gap      = length != begin_at + {13'd0, act_bytes};
    wire [3:0]   of_put   = several && first && !found && !room       ? FULL :
                            several && !first && !found               ? LOST :
                            several && !first && found_cause != 4'd0  ? found_cause :
                            gap                                       ? LOST :
                            off                                       ? DISABLED : 4'd0;

    // ---- gets of several packets that are being answered -----------------------------------------------------------
    localparam [23:0] PACKET = 24'd1920;
    localparam [GETS_BITS:0] ONE_GET = 1, NO_GET = 0;
    reg  [GETS_BITS:0] gets_reg;
    wire         opens = handed && get && !act_drop && act_cause == 4'd0 && length > PACKET;

    // ---- where in memory --------------------------------------------------------------------------------------------
    wire [23:0]  whole   = get ? length : atomic ? {20'd0, wide, !wide, 2'd0} : {13'd0, act_bytes};
    wire         rest    = state_reg[3];
    wire [39:0]  base    = data ? look_offset + offset : offset;
    wire         bad     = !form_good || (act_class && (!awaited || strays));
    wire         judges  = (state_reg[1] && !several) || state_reg[7];
    wire [3:0]   early   = act_class ? (data && look_orphan ? DISABLED : 4'd0) : strays ? GROUP : put ? of_put :
                           off ? DISABLED :
                           get && length > PACKET && gets_reg[GETS_BITS] ? FULL : 4'd0;
    wire         looks   = !bad && early == 4'd0 && !response && whole != 24'd0;
    wire         short   = ans_left < {30'd0, act_bytes};            // the page ends in the payload
    wire         steps   = !(act_class && look_busy);
    assign req_valid    = (judges && looks && steps) || rest;
    assign req_tag      = data ? look_tag : tag;
    assign req_offset   = rest ? base + {29'd0, act_first_bytes} : base;
    assign req_length   = rest ? {13'd0, act_bytes - act_first_bytes} : whole;
    assign req_right    = atomic ? 2'd2 : get ? 2'd0 : 2'd1;
    assign req_local    = data;
    assign req_queue    = data ? {3'd0, look_queue} : queue;
    assign look_valid   = state_reg[1] && act_class && form_good;
    assign look_message = act_head[`TOFU_REMOTE_NUMBER];

    assign act_valid = state_reg[5];
    assign act_write = !act_drop && act_cause == 4'd0 && (put || data) && act_bytes != 11'd0;
    assign holds     = state_reg[2] || state_reg[3] || state_reg[4] || state_reg[5];
    assign obs_idle  = state_reg[0] && shown == 2'd0 && !error_packet && !error_response && !late && !strayed &&
                       !fault &&
                       open_idle;

    always @(posedge clk) begin
        error_packet   <= 1'b0;
        error_response <= 1'b0;
        late           <= 1'b0;
        strayed        <= 1'b0;
        gets_reg       <= gets_reg + (opens ? ONE_GET : NO_GET) - (get_ended ? ONE_GET : NO_GET);
        fault          <= state_reg == 8'd0 || (state_reg & (state_reg - 8'd1)) != 8'd0 || open_fault ||
                          (get_ended && gets_reg == NO_GET) ||
                          (gets_reg[GETS_BITS] && gets_reg[GETS_BITS-1:0] != NO_GET[GETS_BITS-1:0]);
        case (1'b1)
            state_reg[0]: if (take != 2'd0) begin
                act_class <= look;
                act_slot  <= slot;
                act_head  <= head;
                state_reg <= FORM;
            end
            state_reg[1], state_reg[7]: begin
                act_drop  <= bad;
                act_cause <= early;
                if (!judges) begin
                    state_reg      <= OPEN;
                end else if (steps && (!looks || req_ready)) begin
                    error_packet   <= !form_good;
                    strayed        <= strays;
                    error_response <= form_good && bad && !strays && !look_late;
                    late           <= form_good && bad && !strays && look_late;
                    state_reg      <= looks ? WAIT : READY;
                end
            end
            state_reg[6]: if (found_valid) state_reg <= JUDGE;
            state_reg[2]: if (ans_valid) begin
                act_cause       <= ans_cause;
                act_address     <= ans_address;
                act_first_bytes <= short ? ans_left[10:0] : act_bytes;
                state_reg       <= (put || data) && short && ans_cause == 4'd0 ? MORE : READY;
            end
            state_reg[3]: if (req_ready) state_reg <= REST;
            state_reg[4]: if (ans_valid) begin
                act_cause  <= ans_cause;
                act_second <= ans_address[39:4];
                state_reg  <= READY;
            end
            default: if (act_ready) state_reg <= IDLE;
        endcase
        if (rst) begin
            state_reg      <= IDLE;
            act_class      <= 1'b0;
            error_packet   <= 1'b0;
            error_response <= 1'b0;
            late           <= 1'b0;
            strayed        <= 1'b0;
            gets_reg       <= NO_GET;
            fault          <= 1'b0;
        end
    end

    wire unused = &{1'b0, unused_index};
endmodule
`default_nettype wire
