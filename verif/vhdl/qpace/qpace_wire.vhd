-- SPDX-License-Identifier: Apache-2.0
-- The wire format of a QPACE link, after "Wire format" in rtl/qpace/README.md: words, codes, both CRCs,
-- hellos, and the checksum over payload.
library ieee;
use ieee.std_logic_1164.all;
use ieee.numeric_std.all;

package qpace_wire is
  subtype bits16 is std_logic_vector(15 downto 0);
  subtype bits32 is std_logic_vector(31 downto 0);
  subtype sequence_t is unsigned(5 downto 0);

  type word_t is record
    data    : bits32;
    control : std_logic_vector(3 downto 0);
  end record;

  subtype code_t is std_logic_vector(7 downto 0);
  constant char_packet  : code_t := x"FB";
  constant char_voided  : code_t := x"7C";
  constant char_command : code_t := x"5C";
  constant char_hello   : code_t := x"9C";
  constant char_error   : code_t := x"FE";
  constant idle_word    : word_t := (data => x"07070707", control => "1111");

  type class_t is (is_idle, is_data, is_error, is_packet, is_command, is_hello, is_other);
  function class_of(w : word_t) return class_t;

  -- A word with a code in lane 0, or of data only.
  function coded(code : code_t; rest : std_logic_vector(23 downto 0)) return word_t;
  function plain(data : bits32) return word_t;

  -- CRC-32C: `crc32c_begin`, then `crc32c` over bits in the order of the wire, the first one rightmost, then
  -- `crc32c_end`.
  constant crc32c_begin : bits32 := (others => '1');
  function crc32c(crc : bits32; message : std_logic_vector) return bits32;  -- 24 or 32 bits
  function crc32c_by_bits(crc : bits32; message : std_logic_vector) return bits32;
  function crc32c_end(crc : bits32) return bits32;
  -- The commands' CRC-16, polynomial D25F, over bytes, the first one leftmost.
  function crc16(message : std_logic_vector) return bits16;

  subtype command_t is std_logic_vector(1 downto 0);
  constant command_ack   : command_t := "00";
  constant command_nack  : command_t := "01";
  constant command_busy  : command_t := "10";
  constant command_ready : command_t := "11";
  function command_word(kind : command_t; expected : sequence_t) return word_t;
  function command_fits(data : bits32) return boolean;

  type hello_t is record
    version                   : std_logic_vector(7 downto 0);
    port_number               : std_logic_vector(2 downto 0);
    used, session, heard, up  : std_logic;
    echo, number              : std_logic_vector(3 downto 0);
    epoch, node               : bits16;
    expected                  : sequence_t;
  end record;
  constant protocol_version : std_logic_vector(7 downto 0) := x"02";
  type words3_t is array (0 to 2) of bits32;
  function to_words(h : hello_t) return words3_t;
  function to_hello(w : words3_t) return hello_t;

  -- sum = rotl32(sum, 1) + word
  function add_payload(sum, data : bits32) return bits32;

  function to_bit(b : boolean) return std_logic;
end package;

