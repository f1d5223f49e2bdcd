-- SPDX-License-Identifier: Apache-2.0
-- The places where the core clock and the link clock meet.
library ieee;
use ieee.std_logic_1164.all;

-- Two flip-flops in the clock that listens. Only one bit of `d` may change at a time.
entity twin_crossing is
  generic (width : positive);
  port (clk : in std_logic; rst : in std_logic; d : in std_logic_vector(width - 1 downto 0);
        q : out std_logic_vector(width - 1 downto 0));
end entity;

architecture rtl of twin_crossing is
  signal middle, settled : std_logic_vector(width - 1 downto 0);
begin
  q <= settled;
  process (clk) is
  begin
    if rising_edge(clk) then
      middle  <= d;
      settled <= middle;
      if rst = '1' then
        middle  <= (others => '0');
        settled <= (others => '0');
      end if;
    end if;
  end process;
end architecture;

library ieee;
use ieee.std_logic_1164.all;
use ieee.numeric_std.all;
use work.qpace_wire.all;
use work.qpace_state.all;
use work.qpace_speaker.all;

-- The transmit FIFO: 16 lines of 8 beats. The core fills them, the link reads any of them until it frees it.
entity twin_tx_store is
  port (
    clk, rst : in std_logic;
    tx_valid : in std_logic;
    tx_ready : out std_logic;
    tx_data : in std_logic_vector(127 downto 0);
    tx_vc : in std_logic_vector(2 downto 0);
    tx_offset : in std_logic_vector(14 downto 0);
    tx_void : in std_logic;
    tx_room : out std_logic;
    link_clk, link_rst : in std_logic;
    freed : in slot_t;             -- oldest line that the link still needs
    next_line : in slot_t;         -- whose header is offered
    line : in slot_t;              -- whose words are offered
    place : in unsigned(4 downto 0);
    offer : out offer_t
  );
end entity;

architecture rtl of twin_tx_store is
  type beats_memory_t is array (0 to 127) of std_logic_vector(127 downto 0);
  type labels_memory_t is array (0 to 15) of std_logic_vector(17 downto 0);
  signal beats      : beats_memory_t;
  signal labels     : labels_memory_t;
  signal voids      : std_logic_vector(15 downto 0);
  signal count      : beats_t;  -- beats ever taken
  signal count_gray : std_logic_vector(7 downto 0);
  signal freed_gray, freed_here : std_logic_vector(4 downto 0);
  signal written    : std_logic_vector(7 downto 0);
  signal used_lines : slot_t;
  signal ready, fits : std_logic;
  signal beat       : std_logic_vector(127 downto 0);
  signal heading    : std_logic_vector(17 downto 0);
begin
  used_lines <= count(7 downto 3) - binary(freed_here);  -- without one that has begun, which keeps its place
  ready      <= to_bit(used_lines < 16);
  fits       <= to_bit(used_lines < 15 or (used_lines = 15 and count(2 downto 0) = 0));
  tx_ready   <= ready;
  tx_room    <= fits;

  fill : process (clk) is
  begin
    if rising_edge(clk) then
      if rst = '1' then
        count      <= (others => '0');
        count_gray <= (others => '0');
      elsif tx_valid = '1' and ready = '1' then
        beats(to_integer(count(6 downto 0))) <= tx_data;
        if count(2 downto 0) = 0 then
          labels(to_integer(count(6 downto 3))) <= tx_vc & tx_offset;
        end if;
        voids(to_integer(count(6 downto 3))) <= tx_void;
        count      <= count + 1;
        count_gray <= gray(count + 1);
      end if;
    end if;
  end process;

  step : process (link_clk) is
  begin
    if rising_edge(link_clk) then
      freed_gray <= gray(freed);
      if link_rst = '1' then
        freed_gray <= (others => '0');
      end if;
    end if;
  end process;
  to_core : entity work.twin_crossing generic map (5) port map (clk, rst, freed_gray, freed_here);
  to_link : entity work.twin_crossing generic map (8) port map (link_clk, link_rst, count_gray, written);

  beat    <= beats(to_integer(line(3 downto 0) & place(4 downto 2)));
  heading <= labels(to_integer(next_line(3 downto 0)));
  offer.written   <= binary(written);
  offer.channel   <= unsigned(heading(17 downto 15));
  offer.offset    <= heading(14 downto 0);
  offer.withdrawn <= voids(to_integer(line(3 downto 0)));
  offer.payload   <= beat(31 downto 0) when place(1 downto 0) = 0 else beat(63 downto 32) when place(1 downto 0) = 1 else
                     beat(95 downto 64) when place(1 downto 0) = 2 else beat(127 downto 96);
end architecture;

library ieee;
use ieee.std_logic_1164.all;
use ieee.numeric_std.all;
use work.qpace_wire.all;
use work.qpace_state.all;

