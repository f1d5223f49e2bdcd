-- SPDX-License-Identifier: Apache-2.0
-- "States" of rtl/qpace/README.md: DOWN, TRAIN, UP, the peer, sessions and flushes.
library ieee;
use ieee.std_logic_1164.all;
use ieee.numeric_std.all;
use work.qpace_wire.all;
use work.qpace_state.all;

package qpace_training is
  procedure go_down(s : inout link_t; cause : in errors_t);
  procedure cut_off(s : inout link_t);
  procedure begin_training(s : inout link_t);
  -- `oldest` moves on to `sequence`, which lies in the window.
  procedure advance(s : inout link_t; seq : in sequence_t);
  procedure hear_hello(s : inout link_t; h : in hello_t);
  -- Gives up everything in the transmit FIFO, into which the core has written `written`.
  procedure flush(s : inout link_t; written : in beats_t);
  -- Once a cycle: patience, hellos, lost signal, ENABLE.
  procedure pass_time(s : inout link_t; undecodable : in boolean);
  -- Once a cycle: keep-alives, ours and the peer's. `good` was heard in this cycle.
  procedure watch_life(s : inout link_t; beat : in std_logic; good : in boolean);
  function own_hello(s : link_t; port_number : std_logic_vector(2 downto 0)) return hello_t;
end package;

