-- SPDX-License-Identifier: Apache-2.0
-- Two twins back to back. Ends with "all is well", or with a failed assertion and GHDL's exit code 1.
library ieee;
use ieee.std_logic_1164.all;
use ieee.numeric_std.all;
use work.qpace_wire.all;
use work.bench_random.all;

entity bench_twins is
  generic (seed : natural := 1; packets : positive := 150);
end entity;

architecture bench of bench_twins is
  type bits2_t is array (0 to 1) of std_logic;
  type bits3_t is array (0 to 1) of std_logic_vector(2 downto 0);
  type bits6_t is array (0 to 1) of std_logic_vector(5 downto 0);
  type bits8_t is array (0 to 1) of std_logic_vector(7 downto 0);
  type offsets_t is array (0 to 1) of std_logic_vector(14 downto 0);
  type words_t is array (0 to 1) of bits32;
  type beats_t is array (0 to 1) of std_logic_vector(127 downto 0);
  type wire_t is array (0 to 1) of word_t;
  type numbers_t is array (0 to 1) of natural;

  signal clk, link_clk : bits2_t := (others => '0');
  signal rst : bits2_t := (others => '1');
  signal running : boolean := true;
  signal beat    : std_logic := '0';  -- time, for both
  signal tx_valid, tx_ready, tx_first, tx_void, tx_room, rx_pop : bits2_t := (others => '0');
  signal tx_data, rx_data : beats_t;
  signal tx_vc, rx_vc, rx_beat : bits3_t;
  signal tx_offset, rx_offset : offsets_t;
  signal rx_waiting : bits8_t;
  signal reg_valid, reg_write, reg_ack, reg_error, link_up, link_attention, idle : bits2_t := (others => '0');
  signal reg_address : bits6_t := (others => (others => '0'));
  signal reg_wdata, reg_rdata : words_t := (others => (others => '0'));
  signal sent_word, heard_word : wire_t := (others => idle_word);
  signal obs_error, obs_retransmit : bits2_t;

  signal budget, written, taken, damaged, flips, errors, losses : numbers_t := (0, 0);
  signal pulled : boolean := false;
  signal pauses : natural := 0;
  signal eagerness : natural := 1000000;
  signal reads : std_logic_vector(7 downto 0) := x"FF";
