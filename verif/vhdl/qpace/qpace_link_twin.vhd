-- SPDX-License-Identifier: Apache-2.0
-- One end of a QPACE link, written from rtl/qpace/README.md alone: the second opinion on the Verilog qpace_link,
-- with its ports. What an end does is in the packages, one for each chapter of the document; here they are called in
-- order, once a link cycle. README.md here says how to run it.
library ieee;
use ieee.std_logic_1164.all;
use ieee.numeric_std.all;
use work.qpace_wire.all;
use work.qpace_listener.all;
use work.qpace_state.all;
use work.qpace_training.all;
use work.qpace_traffic.all;
use work.qpace_speaker.all;
use work.qpace_registers.all;

entity qpace_link_twin is
  generic (
    rx_slots  : positive := 8;  -- 2, 4, 8 or 16 for each channel
    ack_every : positive := 3   -- 1 to 7
  );
  port (
    clk, rst, link_clk, link_rst : in std_logic;
    beat : in std_logic;
    port_number : in std_logic_vector(2 downto 0);

    tx_valid : in std_logic;
    tx_ready : out std_logic;
    tx_data : in std_logic_vector(127 downto 0);
    tx_first : in std_logic;
    tx_vc : in std_logic_vector(2 downto 0);
    tx_offset : in std_logic_vector(14 downto 0);
    tx_void : in std_logic;
    tx_room : out std_logic;

    rx_waiting : out std_logic_vector(7 downto 0);
    rx_vc, rx_beat : in std_logic_vector(2 downto 0);
    rx_mute : in std_logic;  -- with them: 0 instead, so that outputs of several links can be or-ed
    rx_data : out std_logic_vector(127 downto 0);
    rx_offset : out std_logic_vector(14 downto 0);
    rx_pop : in std_logic;

    reg_valid, reg_write : in std_logic;
    reg_address : in std_logic_vector(5 downto 0);
    reg_wdata : in std_logic_vector(31 downto 0);
    reg_ack : out std_logic;
    reg_rdata : out std_logic_vector(31 downto 0);
    reg_error : out std_logic;
    link_up, link_attention : out std_logic;

    xgmii_txd : out std_logic_vector(31 downto 0);
    xgmii_txc : out std_logic_vector(3 downto 0);
    xgmii_rxd : in std_logic_vector(31 downto 0);
    xgmii_rxc : in std_logic_vector(3 downto 0);

    obs_idle, obs_rx_start, obs_rx_ok, obs_rx_command, obs_rx_error : out std_logic;
    obs_retransmit, obs_replay, obs_accept : out std_logic;
    obs_state : out std_logic_vector(3 downto 0)
  );
end entity;

architecture rtl of qpace_link_twin is
  signal r        : link_t;
  signal listener : listener_t;
  signal speaker  : speaker_t;
  signal counters : counters_t;
  signal arrived  : word_t;

  signal r_next, after_speaking, after_packets, after_commands, after_hellos, after_time, after_all : link_t;
  signal listener_next : listener_t;
  signal speaker_next  : speaker_t;
  signal word_out      : word_t;
  signal heard         : heard_t;
  signal answer        : bits32;
  signal answer_err    : std_logic;
  signal clear_tallies : boolean;

  signal offer     : offer_t;
  signal next_line : slot_t;
  signal room      : std_logic_vector(7 downto 0);

  signal put         : std_logic;
  signal put_channel : channel_t;
  signal put_beat    : unsigned(2 downto 0);
  signal put_offset  : std_logic_vector(14 downto 0);
  signal gathered    : std_logic_vector(127 downto 0);

  signal request, done : std_logic;
  signal flags, flags_core : std_logic_vector(1 downto 0);
  signal rst_there, node_rst : std_logic_vector(0 downto 0);  -- rst, on link_clk
