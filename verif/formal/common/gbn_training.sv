// SPDX-License-Identifier: Apache-2.0
// One end's part in bringing the link up (rtl/common/link_training.v), as a model: TRAIN and UP with the
// same peer all the time; DOWN is TRAIN that hears nothing. The peer's identity, sessions and flush
// are not modelled (training_*.sv looks at those in the RTL).
`default_nettype none
module gbn_training #(
    parameter ID_BITS = 2                       // bits of a training number
) (
    input  wire               clk,
    input  wire               rst,
    input  wire               fall,             // out of retries, signal lost, software wants it
    input  wire               again,            // time for a hello
    input  wire               hello,            // a good hello came, with
    input  wire               h_up,
    input  wire               h_heard,
    input  wire [ID_BITS-1:0] h_id,
    input  wire [ID_BITS-1:0] h_echo,
    input  wire               sent,             // our hello goes out
    output wire               resume,           // with `hello`: the link is up, go on at its sequence number
    output reg                up,
    output reg                due,              // a hello waits; nothing else may go first
    output reg                heard,
    output reg  [ID_BITS-1:0] id,
    output reg  [ID_BITS-1:0] peer_id
);
    wire answer = hello && up && !h_up && h_heard && h_id == peer_id;
    wire anew   = hello && up && !h_up && !answer;

    assign resume = hello && !up && h_heard && h_echo == id && !fall;

    always @(posedge clk) begin
        if (sent)
            due <= 1'b0;
        if ((!up && again) || resume || answer)
            due <= 1'b1;
        if (!up && hello) begin
            heard   <= 1'b1;
            peer_id <= h_id;
        end
        if (resume)
            up <= 1'b1;
        if (fall || anew) begin
            up    <= 1'b0;
            heard <= 1'b0;
            id    <= id + 1'b1;
        end
        if (rst) begin
            up      <= 1'b0;
            due     <= 1'b0;
            heard   <= 1'b0;
            id      <= {ID_BITS{1'b0}};
            peer_id <= {ID_BITS{1'b0}};
        end
    end
endmodule
`default_nettype wire
