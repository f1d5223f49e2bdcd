// SPDX-License-Identifier: Apache-2.0
// What ARM IHI 0022E asks of the write half of a manager, and what ours promise beside: AW and W of a burst are shown
// together, and its data follow without those of another. Any reset, at any time.
`default_nettype none
module write_rules #(
    parameter ADDRESS_WIDTH = 16,
    parameter DATA_WIDTH    = 16,
    parameter ID_WIDTH      = 1
) (
    input  wire                     clk,
    input  wire                     rst,
    input  wire                     awvalid,
    input  wire                     awready,
    input  wire [ID_WIDTH-1:0]      awid,
    input  wire [ADDRESS_WIDTH-1:0] awaddr,
    input  wire [7:0]               awlen,
    input  wire                     wvalid,
    input  wire                     wready,
    input  wire [DATA_WIDTH-1:0]    wdata,
    input  wire [DATA_WIDTH/8-1:0]  wstrb,
    input  wire                     wlast,
    input  wire                     bready,

    // the burst of the beat on W, and which of its beats that is
    output wire [ADDRESS_WIDTH-1:0] burst,
    output wire [ID_WIDTH-1:0]      burst_id,
    output reg  [7:0]               beat,
    output wire                     ends     // its last beat is taken, its address is or was
);
    localparam SIZE = $clog2(DATA_WIDTH / 8);
    localparam PAYLOAD = ID_WIDTH + ADDRESS_WIDTH + 8;
    localparam DATA = DATA_WIDTH + DATA_WIDTH / 8 + 1;

    reg               past = 1'b0;
    reg               aw_held, w_held, was_reset;
    reg [PAYLOAD-1:0] aw_old, aw_burst;
    reg [DATA-1:0]    w_old;
    reg               open, aw_gone, w_gone;
    wire              fresh  = awvalid && !aw_held;         // a burst's address is shown for the first time
    wire [PAYLOAD-1:0] aw    = {awid, awaddr, awlen};
    wire [DATA-1:0]   w      = {wlast, wstrb, wdata};
    wire [7:0]        length = fresh ? awlen : aw_burst[7:0];
    wire [12:0]       from   = {1'b0, awaddr[11:0]};
    wire [12:0]       to     = from + ({5'd0, awlen} << SIZE);
    wire              w_ends = wvalid && wready && wlast;

    assign burst    = fresh ? awaddr : aw_burst[8 +: ADDRESS_WIDTH];
    assign burst_id = fresh ? awid : aw_burst[8 + ADDRESS_WIDTH +: ID_WIDTH];
    assign ends     = (aw_gone && !fresh || awvalid && awready) && (w_gone && !fresh || w_ends);

    always @(posedge clk) begin
        past      <= 1'b1;
        was_reset <= rst;
        aw_held   <= awvalid && !awready && !rst;
        w_held    <= wvalid && !wready && !rst;
        aw_old    <= aw;
        w_old     <= w;
        if (fresh)
            aw_burst <= aw;
        open    <= (open || fresh) && !w_ends;
        aw_gone <= !ends && ((aw_gone && !fresh) || (awvalid && awready));
        w_gone  <= !ends && ((w_gone && !fresh) || w_ends);
        if (wvalid && wready)
            beat <= wlast ? 8'd0 : beat + 8'd1;
        if (rst) begin
            open    <= 1'b0;
            aw_gone <= 1'b0;
            w_gone  <= 1'b0;
            beat    <= 8'd0;
        end
    end

    always @* if (past) begin
        aw_stands:   assert (!aw_held || (awvalid && aw == aw_old));                   // A3.2.1
        w_stands:    assert (!w_held || (wvalid && w == w_old));
        aw_page:     assert (!awvalid || !to[12]);                                     // A3.4.1
        aw_aligned:  assert (!awvalid || (awaddr & ((1 << SIZE) - 1)) == 0);           // so any WSTRB is right (A3.4.3)
        w_of_one:    assert (!wvalid || open || fresh);
        w_follows:   assert (!(fresh && open));
        w_last:      assert (!wvalid || wlast == (beat == length));                    // A3.4.1
        b_ready:     assert (bready);                                                  // always: nothing waits for it
        reset_quiet: assert (!was_reset || !(awvalid || wvalid));                      // A3.1.2
    end
endmodule
`default_nettype wire