begin
  -- One cycle's chapters, each on what the one before left.
  chapter_speaker : process (all) is
    variable s : link_t;
    variable p : speaker_t;
    variable w : word_t;
  begin
    s := r;
    p := speaker;
    s.tally := (others => (others => '0'));
    speak(p, s, offer, port_number, ack_every, w);
    after_speaking <= s;
    speaker_next   <= p;
    word_out       <= w;
  end process;

  chapter_wire : process (all) is
    variable l : listener_t;
    variable h : heard_t;
  begin
    l := listener;
    listen(l, arrived, h);
    listener_next <= l;
    heard         <= h;
  end process;

  chapter_receiver : process (all) is
    variable s : link_t;
  begin
    s := after_speaking;
    if heard.packet_good or heard.packet_bad then
      packet_ended(s, heard);
    end if;
    if heard.packet_starts then
      packet_begins(s, room(to_integer(channel_in(heard.data))) = '1');
    elsif heard.payload then
      packet_goes_on(s, heard.data);
    end if;
    look_for_room(s, room);
    after_packets <= s;
  end process;

  chapter_sender : process (all) is
    variable s : link_t;
  begin
    s := after_packets;
    if heard.command_good then
      hear_command(s, heard.data);
    end if;
    if not speaker_next.stalled then
      run_timer(s);
    end if;
    after_commands <= s;
  end process;

  chapter_states : process (all) is
    variable s : link_t;
  begin
    s := after_commands;
    if heard.hello_good then
      hear_hello(s, heard.hello);
    end if;
    after_hellos <= s;
  end process;

  chapter_time : process (all) is
    variable s : link_t;
  begin
    s := after_hellos;
    pass_time(s, heard.code_error);
    watch_life(s, beat, heard.packet_good or heard.hello_good or heard.command_good);
    after_time <= s;
  end process;

  chapter_end : process (all) is
    variable s : link_t;
  begin
    s := after_time;
    if s.flushing and speaker_next.saying /= packet and offer.written(2 downto 0) = 0 then
      flush(s, offer.written);
    end if;
    if s.freed /= slot_of(s, s.oldest) then
      s.freed := s.freed + 1;
    end if;
    s.tally(code_error)(0)    := to_bit(heard.code_error);
    s.tally(framing_error)(0) := to_bit(heard.framing_error);
    s.tally(crc_error)(0)     := to_bit(heard.crc_error);
    s.tally(command_error)(0) := s.tally(command_error)(0) or to_bit(heard.command_error);
    after_all <= s;
  end process;

  chapter_registers : process (all) is
    variable s : link_t;
    variable d : bits32;
    variable clear, refuse, refuse_write : boolean;
  begin
    s            := after_all;
    clear        := false;
    refuse_write := false;
    read_register(r, counters, unsigned(reg_address), d, refuse);
    if request = '1' and reg_write = '1' then
      write_register(s, unsigned(reg_address), reg_wdata, clear, refuse_write);
      refuse := refuse_write;
    end if;
    r_next        <= s;
    clear_tallies <= clear;
    answer        <= d;
    answer_err    <= to_bit(refuse);
  end process;

  keep : process (link_clk) is
    alias h : heard_t is heard;
    alias s : link_t is r_next;
    variable cut : link_t;
  begin
    if rising_edge(link_clk) then
      arrived <= (data => xgmii_rxd, control => xgmii_rxc);
      xgmii_txd <= word_out.data;
      xgmii_txc <= word_out.control;
      done <= request;
      if request = '1' then
        reg_rdata <= answer;
        reg_error <= answer_err;
      end if;
      for i in counters'range loop
        counters(i) <= counters(i) + r.tally(i);
        if clear_tallies then
          counters(i) <= (others => '0');
        end if;
      end loop;

      put         <= to_bit(h.payload and h.place(1 downto 0) = 3 and s.had_room);
      put_channel <= channel_in(h.first);
      put_offset  <= offset_in(h.first);
      put_beat    <= h.place(4 downto 2);
      if h.payload then
        gathered <= h.data & gathered(127 downto 32);
      end if;

      obs_rx_start      <= to_bit(h.starts);
      obs_rx_ok         <= to_bit(h.packet_good or h.hello_good);
      obs_rx_command    <= to_bit(h.command_good);
      obs_rx_error      <= to_bit(h.code_error or h.framing_error or h.crc_error or h.command_error);
      obs_retransmit    <= s.tally(retransmitted)(0);
      obs_replay        <= s.tally(replayed)(0);
      obs_accept        <= s.tally(accepted)(0);

      r        <= r_next;
      speaker  <= speaker_next;
      listener <= listener_next;
      if link_rst = '1' or node_rst(0) = '1' then
        speaker  <= speaker_reset;
        listener <= listener_reset;
        arrived  <= idle_word;
        xgmii_txd <= idle_word.data;
        xgmii_txc <= idle_word.control;
        obs_rx_start      <= '0';
        obs_rx_ok         <= '0';
        obs_rx_command    <= '0';
        obs_rx_error      <= '0';
        obs_retransmit    <= '0';
        obs_replay        <= '0';
        obs_accept        <= '0';
        -- alone: what the core shares with us stands
        if r.settings.enable or speaker.saying /= nothing then
          cut := r_next;
          cut_off(cut);
          r <= cut;
        end if;
      end if;
      if node_rst(0) = '1' then
        r        <= link_reset;
        counters <= (others => (others => '0'));
        done     <= '0';
        put      <= '0';
      end if;
    end if;
  end process;

  rst_there(0) <= rst;
  reset_crossing : entity work.twin_crossing generic map (1) port map (link_clk, '0', rst_there, node_rst);

  obs_state <= to_bit(outstanding(r) /= 0) & to_bit(r.held) & state_code(r.state);
  next_line <= slot_of(r, r.send);
  obs_idle  <= to_bit(r.state /= train and (r.settings.enable = (r.state = up)) and speaker.saying = nothing
               and listener.frame = between and class_of(arrived) = is_idle and not r.hello_due and not r.urgent
               and not r.ack_due and not r.flushing and outstanding(r) = 0 and r.freed = slot_of(r, r.oldest)
               and (r.state = down or offer.written = next_line & "000"));

  flags          <= to_bit(r.errors /= (7 downto 0 => '0')) & to_bit(r.state = up);
  link_up        <= flags_core(0);
  link_attention <= flags_core(1);
  flags_crossing : entity work.twin_crossing generic map (2) port map (clk, rst, flags, flags_core);

  tx_store : entity work.twin_tx_store
    port map (clk, rst, tx_valid, tx_ready, tx_data, tx_vc, tx_offset, tx_void, tx_room, link_clk, node_rst(0), r.freed,
              next_line, speaker.slot, speaker.place(4 downto 0), offer);
  rx_shelves : entity work.twin_rx_shelves
    generic map (rx_slots)
    port map (link_clk, node_rst(0), put, put_channel, put_beat, gathered, put_offset, r.shelved, room,
              clk, rst, rx_waiting, rx_vc, rx_beat, rx_mute, rx_data, rx_offset, rx_pop);
  register_port : entity work.twin_register_port
    port map (clk, rst, reg_valid, reg_ack, link_clk, node_rst(0), request, done);
end architecture;
