// SPDX-License-Identifier: Apache-2.0
// A memory behind AXI4, for benches: a burst at a time each way, channels that stall by chance, a write that takes
// effect with its answer. `failures` counts what broke a rule of ARM IHI 0022E or was unknown, and says so.
`default_nettype none
module axi_memory #(
    parameter DATA_WIDTH = 128,
    parameter ID_WIDTH   = 1,
    parameter [39:0] BASE = 40'd0,
    parameter BYTES      = 65536          // a power of two
) (
    input  wire        aclk,
    input  wire        aresetn,
    input  wire        awvalid,
    output reg         awready,
    input  wire [ID_WIDTH-1:0] awid,
    input  wire [39:0] awaddr,
    input  wire [7:0]  awlen,
    input  wire        wvalid,
    output reg         wready,
    input  wire [DATA_WIDTH-1:0] wdata,
    input  wire [DATA_WIDTH/8-1:0] wstrb,
    input  wire        wlast,
    output reg         bvalid,
    input  wire        bready,
    output reg  [ID_WIDTH-1:0] bid,
    input  wire        arvalid,
    output reg         arready,
    input  wire [ID_WIDTH-1:0] arid,
    input  wire [39:0] araddr,
    input  wire [7:0]  arlen,
    output reg         rvalid,
    input  wire        rready,
    output reg  [ID_WIDTH-1:0] rid,
    output reg  [DATA_WIDTH-1:0] rdata,
    output reg         rlast
);
    localparam UNIT = DATA_WIDTH / 8;

    integer failures, stall, seed, bursts;        // stall: of 16 cycles, those in which a channel does nothing
    initial begin
        failures = 0;
        bursts   = 0;
        if (!$value$plusargs("STALL=%d", stall)) stall = 4;
        if (!$value$plusargs("SEED=%d", seed)) seed = 1;
    end
    task fail(input [8*40-1:0] what);
        begin
            if (failures < 10)
                $display("FAILED: AXI: %0s, %0t ps", what, $time);
            failures = failures + 1;
        end
    endtask
    function does(input integer unused);
        does = ($random(seed) & 15) >= stall;
    endfunction

    reg [7:0]  bytes [0:BYTES-1];
    reg [DATA_WIDTH-1:0] burst_data [0:127];
    reg [UNIT-1:0] burst_strobe [0:127];
    reg [39:0] w_address, r_address, aw_old, ar_old;
    reg [7:0]  w_length, r_length;
    reg        aw_taken, w_taken, ar_taken, aw_held, ar_held, ran;
    reg [ID_WIDTH-1:0] w_id, r_id;
    reg [7:0]  w_beat, r_beat;
    integer    k, b;

    task check_burst(input [39:0] address, input [7:0] length);
        begin
            if (address < BASE || address + UNIT * length + UNIT > BASE + BYTES)
                fail("a burst outside of the node's memory");
            if (address[11:0] + UNIT * (length + 1) > 4096)
                fail("a burst across 4 KiB");
        end
    endtask

    always @(posedge aclk) begin
        awready <= does(0) && !aw_taken;
        wready  <= does(0) && !w_taken;
        arready <= does(0) && !ar_taken;
        bvalid  <= bvalid && !bready;
        if (rvalid && rready)
            rvalid <= 1'b0;

        if (awvalid && awready && !aw_taken) begin
            check_burst(awaddr, awlen);
            aw_taken  <= 1'b1;
            w_address <= awaddr;
            w_length  <= awlen;
            w_id      <= awid;
            awready   <= 1'b0;
        end
        if (wvalid && wready && !w_taken) begin
            burst_data[w_beat]   <= wdata;
            burst_strobe[w_beat] <= wstrb;
            w_beat <= w_beat + 8'd1;
            if (wlast) begin
                w_taken <= 1'b1;
                wready  <= 1'b0;
            end
        end
        if (aw_taken && w_taken && !bvalid && does(0)) begin
            if (w_beat !== w_length + 8'd1)
                fail("a burst of another length than AWLEN");
            for (k = 0; k < w_beat; k = k + 1)
                for (b = 0; b < UNIT; b = b + 1)
                    if (burst_strobe[k][b])
                        bytes[(w_address - BASE + UNIT * k + b) & (BYTES - 1)] = burst_data[k] >> (8 * b);
            bursts    = bursts + 1;
            aw_taken <= 1'b0;
            w_taken  <= 1'b0;
            w_beat   <= 8'd0;
            bvalid   <= 1'b1;
            bid      <= w_id;
        end

        if (arvalid && arready && !ar_taken) begin
            check_burst(araddr, arlen);
            ar_taken  <= 1'b1;
            r_address <= araddr;
            r_length  <= arlen;
            r_id      <= arid;
            r_beat    <= 8'd0;
            arready   <= 1'b0;
        end
        if (ar_taken && (!rvalid || rready) && does(0)) begin
            for (b = 0; b < UNIT; b = b + 1)
                rdata[8*b +: 8] <= bytes[(r_address - BASE + UNIT * r_beat + b) & (BYTES - 1)];
            rvalid <= 1'b1;
            rid    <= r_id;
            rlast  <= r_beat == r_length;
            r_beat <= r_beat + 8'd1;
            if (r_beat == r_length) begin
                ar_taken <= 1'b0;
                bursts    = bursts + 1;
            end
        end

        // what is shown is known, and stands
        ran     <= aresetn;
        aw_held <= awvalid && !awready;
        ar_held <= arvalid && !arready;
        aw_old  <= awaddr;
        ar_old  <= araddr;
        if (aresetn && ran === 1'b1) begin
            if (^{awvalid, wvalid, bready, arvalid, rready} === 1'bx)
                fail("a valid or a ready is unknown");
            if ((awvalid && ^{awaddr, awlen, awid} === 1'bx) || (arvalid && ^{araddr, arlen, arid} === 1'bx))
                fail("an address is unknown");
            if (wvalid && ^{wstrb, wlast} === 1'bx)
                fail("strobes are unknown");
            for (b = 0; b < UNIT; b = b + 1)
                if (wvalid && wstrb[b] && ^wdata[8*b +: 8] === 1'bx)
                    fail("data are unknown");
            if ((aw_held && (!awvalid || awaddr !== aw_old)) || (ar_held && (!arvalid || araddr !== ar_old)))
                fail("an address changed while it waited");
        end
        if (aresetn && ran === 1'b0 && {awvalid, wvalid, arvalid} !== 3'd0)
            fail("a valid right after reset");
        if (!aresetn) begin
            {awready, wready, arready, bvalid, rvalid} <= 5'd0;
            {aw_taken, w_taken, ar_taken, aw_held, ar_held} <= 5'd0;
            w_beat <= 8'd0;
        end
    end
endmodule
`default_nettype wire
