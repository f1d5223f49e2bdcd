-- SPDX-License-Identifier: Apache-2.0
-- The core side of one end: writes packets 0 to `budget` - 1 of this end, takes packets of the other one and checks
-- them: each channel in order, nothing altered, lost or doubled, nothing of what was withdrawn.
library ieee;
use ieee.std_logic_1164.all;
use ieee.numeric_std.all;
use work.qpace_wire.all;
use work.bench_random.all;

entity bench_host is
  generic (self, seed : natural; channels : positive := 8);
  port (
    clk, rst : in std_logic;
    budget : in natural;                         -- packets to be written since the beginning
    pauses : in natural;                         -- chance of one before a beat, in a million
    eagerness : in natural;                      -- chance to take a waiting packet, in a million
    reads : in std_logic_vector(7 downto 0);     -- channels that are emptied
    written, taken : out natural := 0;
    tx_valid : out std_logic := '0';
    tx_ready : in std_logic;
    tx_data : out std_logic_vector(127 downto 0);
    tx_first : out std_logic;
    tx_vc : out std_logic_vector(2 downto 0);
    tx_offset : out std_logic_vector(14 downto 0);
    tx_void : out std_logic;
    rx_waiting : in std_logic_vector(7 downto 0);
    rx_vc, rx_beat : out std_logic_vector(2 downto 0) := "000";
    rx_data : in std_logic_vector(127 downto 0);
    rx_offset : in std_logic_vector(14 downto 0);
    rx_pop : out std_logic := '0'
  );
end entity;

architecture bench of bench_host is
begin
  write : process (clk) is
    variable random : random_t;
    variable n, beat : natural := 0;
    variable p : packet_t;
    variable begun : boolean := false;
    variable offered : std_logic := '0';
  begin
    if rising_edge(clk) then
      if not begun then
        random.start(seed + 10 + self);
        begun := true;
      end if;
      if offered = '1' and tx_ready = '1' then
        beat := (beat + 1) mod 8;
        if beat = 0 then
          n := n + 1;
        end if;
        offered := '0';
      end if;
      if offered = '0' and rst = '0' and (n < budget or beat > 0) and not random.chance(pauses) then
        p       := packet_number(seed, self, n, channels);
        offered := '1';
      end if;
      tx_valid  <= offered;
      for i in 0 to 3 loop
        tx_data(32 * i + 31 downto 32 * i) <= p.payload(4 * beat + i);
      end loop;
      tx_first  <= to_bit(beat = 0);
      tx_vc     <= std_logic_vector(to_unsigned(p.channel, 3));
      tx_offset <= p.offset;
      tx_void   <= to_bit(p.withdrawn);
      written   <= n;
    end if;
  end process;

  read : process is
    type numbers_t is array (0 to 7) of natural;
    variable random : random_t;
    variable next_of : numbers_t := (others => 0);  -- of the peer's packets, by channel
    variable p : packet_t;
    variable c : natural;
    variable count : natural := 0;
  begin
    random.start(seed + 20 + self);
    loop
      wait until rising_edge(clk) and rst = '0' and (rx_waiting and reads) /= x"00";
      if random.chance(1000000 - eagerness) then
        next;
      end if;
      c := random.below(8);
      while (rx_waiting(c) and reads(c)) = '0' loop
        c := (c + 1) mod 8;
      end loop;
      loop
        p          := packet_number(seed, 1 - self, next_of(c), channels);
        next_of(c) := next_of(c) + 1;
        exit when p.channel = c and not p.withdrawn;
      end loop;
      rx_vc <= std_logic_vector(to_unsigned(c, 3));
      for beat in 0 to 7 loop
        rx_beat <= std_logic_vector(to_unsigned(beat, 3));
        rx_pop  <= to_bit(beat = 7);
        wait until rising_edge(clk);
        rx_pop <= '0';
        wait until falling_edge(clk);
        for i in 0 to 3 loop
          assert rx_data(32 * i + 31 downto 32 * i) = p.payload(4 * beat + i) and rx_offset = p.offset
            report "end " & to_string(self) & ", channel " & to_string(c) & ": got " & to_hstring(rx_data) &
                   " at offset " & to_hstring(rx_offset) & " instead of packet " & to_string(next_of(c) - 1)
            severity failure;
        end loop;
      end loop;
      count := count + 1;
      taken <= count;
    end loop;
  end process;
end architecture;
