-- SPDX-License-Identifier: Apache-2.0
-- The wire format by published values and by hand.
library ieee;
use ieee.std_logic_1164.all;
use ieee.numeric_std.all;
use work.qpace_wire.all;
use work.qpace_listener.all;
use work.bench_random.all;

entity bench_wire is
end entity;

architecture bench of bench_wire is
  function crc_of(bytes : std_logic_vector) return bits32 is  -- first byte lowest
  begin
    return crc32c_end(crc32c_by_bits(crc32c_begin, bytes));
  end function;
  function ascending return std_logic_vector is
    variable b : std_logic_vector(255 downto 0);
  begin
    for i in 0 to 31 loop
      b(8 * i + 7 downto 8 * i) := std_logic_vector(to_unsigned(i, 8));
    end loop;
    return b;
  end function;
  function ones(v : std_logic_vector) return natural is
    variable n : natural := 0;
  begin
    for i in v'range loop
      if v(i) = '1' then
        n := n + 1;
      end if;
    end loop;
    return n;
  end function;
begin
  process is
    variable random  : random_t;
    variable a, b    : bits32;
    variable codes   : natural := 99;
    variable l       : listener_t;
    variable h       : heard_t;
    variable w       : words3_t;
    variable crc     : bits32;
    constant hello   : hello_t := (version => x"01", port_number => "101", used => '0', session => '1', heard => '0',
                                   up => '1', echo => x"3", number => x"C", epoch => x"BEEF", node => x"1234",
                                   expected => to_unsigned(42, 6));

    procedure check(ok : boolean; what : string) is
    begin
      assert ok report what severity failure;
    end procedure;
  begin
    -- the check value of CRC-32C, and the examples of RFC 3720, B.4
    check(crc_of(x"393837363534333231") = x"E3069283", "CRC-32C of '123456789'");
    check(crc_of((255 downto 0 => '0')) = x"8A9136AA", "CRC-32C of 32 bytes 00");
    check(crc_of((255 downto 0 => '1')) = x"62A8AB43", "CRC-32C of 32 bytes FF");
    check(crc_of(ascending) = x"46DD794E", "CRC-32C of the bytes 00 to 1F");
    random.start(1);
    for i in 1 to 500 loop
      a := std_logic_vector(random.bits);
      b := std_logic_vector(random.bits);
      check(crc32c(a, b) = crc32c_by_bits(a, b), "CRC-32C of a word at once");
      check(crc32c(a, b(31 downto 8)) = crc32c_by_bits(a, b(31 downto 8)), "CRC-32C of three bytes at once");
    end loop;

    -- CRC-16: a command divided by the polynomial leaves nothing; any two commands differ in 8 bits or more
    for i in 0 to 255 loop
      a := std_logic_vector(to_unsigned(i, 32));
      check(crc16(a(7 downto 0) & crc16(a(7 downto 0))) = x"0000", "CRC-16 over a command and its CRC");
      for k in 0 to i - 1 loop
        b     := std_logic_vector(to_unsigned(k, 32));
        codes := minimum(codes, ones((a(7 downto 0) & crc16(a(7 downto 0))) xor (b(7 downto 0) & crc16(b(7 downto 0)))));
      end loop;
    end loop;
    check(codes = 8, "Hamming distance of commands");
    -- by hand: FF cancels half of the initial FFFF, and the other half is moved up; a single last bit is the polynomial
    check(crc16(x"FF") = x"FF00", "CRC-16 of FF");
    check((crc16(x"01") xor crc16(x"00")) = x"D25F", "CRC-16 of a last bit");

    -- lanes of a command, a hello
    a := command_word(command_busy, to_unsigned(37, 6)).data;
    check(a(15 downto 0) = "100101" & "10" & x"5C" and command_fits(a), "lanes of BUSY 37");
    w := to_words(hello);
    check(w = (x"C3A5019C", x"1234BEEF", x"0000002A"), "words of a hello");
    check(to_hello(w) = hello, "a hello there and back");

    -- a hello through the listener, an idle word in its middle
    l := listener_reset;
    listen(l, (data => w(0), control => "0001"), h);
    check(h.starts and not h.packet_starts, "a hello starts");
    listen(l, plain(w(1)), h);
    listen(l, idle_word, h);
    listen(l, plain(w(2)), h);
    crc := crc_of(w(2) & w(1) & w(0)(31 downto 8));
    listen(l, plain(crc), h);
    check(h.hello_good and h.hello = hello and not h.crc_error, "a good hello");

    -- a packet; the same with a flipped bit, withdrawn, cut short by a hello, and a command between its words
    for kind in 0 to 4 loop
      l   := listener_reset;
      crc := crc32c_begin;
      a   := x"E5123456";  -- channel 7, sequence 10, offset 1234 from bit 8 on
      a(7 downto 0) := char_packet;
      listen(l, (data => a, control => "0001"), h);
      check(h.packet_starts, "a packet starts");
      crc := crc32c_by_bits(crc, a(31 downto 8));
      for i in 0 to 31 loop
        b   := std_logic_vector(random.bits);
        crc := crc32c_by_bits(crc, b);
        if kind = 1 and i = 9 then
          b(17) := not b(17);
        end if;
        if kind = 4 and i = 20 then
          listen(l, command_word(command_ack, to_unsigned(3, 6)), h);
          check(h.framing_error and h.packet_bad and not h.command_good and not h.packet_whole, "a command in a packet");
          exit;
        end if;
        listen(l, plain(b), h);
        check(h.payload and h.place = i and h.data = b, "word of a payload");
      end loop;
      case kind is
        when 2 =>
          listen(l, coded(char_voided, crc(31 downto 8)), h);
          check(h.packet_good and h.withdrawn and not h.framing_error, "a withdrawn packet");
        when 3 =>
          listen(l, (data => w(0), control => "0001"), h);
          check(h.packet_bad and h.starts and h.framing_error and not h.packet_whole, "a packet cut short");
        when 0 | 1 =>
          listen(l, plain(crc32c_end(crc)), h);
          check(h.packet_good = (kind = 0) and h.packet_bad = (kind = 1) and h.crc_error = (kind = 1), "end of a packet");
        when others => null;
      end case;
    end loop;
    report "all is well";
    wait;
  end process;
end architecture;
