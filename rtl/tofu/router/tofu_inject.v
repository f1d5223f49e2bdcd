// SPDX-License-Identifier: Apache-2.0
// An interface's two streams into the router's one, requests and responses, whole packets in turn. A packet begins only
// when its class has room for a longest one, so that a request that waits never stands before a response.
// Combinational.
`default_nettype none
`include "tofu_wire.vh"
module tofu_inject (
    input  wire         clk,
    input  wire         rst,
    input  wire         halt,
    input  wire [1:0]   room,            // for a longest packet, {response, request}

    input  wire [1:0]   inj_valid,       // two streams
    input  wire [295:0] inj_beat,
    output wire [1:0]   inj_ready,

    output wire         valid,
    output wire [147:0] beat
);
    reg          begun_reg;              // a packet is under way
    reg          stream_reg;             // of this stream, or it was the last one served

    // What goes to barrier gates is a response whatever it says (tofu_input).
    wire [147:0] other    = inj_beat[295:148];
    wire [1:0]   to_gates = {other[`TOFU_HEADER_INTERFACE] == `TOFU_INTERFACE_BARRIER ||
                             other[`TOFU_HEADER_MORE_BARRIERS],
                             inj_beat[`TOFU_HEADER_INTERFACE] == `TOFU_INTERFACE_BARRIER ||
                             inj_beat[`TOFU_HEADER_MORE_BARRIERS]};
    wire [1:0]   response = {other[`TOFU_HEADER_RESPONSE], inj_beat[`TOFU_HEADER_RESPONSE]} | to_gates;
    wire [1:0]   able     = inj_valid & {response[1] ? room[1] : room[0], response[0] ? room[1] : room[0]};
    wire         stream   = begun_reg ? stream_reg : able[!stream_reg] ? !stream_reg : stream_reg;
    wire         takes    = !halt && (begun_reg || able[stream]);

    assign inj_ready = {takes && stream, takes && !stream};
    assign valid     = takes && inj_valid[stream];
    assign beat      = stream ? other : inj_beat[147:0];

    always @(posedge clk) begin
        if (valid) begin
            begun_reg  <= !beat[`TOFU_BEAT_LAST];
            stream_reg <= stream;
        end
        if (rst) begin
            begun_reg  <= 1'b0;
            stream_reg <= 1'b0;
        end
    end
endmodule
`default_nettype wire