-- The receive buffer: RX_SLOTS packets for each of 8 channels. The link writes the beats of a packet that is coming
-- in and counts the good ones in `shelved`; the core reads and takes them.
entity twin_rx_shelves is
  generic (rx_slots : positive);
  port (
    link_clk, link_rst : in std_logic;
    put : in std_logic;
    channel : in channel_t;
    beat : in unsigned(2 downto 0);
    data : in std_logic_vector(127 downto 0);
    offset : in std_logic_vector(14 downto 0);
    shelved : in shelf_counts_t;
    room : out std_logic_vector(7 downto 0);
    clk, rst : in std_logic;
    rx_waiting : out std_logic_vector(7 downto 0);
    rx_vc, rx_beat : in std_logic_vector(2 downto 0);
    rx_mute : in std_logic;
    rx_data : out std_logic_vector(127 downto 0);
    rx_offset : out std_logic_vector(14 downto 0);
    rx_pop : in std_logic
  );
end entity;

architecture rtl of twin_rx_shelves is
  constant slots : positive := 8 * rx_slots;
  type beats_memory_t is array (0 to 8 * slots - 1) of std_logic_vector(127 downto 0);
  type labels_memory_t is array (0 to slots - 1) of std_logic_vector(14 downto 0);
  type grays_t is array (0 to 7) of std_logic_vector(4 downto 0);
  signal beats       : beats_memory_t;
  signal labels      : labels_memory_t;
  signal taken       : shelf_counts_t;
  signal taken_gray, shelved_gray, taken_there, shelved_here : grays_t;

  function place_of(of_channel : unsigned(2 downto 0); before : unsigned(4 downto 0)) return natural is
  begin
    return to_integer(of_channel) * rx_slots + to_integer(before) mod rx_slots;
  end function;
begin
  write : process (link_clk) is
    variable place : natural range 0 to slots - 1;
  begin
    if rising_edge(link_clk) then
      place := place_of(channel, shelved(to_integer(channel)));
      if put = '1' then
        beats(place * 8 + to_integer(beat)) <= data;
        labels(place)                       <= offset;
      end if;
    end if;
  end process;

  read : process (clk) is
    variable place : natural range 0 to slots - 1;
  begin
    if rising_edge(clk) then
      place     := place_of(unsigned(rx_vc), taken(to_integer(unsigned(rx_vc))));
      rx_data   <= beats(place * 8 + to_integer(unsigned(rx_beat)));
      rx_offset <= labels(place);
      if rx_mute = '1' then
        rx_data   <= (others => '0');
        rx_offset <= (others => '0');
      end if;
    end if;
  end process;

  count : process (clk) is
  begin
    if rising_edge(clk) then
      if rst = '1' then
        taken <= (others => (others => '0'));
      elsif rx_pop = '1' then
        taken(to_integer(unsigned(rx_vc))) <= taken(to_integer(unsigned(rx_vc))) + 1;
      end if;
    end if;
  end process;

  each : for c in 0 to 7 generate
    signal here, there : unsigned(4 downto 0);
  begin
    grays : process (clk) is
    begin
      if rising_edge(clk) then
        taken_gray(c) <= gray(taken(c));
        if rst = '1' then
          taken_gray(c) <= (others => '0');
        end if;
      end if;
    end process;
    shelved_grays : process (link_clk) is
    begin
      if rising_edge(link_clk) then
        shelved_gray(c) <= gray(shelved(c));
        if link_rst = '1' then
          shelved_gray(c) <= (others => '0');
        end if;
      end if;
    end process;
    to_link : entity work.twin_crossing generic map (5) port map (link_clk, link_rst, taken_gray(c), taken_there(c));
    to_core : entity work.twin_crossing generic map (5) port map (clk, rst, shelved_gray(c), shelved_here(c));
    here          <= binary(shelved_here(c)) - taken(c);
    there         <= shelved(c) - binary(taken_there(c));
    rx_waiting(c) <= to_bit(here /= 0);
    room(c)       <= to_bit(there < rx_slots);
  end generate;
end architecture;

library ieee;
use ieee.std_logic_1164.all;
use work.qpace_wire.all;

-- A register access of the core, carried to the link clock and back.
entity twin_register_port is
  port (
    clk, rst : in std_logic;
    reg_valid : in std_logic;
    reg_ack : out std_logic;
    link_clk, link_rst : in std_logic;
    request : out std_logic;  -- one cycle
    done : in std_logic       -- one cycle, answer stands
  );
end entity;

architecture rtl of twin_register_port is
  signal asked, answered, answered_before : std_logic_vector(0 downto 0);
  signal asked_there, asked_before, answer : std_logic_vector(0 downto 0);
begin
  request <= asked_there(0) xor asked_before(0);
  reg_ack <= answered(0) xor answered_before(0);
  core : process (clk) is
  begin
    if rising_edge(clk) then
      asked(0)        <= asked(0) xor reg_valid;
      answered_before <= answered;
      if rst = '1' then
        asked           <= "0";
        answered_before <= "0";
      end if;
    end if;
  end process;
  far : process (link_clk) is
  begin
    if rising_edge(link_clk) then
      asked_before <= asked_there;
      answer(0)    <= answer(0) xor done;
      if link_rst = '1' then
        asked_before <= "0";
        answer       <= "0";
      end if;
    end if;
  end process;
  to_link : entity work.twin_crossing generic map (1) port map (link_clk, link_rst, asked, asked_there);
  to_core : entity work.twin_crossing generic map (1) port map (clk, rst, answer, answered);
end architecture;
