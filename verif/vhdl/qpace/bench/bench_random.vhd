-- SPDX-License-Identifier: Apache-2.0
-- Random numbers, and packets that both hosts can work out: number n of an end is a function of seed, end and n, so
-- that a scoreboard needs no memory of what was sent.
library ieee;
use ieee.std_logic_1164.all;
use ieee.numeric_std.all;
use work.qpace_wire.all;

package bench_random is
  type random_t is protected
    procedure start(seed : natural);
    impure function bits return unsigned;             -- 32 of them
    impure function below(n : positive) return natural;
    impure function chance(ppm : natural) return boolean;  -- in a million
  end protected;

  type payload_t is array (0 to 31) of bits32;
  type packet_t is record
    channel   : natural range 0 to 7;
    offset    : std_logic_vector(14 downto 0);
    payload   : payload_t;
    withdrawn : boolean;
  end record;
  function packet_number(seed, sender, n, channels : natural) return packet_t;
end package;

package body bench_random is
  -- Marsaglia's xorshift32.
  function shifted(before : unsigned(31 downto 0)) return unsigned is
    variable x : unsigned(31 downto 0) := before;
  begin
    x := x xor shift_left(x, 13);
    x := x xor shift_right(x, 17);
    return x xor shift_left(x, 5);
  end function;

  function spread(n : natural) return unsigned is
    variable x : unsigned(31 downto 0) := to_unsigned(n, 32) xor x"2545F491";
  begin
    for i in 1 to 4 loop
      x := shifted(x + x"9E3779B9");
    end loop;
    return x;
  end function;

  type random_t is protected body
    variable x : unsigned(31 downto 0) := x"00000001";
    procedure start(seed : natural) is
    begin
      x := spread(seed) or to_unsigned(1, 32);
    end procedure;
    impure function bits return unsigned is
    begin
      x := shifted(x);
      return x;
    end function;
    impure function below(n : positive) return natural is
      constant b : unsigned(31 downto 0) := bits;
    begin
      return to_integer(b(30 downto 0)) mod n;
    end function;
    impure function chance(ppm : natural) return boolean is
    begin
      return ppm > 0 and below(1000000) < ppm;
    end function;
  end protected body;

  function packet_number(seed, sender, n, channels : natural) return packet_t is
    variable x : unsigned(31 downto 0) := spread(seed * 65536 + sender * 32768 + n) or to_unsigned(1, 32);
    variable p : packet_t;
  begin
    x           := shifted(x);
    p.channel   := to_integer(x(30 downto 16)) mod channels;
    p.withdrawn := x(3 downto 0) = 0;
    x           := shifted(x);
    p.offset    := std_logic_vector(x(20 downto 6));
    for i in p.payload'range loop
      x            := shifted(x);
      p.payload(i) := std_logic_vector(x);
    end loop;
    return p;
  end function;
end package body;
