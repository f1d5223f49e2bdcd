// SPDX-License-Identifier: Apache-2.0
// Who the peer of a Tofu link is, for link_training: takes hellos apart, each one beat.
`default_nettype none
`include "tofu_wire.vh"
module tofu_link_peer (
    input  wire        clk,
    input  wire        rst,

    input  wire [71:0] hello,            // parser: bytes 1 to 9

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

    wire [51:0] sender = {hello[71:24], hello[11:8]};

    assign version_ok          = hello[7:0] == `TOFU_WIRE_VERSION;
    assign from_peer           = !peer_known || sender == peer_reg;
    assign hello_in            = hello[23:12];
    assign {epoch, node, port} = peer_reg;

    always @(posedge clk) begin
        if (meet) begin
            peer_reg <= sender;
        end
        if (rst) begin
            peer_reg <= 52'd0;
        end
    end
endmodule
`default_nettype wire
