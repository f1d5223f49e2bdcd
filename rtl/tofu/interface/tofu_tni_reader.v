// SPDX-License-Identifier: Apache-2.0
// The read port of a network interface, in turn among its five readers: 0 commands, 1 stream of requests, 2 stream of
// answers, 3 translation, 4 atomics. Memory answers in order; a queue of reader numbers says whose an answer is. At
// most 32 reads are outstanding. No cycle of delay either way.
`default_nettype none
module tofu_tni_reader (
    input  wire         clk,
    input  wire         rst,
    input  wire         blocked,         // a fault was found: nothing leaves

    input  wire [4:0]   valid,
    output wire [4:0]   ready,
    input  wire [179:0] address,         // 36 bits a reader, units of 16 bytes
    output wire [4:0]   rvalid,          // rd_data is this reader's

    output wire         rd_valid,
    input  wire         rd_ready,
    output reg  [35:0]  rd_address,
    input  wire         rd_rvalid,

    input  wire         mark,            // pulse: reads asked for by now
    output wire         marked,          // are not all answered

    output reg          fault,           // pulse: an answer nobody asked for, a reader that cannot be
    output wire         obs_idle
);
    reg          held_reg;               // a request waits: it stays
    reg  [4:0]   held_choice_reg;
    reg  [5:0]   asked_reg, answered_reg;
    reg  [5:0]   marked_reg;             // of those that were marked
    wire [5:0]   outstanding = asked_reg - answered_reg;
    wire [4:0]   grant;
    wire [4:0]   choice = held_reg ? held_choice_reg : grant;
    wire [3:0]   owner;                  // {parity, reader}
    reg  [2:0]   reader;
    integer      i;

    arbiter_round_robin #(.WIDTH(5)) u_turn (
        .clk(clk), .rst(rst), .request(valid), .take(rd_valid && !held_reg), .grant(grant));

    always @* begin
        i          = 0;
        rd_address = 36'd0;
        reader     = 3'd0;
        for (i = 0; i < 5; i = i + 1) begin
            if (choice[i]) begin
                rd_address = rd_address | address[36*i +: 36];
                reader     = reader | i[2:0];
            end
        end
    end

    assign marked   = marked_reg != 6'd0;
    assign rd_valid = choice != 5'd0 && !outstanding[5] && !blocked;
    assign ready    = rd_valid && rd_ready ? choice : 5'd0;
    assign obs_idle = valid == 5'd0 && outstanding == 6'd0 && !fault;

    ram_small #(.WIDTH(4), .ADDRESS_BITS(5)) u_queue (
        .clk(clk), .wr_en(rd_valid && rd_ready), .wr_address(asked_reg[4:0]), .wr_data({^reader, reader}),
        .rd_address(answered_reg[4:0]), .rd_data(owner));

    wire         right = outstanding != 6'd0 && !(^owner) && owner[2:0] < 3'd5;
    assign rvalid = rd_rvalid && right ? 5'd1 << owner[2:0] : 5'd0;

    always @(posedge clk) begin
        held_reg        <= rd_valid && !rd_ready;
        held_choice_reg <= choice;
        if (rd_valid && rd_ready)
            asked_reg <= asked_reg + 6'd1;
        if (rd_rvalid)
            answered_reg <= answered_reg + 6'd1;
        if (mark)
            marked_reg <= outstanding - {5'd0, rd_rvalid};
        else if (rd_rvalid && marked)
            marked_reg <= marked_reg - 6'd1;
        fault <= (rd_rvalid && !right) || outstanding > 6'd32 || (choice & (choice - 5'd1)) != 5'd0;
        if (rst) begin
            held_reg     <= 1'b0;
            asked_reg    <= 6'd0;
            answered_reg <= 6'd0;
            marked_reg   <= 6'd0;
            fault        <= 1'b0;
        end
    end
endmodule
`default_nettype wire
