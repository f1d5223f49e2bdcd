// SPDX-License-Identifier: Apache-2.0
// Writes received frames to the buffers of the receive ring's descriptors as their words arrive, and
// gives a descriptor back when the trailer says that the frame was good: bad frames cost nothing but
// the writes, as their descriptor is used again. Frames for others are not written. Without a
// descriptor words wait in the buffer, and frames are lost (counted, reported) when that is full.
//
// qpace_gmac_rx has the words. Every frame ends as exactly one event.
`default_nettype none
module qpace_gmac_rx_dma (
    input  wire         clk,
    input  wire         rst,
    input  wire         enable,         // without, everything is dropped
    input  wire         promiscuous,
    input  wire         multicast,
    input  wire [47:0]  address,        // first byte in bits 7:0
    input  wire [13:0]  max_frame,

    // the receive buffer
    input  wire         available,
    output wire         read,
    /* verilator lint_off UNUSEDSIGNAL */   // data pass by
    input  wire [128:0] read_data,      // one cycle after read, and kept
    /* verilator lint_on UNUSEDSIGNAL */

    // descriptors
    input  wire         ring_valid,
    input  wire [31:0]  ring_address,
    output wire         ring_next,

    // writing to memory, a word whenever write_taken
    output wire         write,
    output wire         write_back,     // the descriptor, not data
    output wire [34:0]  write_word,     // where, in units of 16 B
    input  wire         write_taken,

    // a frame's end: none of these is carrier without a frame
    output reg          event_valid,
    output reg          event_good,
    output reg          event_fcs,
    output reg          event_runt,
    output reg          event_oversize,
    output reg          event_overrun,
    output reg          event_filtered,
    output wire         obs_idle
);
    reg          have;                  // read_data is a word not yet dealt with
    reg          first;                 // it is a frame's first
    reg          dropped;               // the frame is for somebody else
    reg  [9:0]   offset;                // words of the frame written

    wire         trailer  = read_data[128];
    wire         mine     = read_data[47:0] == address || promiscuous || (&read_data[47:0])
                            || (read_data[0] && multicast);
    wire         drop     = first ? !mine : dropped;
    wire [13:0]  bytes    = read_data[77:64];
    wire         oversize = bytes > max_frame;
    wire         runt     = bytes < 14'd64;
    wire         sound    = read_data[80] && !read_data[81] && !read_data[82] && !oversize && !runt;
    wire         deliver  = trailer && sound && !dropped && enable;
    wire         fits     = {offset, 4'd0} < max_frame;
    wire         data     = !trailer && !drop && fits && enable;
    wire         pop      = have && ((data || deliver) ? write_taken : 1'b1);

    assign read       = available && (!have || pop);
    assign write      = have && (data || deliver) && ring_valid;
    assign write_back = trailer;
    assign write_word = {ring_address, 3'd0} + {25'd0, offset};
    assign ring_next  = write_taken && deliver;
    assign obs_idle   = !have && first && !event_valid;

    always @(posedge clk) begin
        if (read || pop)
            have <= read;
        event_valid <= 1'b0;
        if (pop) begin
            first   <= trailer;
            dropped <= trailer ? 1'b0 : !data;
            offset  <= trailer ? 10'd0 : data ? offset + 10'd1 : offset;
            if (trailer) begin
                event_valid    <= 1'b1;
                event_overrun  <= read_data[81];
                event_runt     <= runt && !read_data[81] && !read_data[82];
                event_oversize <= oversize && !read_data[81];
                event_fcs      <= !read_data[80] && !read_data[81] && !runt && !oversize;
                event_filtered <= sound && !deliver;
                event_good     <= deliver;
            end
        end
        if (rst) begin
            have        <= 1'b0;
            first       <= 1'b1;
            dropped     <= 1'b0;
            offset      <= 10'd0;
            event_valid <= 1'b0;
        end
    end
endmodule
`default_nettype wire
