// SPDX-License-Identifier: Apache-2.0
// Whether a bundle carries words: local fault, remote fault, up; and what the link receives of the decoded columns.
//
//   local fault    a lane is not synchronised, is not the expected one, or the lanes are not beside one another: the
//                  link receives ERROR in all bytes, and the peer FAULT
//   remote fault   four columns of FAULT in a row: the peer receives nothing; until eight columns without: the link
//                  receives idle words
//   up             neither, and no training was seen in 96 columns; until then idle words
//
// Latency: 1 word.
`default_nettype none
`include "lane_wire.vh"
module lane_state #(
    parameter BYTES = 4,
    parameter LANES = 1
) (
    input  wire               clk,
    input  wire               rst,
    input  wire               en,             // a column, or the time of one
    input  wire               ready,          // the lanes deliver columns
    input  wire               in_set,        // it is COMMA or SKIP of a set
    input  wire [8*BYTES-1:0] data,
    input  wire [BYTES-1:0]   control,
    input  wire [BYTES-1:0]   bad,
    output wire               local_fault,
    output wire               remote_fault,
    output wire               up,
    output wire [8*BYTES-1:0] out_data,
    output wire [BYTES-1:0]   out_control
);
    reg  [6:0]         quiet_reg;       // columns without training
    reg  [2:0]         fault_reg;       // columns in a row that say otherwise than remote_reg
    reg                remote_reg, up_reg, set_reg, local_reg;   // set_reg: the column before was of a set
    reg  [8*BYTES-1:0] data_reg;
    reg  [BYTES-1:0]   control_reg;

    wire [LANES-1:0]   is_fault, is_identify;
    wire               fault    = ready && (&is_fault);
    // A set's SKIP may have been left out: IDENTIFY stands behind its COMMA then.
    wire               training = ready && set_reg && (&is_identify);
    wire [8*BYTES-1:0] port_data;
    wire [BYTES-1:0]   port_control;
    wire               pass     = ready && up_reg && !training && !remote_reg;

    genvar i;
    generate
        for (i = 0; i < LANES; i = i + 1) begin : gen_lane
            wire [8:0] character = {control[i] && !bad[i], data[8*i +: 8]};
            assign is_fault[i]    = character == {1'b1, `LANE_FAULT};
            assign is_identify[i] = character == {1'b1, `LANE_IDENTIFY};
        end
        for (i = 0; i < BYTES; i = i + 1) begin : gen_byte
            lane_map #(.RECEIVE(1)) u_map (
                .in_data(data[8*i +: 8]), .in_control(control[i]), .in_error(bad[i]),
                .out_data(port_data[8*i +: 8]), .out_control(port_control[i])
            );
        end
    endgenerate

    assign local_fault  = local_reg;
    assign remote_fault = remote_reg;
    assign up           = up_reg;
    assign out_data     = data_reg;
    assign out_control  = control_reg;

    always @(posedge clk) begin
        if (en) begin
            set_reg   <= in_set;
            local_reg <= !ready;
            if (fault == remote_reg) begin
                fault_reg <= 3'd0;
            end else begin
                fault_reg <= fault_reg + 3'd1;
                if (fault ? fault_reg == 3'd3 : fault_reg == 3'd7) begin
                    remote_reg <= fault;
                    fault_reg  <= 3'd0;
                end
            end
            if (!ready || fault || training) begin
                quiet_reg <= 7'd0;
            end else if (!up_reg) begin
                quiet_reg <= quiet_reg + 7'd1;
            end
            up_reg <= ready && !remote_reg && !training && (up_reg || quiet_reg == 7'd96);

            data_reg    <= {BYTES{`LANE_PORT_IDLE}};
            control_reg <= {BYTES{1'b1}};
            if (!ready) begin
                data_reg <= {BYTES{`LANE_PORT_ERROR}};
            end else if (pass && !in_set) begin
                data_reg    <= port_data;
                control_reg <= port_control;
            end
        end
        if (rst) begin
            data_reg    <= {BYTES{`LANE_PORT_ERROR}};
            control_reg <= {BYTES{1'b1}};
            set_reg     <= 1'b0;
            local_reg   <= 1'b1;
            fault_reg   <= 3'd0;
            remote_reg  <= 1'b0;
            quiet_reg   <= 7'd0;
            up_reg      <= 1'b0;
        end
    end
endmodule
`default_nettype wire