package body qpace_wire is
  function class_of(w : word_t) return class_t is
    variable class : class_t := is_other;
  begin
    if w.control = "0000" then
      class := is_data;
    elsif w.control = idle_word.control and w.data = idle_word.data then
      class := is_idle;
    elsif w.control = "0001" and w.data(7 downto 0) = char_packet then
      class := is_packet;
    elsif w.control = "0001" and w.data(7 downto 0) = char_command then
      class := is_command;
    elsif w.control = "0001" and w.data(7 downto 0) = char_hello then
      class := is_hello;
    end if;
    for lane in 0 to 3 loop
      if w.control(lane) = '1' and w.data(8 * lane + 7 downto 8 * lane) = char_error then
        class := is_error;
      end if;
    end loop;
    return class;
  end function;

  function coded(code : code_t; rest : std_logic_vector(23 downto 0)) return word_t is
  begin
    return (data => rest & code, control => "0001");
  end function;

  function plain(data : bits32) return word_t is
  begin
    return (data => data, control => "0000");
  end function;

  -- One bit after the other, as the polynomial is defined.
  function crc32c_by_bits(crc : bits32; message : std_logic_vector) return bits32 is
    constant polynomial : bits32 := x"82F63B78";  -- 1EDC6F41 reflected
    alias m             : std_logic_vector(message'length - 1 downto 0) is message;
    variable c          : bits32 := crc;
    variable feedback   : std_logic;
  begin
    for i in 0 to m'high loop
      feedback := c(0) xor m(i);
      c        := '0' & c(31 downto 1);
      if feedback = '1' then
        c := c xor polynomial;
      end if;
    end loop;
    return c;
  end function;

  -- The same all at once: the CRC is linear, so each of its bits is the parity of some bits of what goes in. `shifts`
  -- bits of message enter at the low end of the CRC.
  type masks_t is array (31 downto 0) of bits32;
  function masks_for(shifts : positive) return masks_t is
    variable masks     : masks_t := (others => (others => '0'));
    variable one, image : bits32;
  begin
    for i in 0 to 31 loop
      one    := (others => '0');
      one(i) := '1';
      image  := crc32c_by_bits(one, (shifts - 1 downto 0 => '0'));
      for o in 0 to 31 loop
        masks(o)(i) := image(o);
      end loop;
    end loop;
    return masks;
  end function;
  constant masks_24 : masks_t := masks_for(24);
  constant masks_32 : masks_t := masks_for(32);

  function crc32c(crc : bits32; message : std_logic_vector) return bits32 is
    variable c, next_crc : bits32 := crc;
  begin
    c(message'length - 1 downto 0) := c(message'length - 1 downto 0) xor message;
    for o in 0 to 31 loop
      if message'length = 24 then
        next_crc(o) := xor (c and masks_24(o));
      else
        next_crc(o) := xor (c and masks_32(o));
      end if;
    end loop;
    return next_crc;
  end function;

  function crc32c_end(crc : bits32) return bits32 is
  begin
    return not crc;
  end function;

  function crc16(message : std_logic_vector) return bits16 is
    constant polynomial : bits16 := x"D25F";
    alias m             : std_logic_vector(message'length - 1 downto 0) is message;
    variable c          : bits16 := (others => '1');
    variable feedback   : std_logic;
  begin
    for i in m'high downto 0 loop
      feedback := c(15) xor m(i);
      c        := c(14 downto 0) & '0';
      if feedback = '1' then
        c := c xor polynomial;
      end if;
    end loop;
    return c;
  end function;

  function command_word(kind : command_t; expected : sequence_t) return word_t is
    constant content : std_logic_vector(7 downto 0) := std_logic_vector(expected) & kind;
  begin
    return coded(char_command, crc16(content) & content);
  end function;

  function command_fits(data : bits32) return boolean is
  begin
    return data(31 downto 16) = crc16(data(15 downto 8));
  end function;

  function to_words(h : hello_t) return words3_t is
  begin
    return (0 => h.number & h.echo & h.up & h.heard & h.session & h.used & '0' & h.port_number & h.version & char_hello,
            1 => h.node & h.epoch,
            2 => 26x"0" & std_logic_vector(h.expected));
  end function;

  function to_hello(w : words3_t) return hello_t is
  begin
    return (version => w(0)(15 downto 8), port_number => w(0)(18 downto 16), used => w(0)(20), session => w(0)(21),
            heard => w(0)(22), up => w(0)(23), echo => w(0)(27 downto 24), number => w(0)(31 downto 28),
            epoch => w(1)(15 downto 0), node => w(1)(31 downto 16), expected => unsigned(w(2)(5 downto 0)));
  end function;

  function add_payload(sum, data : bits32) return bits32 is
  begin
    return std_logic_vector(unsigned(sum(30 downto 0) & sum(31)) + unsigned(data));
  end function;

  function to_bit(b : boolean) return std_logic is
  begin
    if b then
      return '1';
    end if;
    return '0';
  end function;
end package body;
