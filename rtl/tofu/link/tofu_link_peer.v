// SPDX-License-Identifier: Apache-2.0
// Who the peer of a Tofu link is, for link_training: takes hellos apart, each one beat.
`default_nettype none
`include "tofu_wire.vh"
module tofu_link_peer (
    input  wire        clk,
    input  wire        rst,

    input  wire [127:0] hello,           // parser: a beat

    output wire        version_ok,       // link_training
    output wire        from_peer,
    output wire [11:0] hello_in,
    input  wire        peer_known,
    input  wire        meet,

    output wire [31:0] node,
    output wire [3:0]  port,
    output wire [15:0] epoch
);
    reg  [51:0] peer_reg;

    wire [51:0] sender = {hello[`TOFU_HELLO_EPOCH], hello[`TOFU_HELLO_NODE], hello[`TOFU_HELLO_PORT]};

    assign version_ok          = hello[`TOFU_HELLO_VERSION] == `TOFU_WIRE_VERSION;
    assign from_peer           = !peer_known || sender == peer_reg;
    assign hello_in            = {hello[`TOFU_HELLO_TRAIN_ID], hello[`TOFU_HELLO_ECHO_TRAIN_ID], hello[`TOFU_HELLO_UP],
                                  hello[`TOFU_HELLO_HEARD], hello[`TOFU_HELLO_SESSION], hello[`TOFU_HELLO_USED]};
    assign {epoch, node, port} = peer_reg;

    always @(posedge clk) begin
        if (meet) begin
            peer_reg <= sender;
        end
        if (rst) begin
            peer_reg <= 52'd0;
        end
    end

    wire unused = &{1'b0, hello};   // parser and window read the rest
endmodule
`default_nettype wire
