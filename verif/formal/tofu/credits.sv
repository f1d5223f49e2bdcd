// SPDX-License-Identifier: Apache-2.0
// tofu_link_credits with a peer whose reports are true but delayed: what it counts as taken is what packets took and
// the peer has not reported free, for any channel, at the paper's size. Now and then a packet begins without room, as
// one may that the router began while the link was down.
`default_nettype none
module credits #(
    parameter STAGES = 0              // of tofu_link: what is said counts a cycle later
) (
    input wire        clk,
    input wire        start,          // the router begins a packet
    input wire        blind,          // it began it while the link was down
    input wire        kill,           // it is void
    input wire        ends,           // it is whole
    input wire [1:0]  channel,
    input wire [4:0]  units,
    input wire [1:0]  any,            // the channel that is looked at
    input wire        frees,          // the peer frees some
    input wire [6:0]  amount,
    input wire        says,           // and what it said last, or something since, arrives
    input wire [6:0]  heard_of,
    input wire [27:0] others          // what it says of the other channels
);
    reg rst = 1'b1;
    always @(posedge clk) rst <= 1'b0;
    reg [1:0] mine;
    reg       over;                   // more are taken than there are
    always @(posedge clk) if (rst) mine <= any;

    // the packet under way, as tofu_link_input has it
    reg        open;
    reg [1:0]  open_channel;
    reg [4:0]  open_units;
    wire [27:0] room;
    wire [6:0]  room_of [0:3];
    assign {room_of[3], room_of[2], room_of[1], room_of[0]} = room;
    wire fits_in = {2'd0, units} <= room_of[channel];
    wire begins  = start && !open && units != 0 && units <= 16 && (fits_in || (blind && (channel != mine || !over)));
    wire killed = open && kill;
    wire whole  = open && ends && !kill;
    always @(posedge clk) begin
        if (begins) begin
            open         <= 1'b1;
            open_channel <= channel;
            open_units   <= units;
        end
        if (killed || whole)
            open <= 1'b0;
        if (rst)
            open <= 1'b0;
    end

    // the truth about channel `mine`: units of whole packets that are not free yet, and those free but not said
    reg  [6:0] held, freed, said;
    wire [6:0] under_way = (open && open_channel == mine) ? {2'd0, open_units} : 7'd0;
    wire [6:0] gives     = (frees && amount <= held) ? amount : 7'd0;
    wire       hears     = says && (heard_of - said) <= (freed - said);
    always @(posedge clk) begin
        held  <= held + ((whole && open_channel == mine) ? {2'd0, open_units} : 7'd0) - gives;
        freed <= freed + gives;
        if (hears)
            said <= heard_of;
        if (rst) begin
            held  <= 7'd0;
            freed <= 7'd0;
            said  <= 7'd0;
        end
    end
    reg  [6:0] said_before;
    always @(posedge clk) said_before <= rst ? 7'd0 : said;
    wire [6:0] counted = STAGES == 0 ? said : said_before;

    wire [27:0] said_now = {mine == 2'd3 ? heard_of : others[27:21], mine == 2'd2 ? heard_of : others[20:14],
                            mine == 2'd1 ? heard_of : others[13:7], mine == 2'd0 ? heard_of : others[6:0]};
    wire        out, progress, error;
    tofu_link_credits #(.STAGES(STAGES)) dut (
        .clk(clk), .rst(rst), .clear(1'b0), .start(begins), .kill(killed), .channel(open ? open_channel : channel),
        .units(open ? open_units : units), .heed(hears), .freed(said_now), .room(room), .out(out),
        .progress(progress), .error(error), .inject(2'd0));

    (* hierconn *) wire [27:0] \dut.used_reg ;
    (* hierconn *) wire [27:0] \dut.freed_reg ;
    wire [27:0] used_all  = \dut.used_reg  >> (5'd7 * mine);
    wire [27:0] freed_all = \dut.freed_reg >> (5'd7 * mine);
    wire [6:0]  truth     = held + under_way;
    wire [6:0]  taken     = used_all[6:0] - freed;

    wire [6:0] unsaid = freed - counted;
    wire [8:0] total  = {2'b0, held} + {2'b0, under_way} + {2'b0, unsaid};
    always @(posedge clk)
        over <= !rst && ((over && total > 9'd64) || (begins && !fits_in && channel == mine));
    always @(posedge clk) if (!rst) begin
        exact:   assert (room_of[mine] == (total <= 9'd64 ? 9'd64 - total : 9'd0));
        fits:    assert (total <= (over ? 9'd80 : 9'd64));
        sized:   assert (!open || (open_units != 0 && open_units <= 16));
        // helpers
        numbers: assert (taken == truth && freed_all[6:0] == counted);
        between: assert (said - counted <= unsaid);

        full:    cover (room_of[mine] == 0 && !open);
        voided:  cover (killed && open_channel == mine && room_of[mine] < 32);
        beyond:  cover (total > 9'd64 && !open);
        again:   cover (hears && heard_of < said);
    end
endmodule
`default_nettype wire
