// SPDX-License-Identifier: Apache-2.0
// A register bus over a serial line: requests of a few characters, one answer to each. For boards.
//
//   request   'R' address crc16          'W' address data[4] crc16       lowest byte first
//   answer    'A' data[4] crc16          'E' code 0 0 0 crc16
//
// The CRC is CRC-16/CCITT (polynomial 1021, most significant bit first, initial value FFFF) over all characters before
// it. Code 1: the request was damaged, and had no effect; 2: the register refused it. Characters that begin no request
// are dropped, and so is a request with a pause of PAUSE cycles in it: a host may always begin again.
// The register bus: reg_valid until reg_ack, with which reg_rdata and reg_error are there. A write's answer holds what
// was written.
`default_nettype none
module serial_bridge #(
    parameter PAUSE = 1000000
) (
    input  wire        clk,
    input  wire        rst,

    input  wire        rx_valid,         // pulse: a character came
    input  wire [7:0]  rx_data,
    output wire        tx_valid,         // until tx_take
    output wire [7:0]  tx_data,
    input  wire        tx_take,

    output wire        reg_valid,
    output wire        reg_write,
    output wire [7:0]  reg_address,
    output wire [31:0] reg_wdata,
    input  wire        reg_ack,
    input  wire [31:0] reg_rdata,
    input  wire        reg_error
);
    localparam [1:0] LISTEN = 2'd0, ASK = 2'd1, ANSWER = 2'd2;
    localparam [7:0] READ = 8'h52, WRITE = 8'h57, GOOD = 8'h41, BAD = 8'h45;
    localparam [31:0] LIMIT = PAUSE;

    reg  [1:0]  state_reg;
    reg  [3:0]  place_reg;               // characters of the request, or of the answer
    reg         write_reg, bad_reg;
    reg  [7:0]  address_reg;
    reg  [31:0] data_reg;
    reg  [15:0] crc_reg;
    reg  [31:0] pause_reg;

    wire [3:0]  length   = write_reg ? 4'd8 : 4'd4;       // of a request
    wire        last     = place_reg == length - 4'd1;
    wire        crc_part = state_reg == LISTEN ? place_reg >= length - 4'd2 : place_reg >= 4'd5;
    wire        begins   = place_reg == 4'd0 && (rx_data == READ || rx_data == WRITE);
    wire        hears    = state_reg == LISTEN && rx_valid && (begins || place_reg != 4'd0);
    wire [7:0]  said     = place_reg == 4'd0 ? (bad_reg ? BAD : GOOD) :
                           place_reg == 4'd5 ? crc_reg[15:8] : place_reg == 4'd6 ? crc_reg[7:0] : data_reg[7:0];
    wire [15:0] fresh    = place_reg == 4'd0 ? 16'hFFFF : crc_reg;
    wire [7:0]  summed   = state_reg == LISTEN ? rx_data : said;

    // eight bits further
    function [15:0] further(input [15:0] crc, input [7:0] data);
        integer k;
        begin
            further = crc ^ {data, 8'd0};
            for (k = 0; k < 8; k = k + 1)
                further = further[15] ? {further[14:0], 1'b0} ^ 16'h1021 : {further[14:0], 1'b0};
        end
    endfunction
    wire [15:0] crc_next = further(fresh, summed);

    assign tx_valid    = state_reg == ANSWER;
    assign tx_data     = said;
    assign reg_valid   = state_reg == ASK;
    assign reg_write   = write_reg;
    assign reg_address = address_reg;
    assign reg_wdata   = data_reg;

    always @(posedge clk) begin
        pause_reg <= state_reg != LISTEN || rx_valid || place_reg == 4'd0 ? 32'd0 : pause_reg + 32'd1;
        case (state_reg)
            LISTEN: begin
                if (hears) begin
                    place_reg <= place_reg + 4'd1;
                    if (begins) begin
                        write_reg <= rx_data == WRITE;
                        bad_reg   <= 1'b0;
                    end
                    if (place_reg == 4'd1)
                        address_reg <= rx_data;
                    else if (place_reg != 4'd0 && !crc_part)
                        data_reg <= {rx_data, data_reg[31:8]};
                    // the CRC as it should come, one half after the other
                    if (place_reg == 4'd0 || !crc_part)
                        crc_reg <= crc_next;
                    else begin
                        crc_reg <= {crc_reg[7:0], 8'd0};
                        bad_reg <= bad_reg || rx_data != crc_reg[15:8];
                    end
                    if (place_reg != 4'd0 && last) begin
                        place_reg <= 4'd0;
                        state_reg <= bad_reg || rx_data != crc_reg[15:8] ? ANSWER : ASK;
                        if (bad_reg || rx_data != crc_reg[15:8])
                            data_reg <= 32'd1;
                    end
                end else if (pause_reg == LIMIT) begin
                    place_reg <= 4'd0;
                end
            end
            ASK:
                if (reg_ack) begin
                    state_reg <= ANSWER;
                    bad_reg   <= reg_error;
                    data_reg  <= reg_error ? 32'd2 : write_reg ? data_reg : reg_rdata;
                end
            default:
                if (tx_take) begin
                    place_reg <= place_reg == 4'd6 ? 4'd0 : place_reg + 4'd1;
                    if (!crc_part)
                        crc_reg <= crc_next;
                    if (place_reg != 4'd0 && !crc_part)
                        data_reg <= {8'd0, data_reg[31:8]};
                    if (place_reg == 4'd6)
                        state_reg <= LISTEN;
                end
        endcase
        if (rst) begin
            state_reg <= LISTEN;
            place_reg <= 4'd0;
        end
    end
endmodule
`default_nettype wire
