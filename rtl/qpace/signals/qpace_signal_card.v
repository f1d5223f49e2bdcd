// SPDX-License-Identifier: Apache-2.0
// The logic of the global signal tree on a root or superroot card ([QPACE2009] section 4): 16 ports to node cards, or
// to cards of the level below, and two combining nodes, so that nodes of two partitions may sit on one card. Which port
// belongs to which partition (group) is set by the card's controller while the ports concerned are idle.
//
//   port 0..15 --filter--+--> qpace_signal_tree, group 0 --> up[1:0] --> a port of the card above
//                        +--> qpace_signal_tree, group 1 --> up[3:2] --> another port of it
//
// Latency, wire to wire: filter + 1 up, filter + 1 down, turning round at the root filter + 2.
`default_nettype none
module qpace_signal_card #(
    parameter PORTS = 16,
    parameter [3:0] HOLD = 4'd8           // see qpace_signal_filter
) (
    input  wire               clk,
    input  wire               rst,

    // configuration
    input  wire [PORTS-1:0]   group_0,    // ports of group 0, of group 1; a port in neither is off
    input  wire [PORTS-1:0]   group_1,
    input  wire [1:0]         root,       // the group has no card above

    // wires, two bits each
    input  wire [2*PORTS-1:0] port_in,
    output wire [2*PORTS-1:0] port_out,
    output wire [3:0]         up_out,     // group 0, group 1
    input  wire [3:0]         up_in,

    output wire [1:0]         fault,      // a port of the group broke the order
    output wire               obs_idle    // with inputs that stand still nothing will change
);
    wire [2*PORTS-1:0] child;
    wire [3:0]         parent;
    wire [3:0]         down;
    wire [PORTS+1:0]   quiet;
    wire [1:0]         settled;

    genvar i;
    generate
        for (i = 0; i < PORTS; i = i + 1) begin : g_port
            qpace_signal_filter #(.HOLD(HOLD)) u_filter (
                .clk(clk), .rst(rst), .wires(port_in[2*i +: 2]), .state(child[2*i +: 2]), .quiet(quiet[i])
            );
            assign port_out[2*i +: 2] = group_0[i] ? down[1:0] : group_1[i] ? down[3:2] : 2'd0;
        end
        for (i = 0; i < 2; i = i + 1) begin : g_group
            qpace_signal_filter #(.HOLD(HOLD)) u_filter (
                .clk(clk), .rst(rst), .wires(up_in[2*i +: 2]), .state(parent[2*i +: 2]), .quiet(quiet[PORTS+i])
            );
            qpace_signal_tree #(.CHILDREN(PORTS)) u_tree (
                .clk(clk), .rst(rst), .enable(i == 0 ? group_0 : group_1), .root(root[i]),
                .child(child), .up(up_out[2*i +: 2]), .parent(parent[2*i +: 2]), .down(down[2*i +: 2]),
                .fault(fault[i]), .quiet(settled[i])
            );
        end
    endgenerate

    assign obs_idle = quiet == {PORTS+2{1'b1}} && settled == 2'b11;
endmodule
`default_nettype wire
