// SPDX-License-Identifier: Apache-2.0
// Who the peer of a QPACE link is, for link_training: takes hellos apart. Word 1 of one, node and epoch, is compared,
// or recorded if nobody is known, as it passes; the port, in word 0, when the hello turned out good.
`default_nettype none
`include "qpace_wire.vh"
module qpace_link_peer (
    input  wire        link_clk,
    input  wire        link_rst,

    input  wire        identity_valid,   // parser: `word` is word 1 of a hello
    input  wire [31:0] word,
    input  wire [31:8] header,           // with a good hello

    output wire        version_ok,       // link_training
    output wire        from_peer,
    output wire [11:0] hello_in,
    input  wire        peer_known,
    input  wire        meet,

    output wire [15:0] node,
    output wire [2:0]  port,
    output wire [15:0] epoch
);
    reg         differs_reg;       // the hello on its way in is another's
    reg         learned_reg;       // its identity is in peer_reg
    reg         same_port_reg;     // the frame on its way in has its port, if it is a hello
    reg         version_reg;       // and our version
    reg         from_peer_reg;     // stands still long before a hello is good
    reg  [63:32] peer_reg;         // word 1 of its hello
    reg  [2:0]  port_reg;

    assign version_ok    = version_reg;
    assign from_peer     = from_peer_reg;
    assign hello_in      = {header[`QPACE_HELLO_TRAIN_ID], header[`QPACE_HELLO_ECHO_TRAIN_ID],
                            header[`QPACE_HELLO_UP], header[`QPACE_HELLO_HEARD], header[`QPACE_HELLO_SESSION],
                            header[`QPACE_HELLO_USED]};
    assign node          = peer_reg[`QPACE_HELLO_NODE];
    assign epoch         = peer_reg[`QPACE_HELLO_EPOCH];
    assign port          = port_reg;

    always @(posedge link_clk) begin
        // header stands still since a hello's second word
        version_reg   <= header[`QPACE_HELLO_VERSION] == `QPACE_WIRE_VERSION;
        from_peer_reg <= peer_known ? !differs_reg && same_port_reg : learned_reg;
        same_port_reg <= header[`QPACE_HELLO_PORT] == port_reg;
        if (identity_valid) begin
            differs_reg <= word != peer_reg;
            learned_reg <= !peer_known;
            if (!peer_known) begin
                peer_reg <= word;
            end
        end
        if (meet) begin
            port_reg <= header[`QPACE_HELLO_PORT];
        end

        if (link_rst) begin
            peer_reg <= 32'd0;
            port_reg <= 3'd0;
        end
    end

    wire unused = &{1'b0, header[19]};   // no field
endmodule
`default_nettype wire
