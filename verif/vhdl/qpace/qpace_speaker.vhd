-- SPDX-License-Identifier: Apache-2.0
-- What goes onto the wire: chooses the next frame at a frame's end, and gives it word by word.
library ieee;
use ieee.std_logic_1164.all;
use ieee.numeric_std.all;
use work.qpace_wire.all;
use work.qpace_state.all;
use work.qpace_training.all;

package qpace_speaker is
  type saying_t is (nothing, packet, hello);

  type speaker_t is record
    saying  : saying_t;
    place   : unsigned(5 downto 0);  -- word of the frame that goes next
    crc     : bits32;
    hello   : words3_t;
    slot    : slot_t;                -- where the packet is
    first   : boolean;               -- it was never sent before
    stalled : boolean;               -- waits for the core in the middle of a packet
  end record;
  constant speaker_reset : speaker_t :=
    (saying => nothing, place => (others => '0'), crc => crc32c_begin, hello => (others => (others => '0')),
     slot => (others => '0'), first => false, stalled => false);

  -- What the transmit FIFO offers: the header of packet `send`, and a word of the packet under way.
  type offer_t is record
    written   : beats_t;    -- beats that the core has written
    channel   : channel_t;
    offset    : std_logic_vector(14 downto 0);
    payload   : bits32;
    withdrawn : std_logic;
  end record;

  -- The next word. Moves `send` and `high` when a packet starts.
  procedure speak(p : inout speaker_t; s : inout link_t; offer : in offer_t;
                  port_number : in std_logic_vector(2 downto 0); ack_every : in positive; w : out word_t);
end package;

package body qpace_speaker is
  procedure say_command(s : inout link_t; kind : in command_t; w : out word_t) is
  begin
    w := command_word(kind, s.expected);
    s.spoke         := true;
    s.urgent        := false;
    s.ack_due       := false;  -- every command acknowledges
    s.since_command := (others => '0');
    if kind = command_nack then
      s.tally(nack_sent) := to_unsigned(1, 5);
    elsif kind = command_busy then
      s.tally(busy_sent) := to_unsigned(1, 5);
    end if;
  end procedure;

  procedure begin_packet(p : inout speaker_t; s : inout link_t; offer : in offer_t; w : out word_t) is
    constant rest : std_logic_vector(23 downto 0) :=
      std_logic_vector(offer.channel) & std_logic_vector(s.send) & offer.offset;
  begin
    p.saying := packet;
    p.place  := to_unsigned(0, 6);
    p.crc    := crc32c(crc32c_begin, rest);
    p.slot   := slot_of(s, s.send);
    p.first  := s.send = s.high;
    w        := coded(char_packet, rest);
    if outstanding(s) = 0 then
      s.timer := (others => '0');
    end if;
    s.send := s.send + 1;
    if p.first then
      s.high        := s.send;
      s.tally(sent) := to_unsigned(1, 5);
    else
      if s.for_room then
        s.tally(replayed) := to_unsigned(1, 5);
      else
        s.tally(retransmitted) := to_unsigned(1, 5);
      end if;
    end if;
    s.probe := false;
    s.spoke := true;
    if s.since_command /= 7 then
      s.since_command := s.since_command + 1;
    end if;
  end procedure;

  procedure begin_hello(p : inout speaker_t; s : inout link_t; port_number : in std_logic_vector(2 downto 0);
                        w : out word_t) is
  begin
    p.saying := hello;
    p.place  := to_unsigned(1, 6);
    p.hello  := to_words(own_hello(s, port_number));
    p.crc    := crc32c(crc32c_begin, p.hello(0)(31 downto 8));
    w        := (data => p.hello(0), control => "0001");
    s.hello_due := false;
    s.spoke     := true;
  end procedure;

  procedure go_on_with_packet(p : inout speaker_t; s : inout link_t; offer : in offer_t; w : out word_t) is
    variable ahead : beats_t;
  begin
    if p.place = 32 then
      w := plain(crc32c_end(p.crc));
      if offer.withdrawn = '1' then
        w := coded(char_voided, p.crc(31 downto 8));  -- the complement of the CRC's
        if p.first then
          s.tx_sum(0) := not s.tx_sum(0);
        end if;
      end if;
      p.saying := nothing;
      return;
    end if;
    ahead     := offer.written - (p.slot & "000");
    p.stalled := p.first and ahead <= p.place(4 downto 2);
    if p.stalled then
      w := idle_word;
      return;
    end if;
    w     := plain(offer.payload);
    p.crc := crc32c(p.crc, offer.payload);
    if p.first then
      s.tx_sum := add_payload(s.tx_sum, offer.payload);
    end if;
    p.place := p.place + 1;
  end procedure;

  procedure go_on_with_hello(p : inout speaker_t; w : out word_t) is
  begin
    if p.place = 3 then
      w        := plain(crc32c_end(p.crc));
      p.saying := nothing;
      return;
    end if;
    w     := plain(p.hello(to_integer(p.place(1 downto 0))));
    p.crc := crc32c(p.crc, p.hello(to_integer(p.place(1 downto 0))));
    p.place := p.place + 1;
  end procedure;

  procedure speak(p : inout speaker_t; s : inout link_t; offer : in offer_t;
                  port_number : in std_logic_vector(2 downto 0); ack_every : in positive; w : out word_t) is
    constant there : boolean := offer.written /= slot_of(s, s.send) & "000";  -- of packet `send`, a beat at least
  begin
    w := idle_word;
    if p.saying = packet then
      go_on_with_packet(p, s, offer, w);
    elsif p.saying = hello then
      go_on_with_hello(p, w);
    elsif s.hello_due then
      begin_hello(p, s, port_number, w);
    elsif s.state = up then
      if s.urgent then
        say_command(s, s.urgent_kind, w);
      elsif s.ack_due and s.since_command >= ack_every then
        say_command(s, command_ack, w);
      elsif there and (s.probe or not s.held) then
        begin_packet(p, s, offer, w);
      elsif s.ack_due then
        say_command(s, command_ack, w);
      end if;
    end if;
  end procedure;
end package body;
