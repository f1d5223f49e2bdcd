-- SPDX-License-Identifier: Apache-2.0
-- One direction of a cable: DELAY words long, with damage.
library ieee;
use ieee.std_logic_1164.all;
use ieee.numeric_std.all;
use work.qpace_wire.all;
use work.bench_random.all;

entity bench_cable is
  generic (delay : positive := 40; seed : natural);
  port (
    clk : in std_logic;            -- the sender's
    from_end : in word_t;
    to_end : out word_t := idle_word;
    flips, errors, losses : in natural;  -- words in a million with a flipped bit, an error character, or lost
    pulled : in boolean;
    damaged : out natural := 0
  );
end entity;

architecture bench of bench_cable is
  type line_t is array (0 to delay - 1) of word_t;
begin
  process (clk) is
    variable random  : random_t;
    variable started : boolean := false;
    variable line    : line_t  := (others => idle_word);
    variable missing : natural := 0;  -- words lost and not yet made up for in a pause
    variable hits    : natural := 0;
    variable w       : word_t;
    variable lane    : natural;
  begin
    if rising_edge(clk) then
      if not started then
        random.start(seed);
        started := true;
      end if;
      w := from_end;
      if random.chance(flips) then
        w.data := w.data xor std_logic_vector(shift_left(to_unsigned(1, 32), random.below(32)));
        hits   := hits + 1;
      end if;
      if random.chance(errors) then
        lane := random.below(4);
        w.data(8 * lane + 7 downto 8 * lane) := char_error;
        w.control(lane) := '1';
        hits := hits + 1;
      end if;
      to_end <= line(0);
      if pulled then
        to_end <= (data => x"FEFEFEFE", control => "1111");
      end if;
      line := line(1 to delay - 1) & idle_word;
      if missing < delay - 1 and random.chance(losses) then
        missing := missing + 1;  -- what follows comes early,
        hits    := hits + 1;
      else
        line(delay - 1 - missing) := w;
        if w = idle_word and missing > 0 then
          missing := missing - 1;  -- up to an idle word, which comes twice
        end if;
      end if;
      damaged <= hits;
    end if;
  end process;
end architecture;
