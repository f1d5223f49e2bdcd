-- SPDX-License-Identifier: Apache-2.0
-- What the receiver makes of a word: words in, packets, hellos and commands out. Knows nothing of seq
-- numbers or states.
library ieee;
use ieee.std_logic_1164.all;
use ieee.numeric_std.all;
use work.qpace_wire.all;

package qpace_listener is
  type frame_t is (between, in_packet, in_hello);

  type listener_t is record
    frame : frame_t;
    place : unsigned(5 downto 0);  -- words of the frame so far
    bad   : boolean;
    crc   : bits32;
    first : bits32;                -- first word of the frame
    hello : words3_t;
  end record;
  constant listener_reset : listener_t :=
    (frame => between, place => (others => '0'), bad => false, crc => crc32c_begin, first => (others => '0'),
     hello => (others => (others => '0')));

  -- What one word meant. `first` is the header of the packet in question.
  type heard_t is record
    starts        : boolean;  -- a packet or hello begins
    packet_starts : boolean;
    payload       : boolean;  -- a word that stands for one of a packet's payload
    place         : unsigned(4 downto 0);
    data          : bits32;
    packet_good   : boolean;
    withdrawn     : boolean;
    packet_bad    : boolean;  -- ended badly or was cut short
    packet_whole  : boolean;  -- its last word came
    hello_good    : boolean;
    command_good  : boolean;
    first         : bits32;
    hello         : hello_t;
    code_error    : boolean;
    framing_error : boolean;
    crc_error     : boolean;
    command_error : boolean;
  end record;

  procedure listen(l : inout listener_t; w : in word_t; heard : out heard_t);
end package;

package body qpace_listener is
  constant packet_end : unsigned(5 downto 0) := to_unsigned(33, 6);  -- place of the CRC
  constant hello_end  : unsigned(5 downto 0) := to_unsigned(3, 6);

  procedure begin_frame(l : inout listener_t; kind : in frame_t; data : in bits32) is
  begin
    l.frame := kind;
    l.place := to_unsigned(1, 6);
    l.bad   := false;
    l.first := data;
    l.crc   := crc32c(crc32c_begin, data(31 downto 8));
    l.hello(0) := data;
  end procedure;

  -- A word of the frame we are in, of whatever class.
  procedure next_word(l : inout listener_t; w : in word_t; class : in class_t; h : inout heard_t) is
    constant crc : bits32 := crc32c_end(l.crc);
    variable fits, voids, last : boolean;
  begin
    last  := (l.frame = in_packet and l.place = packet_end) or (l.frame = in_hello and l.place = hello_end);
    fits  := class = is_data and w.data = crc;
    voids := l.frame = in_packet and w.control = "0001" and w.data(7 downto 0) = char_voided
             and w.data(31 downto 8) = not crc(31 downto 8);
    h.code_error    := class = is_error;
    h.framing_error := class = is_other and not (last and voids and not l.bad);
    if last then
      h.packet_whole := l.frame = in_packet;
      if not l.bad and (fits or voids) then
        h.packet_good := l.frame = in_packet;
        h.hello_good  := l.frame = in_hello;
        h.withdrawn   := voids;
      else
        h.packet_bad := l.frame = in_packet;
        h.crc_error  := true;
      end if;
      l.frame := between;
    else
      h.payload := l.frame = in_packet;
      l.bad     := l.bad or class /= is_data;
      l.crc     := crc32c(l.crc, w.data);
      if l.place = 1 then
        l.hello(1) := w.data;
      elsif l.place = 2 then
        l.hello(2) := w.data;
      end if;
      l.place := l.place + 1;
    end if;
  end procedure;

  procedure listen(l : inout listener_t; w : in word_t; heard : out heard_t) is
    constant class : class_t := class_of(w);
    variable h     : heard_t;
  begin
    h := (place => resize(l.place - 1, 5), data => w.data, first => l.first, hello => to_hello(l.hello), others => false);
    if class = is_packet or class = is_hello or class = is_command then
      -- whatever was under way is given up
      h.framing_error := l.frame /= between;
      h.packet_bad    := l.frame = in_packet;
      h.starts        := class /= is_command;
      h.packet_starts := class = is_packet;
      if class = is_packet then
        begin_frame(l, in_packet, w.data);
      elsif class = is_hello then
        begin_frame(l, in_hello, w.data);
      else
        if l.frame = between then
          h.command_good  := command_fits(w.data);
          h.command_error := not command_fits(w.data);
        end if;
        l.frame := between;
      end if;
    elsif class /= is_idle then
      if l.frame /= between then
        next_word(l, w, class, h);
      else
        h.code_error    := class = is_error;
        h.framing_error := class /= is_error;
      end if;
    end if;
    heard := h;
  end procedure;
end package body;