package body qpace_training is
  -- What only lives while the link is UP.
  procedure forget_talk(s : inout link_t) is
  begin
    s.held          := false;
    s.probe         := false;
    s.timer         := (others => '0');
    s.retries       := (others => '0');
    s.told          := false;
    s.refusing      := false;
    s.urgent        := false;
    s.ack_due       := false;
    s.since_command := (others => '0');
    s.hello_due     := false;
    s.lost_words    := (others => '0');
  end procedure;

  procedure go_down(s : inout link_t; cause : in errors_t) is
  begin
    forget_talk(s);
    s.state           := down;
    s.settings.enable := false;
    s.retrains        := (others => '0');
    s.errors          := s.errors or cause;
  end procedure;

  -- This end of the cable was reset by itself.
  procedure cut_off(s : inout link_t) is
  begin
    go_down(s, error_link_reset);
    s.stale := true;
  end procedure;

  -- The session is over: what it left is given up as soon as no line is half written.
  procedure end_session(s : inout link_t) is
  begin
    s.flushing := s.flushing or s.session;
    s.session  := false;
    s.used     := false;
    s.stale    := false;
    s.heard    := false;
  end procedure;

  procedure begin_training(s : inout link_t) is
  begin
    if s.state = up and outstanding(s) /= 0 then
      if s.retrains >= unsigned(s.settings.retrain_limit) then
        go_down(s, error_retrain_limit);
        return;
      end if;
      s.retrains := s.retrains + 1;
    end if;
    if s.state = up then
      s.tally(retrain) := to_unsigned(1, 5);
    end if;
    forget_talk(s);
    s.state       := train;
    s.number      := std_logic_vector(unsigned(s.number) + 1);
    s.heard       := false;
    s.hello_due   := true;
    s.hello_pause := (others => '0');
    s.train_time  := (others => '0');
    if s.stale then
      s.flushing := true;
      end_session(s);
    end if;
  end procedure;

  procedure advance(s : inout link_t; seq : in sequence_t) is
    constant amount : sequence_t := seq - s.oldest;
  begin
    if amount /= 0 then
      s.tally(acknowledged) := amount(4 downto 0);
      s.oldest   := seq;
      s.used     := true;
      s.held     := false;
      s.probe    := false;
      s.retries  := (others => '0');
      s.retrains := (others => '0');
    end if;
  end procedure;

  procedure go_up(s : inout link_t; seq : in sequence_t) is
  begin
    if not in_window(s, seq) then
      s.stale := true;
      go_down(s, error_protocol);
      return;
    end if;
    advance(s, seq);
    s.send      := seq;
    s.for_room  := false;
    s.state     := up;
    s.session   := true;
    s.hello_due := true;  -- tells the peer that we are
  end procedure;

  procedure hear_hello(s : inout link_t; h : in hello_t) is
    constant who  : peer_t := (port_number => h.port_number, node => h.node, epoch => h.epoch);
    variable same : boolean;
  begin
    if s.state = down or s.flushing then
      return;
    elsif h.version /= protocol_version then
      s.errors := s.errors or error_version;
      return;
    end if;
    if not s.peer_known then
      s.peer       := who;
      s.peer_known := true;
    end if;
    -- one that has lost our session is somebody else
    same := s.peer = who and not (s.used and h.session = '0');
    if s.state = up then
      if not same then
        begin_training(s);
      elsif h.up = '0' then
        if h.heard = '1' and h.number = s.echo then
          s.hello_due := true;
        else
          begin_training(s);
        end if;
      end if;
    elsif not same then
      if s.session then
        s.errors := s.errors or error_peer_changed;
      end if;
      s.peer_known := false;
      end_session(s);
    else
      s.heard := true;
      s.echo  := h.number;
      -- a used peer without whom we have no session is about to flush
      if h.heard = '1' and h.echo = s.number and (s.session or h.used = '0') then
        go_up(s, h.expected);
      end if;
    end if;
  end procedure;

  procedure flush(s : inout link_t; written : in beats_t) is
    constant now : slot_t := written(7 downto 3);
  begin
    s.tally(flushed) := now - slot_of(s, s.oldest);
    s.flushing := false;
    s.bias     := now;
    s.oldest   := (others => '0');
    s.send     := (others => '0');
    s.high     := (others => '0');
    s.expected := (others => '0');
    s.tx_sum   := (others => '0');
    s.rx_sum   := (others => '0');
    s.retrains := (others => '0');
  end procedure;

  procedure pass_time(s : inout link_t; undecodable : in boolean) is
  begin
    if not s.settings.enable then
      if s.state /= down then
        go_down(s, (others => '0'));
      end if;
    elsif s.state = down then
      begin_training(s);
    elsif s.state = train then
      s.hello_pause := s.hello_pause + 1;
      if s.hello_pause = 0 then
        s.hello_due := true;
      end if;
      s.train_time := s.train_time + 1;
      if s.train_time >= (unsigned(s.settings.train_timeout) & x"00") then
        go_down(s, error_train_timeout);
      end if;
    elsif not undecodable then
      s.lost_words := (others => '0');
    else
      s.lost_words := s.lost_words + 1;
      if s.lost_words = 0 then
        s.errors := s.errors or error_signal_lost;
        begin_training(s);
      end if;
    end if;
  end procedure;

  procedure watch_life(s : inout link_t; beat : in std_logic; good : in boolean) is
    constant mark : boolean := beat /= s.beat;
  begin
    s.beat := beat;
    if s.state /= up then
      s.spoke      := true;
      s.listened   := true;
      s.deaf_marks := (others => '0');
      return;
    end if;
    if mark then
      s.ack_due    := s.ack_due or not s.spoke;
      s.deaf_marks := s.deaf_marks + 1;
      if s.listened then
        s.deaf_marks := to_unsigned(1, 6);
      elsif s.deaf_marks >= unsigned(s.settings.alive_timeout) then
        s.errors         := s.errors or error_silent;
        s.tally(silence) := to_unsigned(1, 5);
        begin_training(s);
      end if;
      s.spoke    := false;
      s.listened := false;
    end if;
    s.listened := s.listened or good;
  end procedure;

  function own_hello(s : link_t; port_number : std_logic_vector(2 downto 0)) return hello_t is
  begin
    return (version => protocol_version, port_number => port_number, used => to_bit(s.used),
            session => to_bit(s.session), heard => to_bit(s.heard), up => to_bit(s.state = up), echo => s.echo,
            number => s.number, epoch => s.settings.epoch, node => s.settings.node, expected => s.expected);
  end function;
end package body;