begin
  time_passes : process is
  begin
    while running loop
      wait for 4096 ns;
      beat <= not beat;
    end loop;
    wait;
  end process;

  ends : for e in 0 to 1 generate
    -- four phases, which the seed shifts, and two ends whose clocks are alike
    tick : process is
    begin
      wait for 100 ps * (seed * (7 + 4 * e) mod 48);
      while running loop
        clk(e) <= not clk(e);
        wait for 2400 ps;
      end loop;
      wait;
    end process;
    link_tick : process is
    begin
      wait for 100 ps * (seed * (3 + 8 * e) mod 40);
      while running loop
        link_clk(e) <= not link_clk(e);
        wait for 2 ns;
      end loop;
      wait;
    end process;

    twin : entity work.qpace_link_twin
      generic map (rx_slots => 2)
      port map (
        clk(e), rst(e), link_clk(e), rst(e), beat, std_logic_vector(to_unsigned(e, 3)),
        tx_valid(e), tx_ready(e), tx_data(e), tx_first(e), tx_vc(e), tx_offset(e), tx_void(e), tx_room(e),
        rx_waiting(e), rx_vc(e), rx_beat(e), '0', rx_data(e), rx_offset(e), rx_pop(e),
        reg_valid(e), reg_write(e), reg_address(e), reg_wdata(e), reg_ack(e), reg_rdata(e), reg_error(e),
        link_up(e), link_attention(e), sent_word(e).data, sent_word(e).control, heard_word(e).data,
        heard_word(e).control, idle(e), open, open, open, obs_error(e), obs_retransmit(e), open, open, open);

    host : entity work.bench_host
      generic map (self => e, seed => seed)
      port map (clk(e), rst(e), budget(e), pauses, eagerness, reads, written(e), taken(e), tx_valid(e), tx_ready(e),
                tx_data(e), tx_first(e), tx_vc(e), tx_offset(e), tx_void(e), rx_waiting(e), rx_vc(e), rx_beat(e),
                rx_data(e), rx_offset(e), rx_pop(e));

    cable : entity work.bench_cable
      generic map (delay => 20 + seed mod 50, seed => seed + 30 + e)
      port map (link_clk(e), sent_word(e), heard_word(1 - e), flips(e), errors(e), losses(e), pulled, damaged(e));
  end generate;

  story : process is
    variable random   : random_t;
    variable expected : numbers_t := (0, 0);  -- packets that are to be taken by each end

    procedure tick(e : natural) is
    begin
      if e = 0 then
        wait until rising_edge(clk(0));
      else
        wait until rising_edge(clk(1));
      end if;
    end procedure;

    procedure request(e, address : natural; write : std_logic; what : string) is
    begin
      tick(e);
      reg_valid(e)   <= '1';
      reg_write(e)   <= write;
      reg_address(e) <= std_logic_vector(to_unsigned(address, 6));
      tick(e);
      reg_valid(e) <= '0';
      for i in 1 to 100 loop
        tick(e);
        exit when reg_ack(e) = '1';
      end loop;
      assert reg_ack(e) = '1' and reg_error(e) = '0'
        report "register " & to_string(address) & " of end " & to_string(e) & " refused a " & what severity failure;
    end procedure;

    procedure write_reg(e, address : natural; data : bits32) is
    begin
      reg_wdata(e) <= data;
      request(e, address, '1', "write");
    end procedure;

    procedure read_reg(e, address : natural; data : out bits32) is
    begin
      request(e, address, '0', "read");
      data := reg_rdata(e);
    end procedure;

    procedure expect(e, address : natural; value : bits32; what : string) is
      variable got : bits32;
    begin
      read_reg(e, address, got);
      assert got = value
        report "end " & to_string(e) & ", " & what & ": " & to_hstring(got) & " instead of " & to_hstring(value)
        severity failure;
    end procedure;

    procedure start(epoch : natural) is
    begin
      for e in 0 to 1 loop
        write_reg(e, 0, x"00000000");
        write_reg(e, 3, std_logic_vector(to_unsigned(100 + e, 32)));
        write_reg(e, 4, std_logic_vector(to_unsigned(epoch, 32)));
        write_reg(e, 0, x"00000001");
      end loop;
      wait until link_up(0) = '1' and link_up(1) = '1' for 20 us;
      assert link_up(0) = '1' and link_up(1) = '1' report "the ends did not come up" severity failure;
    end procedure;

    procedure queue(amount : natural) is
      variable p : packet_t;
    begin
      for e in 0 to 1 loop
        for n in budget(e) to budget(e) + amount - 1 loop
          p := packet_number(seed, e, n, 8);
          if not p.withdrawn then
            expected(1 - e) := expected(1 - e) + 1;
          end if;
        end loop;
        budget(e) <= budget(e) + amount;
      end loop;
      wait for 0 ns;
    end procedure;

    -- Everything arrives, and both ends agree on it.
    procedure settle(what : string; limit : time) is
      variable tx, rx : bits32;
    begin
      if not (taken(0) = expected(0) and taken(1) = expected(1) and idle(0) = '1' and idle(1) = '1') then
        wait until taken(0) = expected(0) and taken(1) = expected(1) and idle(0) = '1' and idle(1) = '1' for limit;
      end if;
      assert taken(0) = expected(0) and taken(1) = expected(1)
        report what & ": end 0 took " & to_string(taken(0)) & " of " & to_string(expected(0)) & ", end 1 took " &
               to_string(taken(1)) & " of " & to_string(expected(1)) severity failure;
      wait for 2 us;  -- whatever should not come would come now
      for e in 0 to 1 loop
        assert taken(e) = expected(e) and written(e) = budget(e) report what & ": too many packets" severity failure;
        read_reg(e, 16#0c#, tx);
        expect(1 - e, 16#0d#, tx, what & ", checksum over what was accepted");
      end loop;
      report what & ": " & to_string(taken(0)) & " and " & to_string(taken(1)) & " packets, " &
             to_string(damaged(0)) & " and " & to_string(damaged(1)) & " damaged words";
    end procedure;

    variable before : numbers_t;
    variable value : bits32;
  begin
    random.start(seed);
    wait for 40 ns;
    rst <= (others => '0');
    wait for 400 ns;
    start(epoch => 1);

    queue(packets);
    settle("clean cable", 100 us + packets * 200 ns);
    for e in 0 to 1 loop
      expect(e, 16#11#, x"00000000", "packets sent again over a clean cable");
      expect(e, 16#15#, x"00000000", "CRC errors");
      expect(e, 16#10#, std_logic_vector(to_unsigned(budget(e), 32)), "packets sent");
      expect(e, 16#12#, std_logic_vector(to_unsigned(budget(e), 32)), "packets acknowledged");
    end loop;

    pauses    <= 100000;
    eagerness <= 30000;
    queue(packets);
    settle("slow hosts", 300 us + packets * 5 us);
    pauses    <= 0;
    eagerness <= 1000000;

    flips  <= (2000, 2000);
    errors <= (1000, 1000);
    losses <= (300, 300);
    before := damaged;
    queue(packets);
    settle("errors of all kinds", 1 ms + packets * 5 us);
    assert damaged(0) > before(0) and damaged(1) > before(1) report "no word was damaged" severity failure;
    flips  <= (0, 0);
    errors <= (0, 0);
    losses <= (0, 0);
    wait for 2 us;

    -- READY, and not a probe, ends BUSY
    for e in 0 to 1 loop
      write_reg(e, 9, x"00FFFF00");
    end loop;
    reads <= x"00";
    queue(30);
    wait for 20 us;
    for e in 0 to 1 loop
      read_reg(e, 1, value);
      assert value(2) = '1' and value(5) = '1' report "no end is held by BUSY" severity failure;
    end loop;
    reads <= x"FF";
    settle("a reader who was away", 30 us);

    queue(30);
    wait for 2 us;
    pulled <= true;
    wait for 3 us;
    pulled <= false;
    settle("a pulled cable", 100 us);
    for e in 0 to 1 loop
      expect(e, 2, x"00000020", "errors after a pulled cable");
      write_reg(e, 2, x"FFFFFFFF");
      expect(e, 16#1f#, x"00000000", "packets flushed");
    end loop;

    -- a new session, known to one end before the other
    write_reg(1, 0, x"00000000");
    write_reg(1, 4, x"00000002");
    write_reg(1, 0, x"00000001");
    wait for 20 us;
    expect(0, 2, x"00000008", "errors after the peer's new session");
    expect(1, 2, x"00000000", "errors after an own new session");
    for e in 0 to 1 loop
      expect(e, 16#0c#, x"00000000", "checksum of a new session");
    end loop;
    queue(packets);
    settle("a new session", 100 us + packets * 200 ns);

    report "all is well";
    running <= false;
    wait;
  end process;

  watchdog : process is
  begin
    wait until not running for 3 ms;
    assert not running report "the bench did not come to its end" severity failure;
    wait;
  end process;
end architecture;
