-- SPDX-License-Identifier: Apache-2.0
-- All that an end of a link remembers on the link clock, and small questions about it.
library ieee;
use ieee.std_logic_1164.all;
use ieee.numeric_std.all;
use work.qpace_wire.all;

package qpace_state is
  type state_t is (down, train, up);
  subtype channel_t is unsigned(2 downto 0);
  subtype slot_t is unsigned(4 downto 0);       -- of the transmit FIFO's 16: counts modulo 32
  subtype beats_t is unsigned(7 downto 0);      -- of 16 bytes, written by the core: slot_t and 3 bits
  type shelf_counts_t is array (0 to 7) of unsigned(4 downto 0);

  -- Registers that the core writes.
  type settings_t is record
    enable                    : boolean;
    node, epoch, ack_timeout  : bits16;
    retry_limit               : std_logic_vector(7 downto 0);
    retrain_limit             : std_logic_vector(3 downto 0);
    train_timeout, busy_probe : bits16;  -- units of 256 cycles
    alive_timeout             : std_logic_vector(5 downto 0);  -- marks
  end record;

  subtype errors_t is std_logic_vector(7 downto 0);
  constant error_retrain_limit   : errors_t := "00000001";
  constant error_train_timeout : errors_t := "00000010";
  constant error_version       : errors_t := "00000100";
  constant error_peer_changed  : errors_t := "00001000";
  constant error_protocol      : errors_t := "00010000";
  constant error_silent        : errors_t := "01000000";
  constant error_signal_lost   : errors_t := "00100000";
  constant error_link_reset    : errors_t := "10000000";

  -- Who is at the other end.
  type peer_t is record
    port_number : std_logic_vector(2 downto 0);
    node, epoch : bits16;
  end record;

  -- What happened in this cycle, for counters and observation; registers 10 to 21, 2c and 2d count these.
  subtype tally_t is unsigned(4 downto 0);
  type tallies_t is array (16#10# to 16#2d#) of tally_t;
  constant sent : natural := 16#10#;
  constant retransmitted : natural := 16#11#;
  constant acknowledged : natural := 16#12#;
  constant accepted : natural := 16#13#;
  constant duplicate : natural := 16#14#;
  constant crc_error : natural := 16#15#;
  constant code_error : natural := 16#16#;
  constant framing_error : natural := 16#17#;
  constant command_error : natural := 16#18#;
  constant nack_sent : natural := 16#19#;
  constant nack_received : natural := 16#1a#;
  constant busy_sent : natural := 16#1b#;
  constant busy_received : natural := 16#1c#;
  constant timeout : natural := 16#1d#;
  constant retrain : natural := 16#1e#;
  constant flushed : natural := 16#1f#;
  constant gap : natural := 16#20#;
  constant refused : natural := 16#21#;
  constant replayed : natural := 16#2c#;
  constant silence : natural := 16#2d#;

  type link_t is record
    settings : settings_t;
    errors   : errors_t;
    tally    : tallies_t;
    -- sender
    oldest, send, high : sequence_t;
    bias               : slot_t;     -- slot of a packet = sequence + bias
    freed              : slot_t;     -- told to the core; walks after `oldest`
    held, probe        : boolean;    -- BUSY; may send one packet all the same
    for_room           : boolean;    -- `send` went back because the peer had no room
    timer              : unsigned(23 downto 0);
    retries            : unsigned(8 downto 0);
    retrains           : unsigned(4 downto 0);
    tx_sum             : bits32;
    -- receiver
    expected           : sequence_t;
    told               : boolean;    -- the sender knows what is missing
    refusing           : boolean;    -- BUSY, and no READY yet
    refused_channel    : channel_t;
    urgent             : boolean;    -- this command at the next frame boundary
    urgent_kind        : command_t;
    ack_due            : boolean;
    since_command      : unsigned(2 downto 0);  -- own packets since the last command
    had_room           : boolean;    -- for the packet that is coming in
    coming_sum, rx_sum : bits32;     -- with and without the packet that is coming in
    shelved            : shelf_counts_t;  -- packets ever accepted, by channel, modulo 32
    -- training
    state              : state_t;
    number, echo       : std_logic_vector(3 downto 0);
    heard              : boolean;
    peer_known         : boolean;
    peer               : peer_t;
    session, used      : boolean;
    stale              : boolean;    -- the session ends with the next training
    flushing           : boolean;    -- waits for the end of a line
    hello_due          : boolean;
    hello_pause        : unsigned(5 downto 0);
    train_time         : unsigned(23 downto 0);
    lost_words         : unsigned(5 downto 0);
    -- keep-alives
    beat               : std_logic;  -- a mark is where it changes
    spoke, listened    : boolean;    -- since the last mark; listened: something good was heard
    deaf_marks         : unsigned(5 downto 0);
  end record;

  constant link_reset : link_t := (
    settings => (enable => false, node => x"0000", epoch => x"0000", ack_timeout => x"0400", retry_limit => x"10",
                 retrain_limit => x"8", train_timeout => x"1000", busy_probe => x"0040", alive_timeout => "000101"),
    errors => (others => '0'), tally => (others => (others => '0')),
    oldest => (others => '0'), send => (others => '0'), high => (others => '0'),
    bias => (others => '0'), freed => (others => '0'), held => false, probe => false, for_room => false,
    timer => (others => '0'), retries => (others => '0'), retrains => (others => '0'), tx_sum => (others => '0'),
    expected => (others => '0'), told => false, refusing => false, refused_channel => (others => '0'),
    urgent => false, urgent_kind => command_ack, ack_due => false, since_command => (others => '0'),
    had_room => false, coming_sum => (others => '0'), rx_sum => (others => '0'),
    shelved => (others => (others => '0')),
    state => down, number => (others => '0'), echo => (others => '0'), heard => false, peer_known => false,
    peer => (port_number => "000", node => x"0000", epoch => x"0000"), session => false, used => false,
    stale => false, flushing => false, hello_due => false, hello_pause => (others => '0'),
    train_time => (others => '0'), lost_words => (others => '0'),
    beat => '0', spoke => true, listened => true, deaf_marks => (others => '0'));

  function state_code(state : state_t) return std_logic_vector;
  function slot_of(s : link_t; seq : sequence_t) return slot_t;
  function outstanding(s : link_t) return sequence_t;
  function in_window(s : link_t; seq : sequence_t) return boolean;

  -- Reflected binary: one bit changes a step, so that another clock reads the old or the new count.
  function gray(count : unsigned) return std_logic_vector;
  function binary(reflected : std_logic_vector) return unsigned;
end package;

package body qpace_state is
  function state_code(state : state_t) return std_logic_vector is
  begin
    return to_bit(state = up) & to_bit(state = train);
  end function;

  function slot_of(s : link_t; seq : sequence_t) return slot_t is
  begin
    return seq(4 downto 0) + s.bias;
  end function;

  function outstanding(s : link_t) return sequence_t is
  begin
    return s.high - s.oldest;
  end function;

  function in_window(s : link_t; seq : sequence_t) return boolean is
    constant distance : sequence_t := seq - s.oldest;
  begin
    return distance <= outstanding(s);
  end function;

  function gray(count : unsigned) return std_logic_vector is
  begin
    return std_logic_vector(count xor shift_right(count, 1));
  end function;

  function binary(reflected : std_logic_vector) return unsigned is
    variable b : unsigned(reflected'length - 1 downto 0) := unsigned(reflected);
  begin
    for i in b'high - 1 downto 0 loop
      b(i) := b(i) xor b(i + 1);
    end loop;
    return b;
  end function;
end package body;
