-- SPDX-License-Identifier: Apache-2.0
-- "Sender: go-back-N" and "Receiver" of rtl/qpace/README.md: what commands and packets do, and the timer.
library ieee;
use ieee.std_logic_1164.all;
use ieee.numeric_std.all;
use work.qpace_wire.all;
use work.qpace_state.all;
use work.qpace_listener.all;
use work.qpace_training.all;

package qpace_traffic is
  procedure hear_command(s : inout link_t; data : in bits32);
  -- A packet begins, goes on, ended. `room` of its channel counts when it begins.
  procedure packet_begins(s : inout link_t; room : in boolean);
  procedure packet_goes_on(s : inout link_t; data : in bits32);
  procedure packet_ended(s : inout link_t; heard : in heard_t);
  -- Once a cycle: the channel that was refused may have room again.
  procedure look_for_room(s : inout link_t; room : in std_logic_vector(7 downto 0));
  -- Once a cycle, and not while the host is in the middle of a line that is being sent.
  procedure run_timer(s : inout link_t);

  function sequence_in(header : bits32) return sequence_t;
  function channel_in(header : bits32) return channel_t;
  function offset_in(header : bits32) return std_logic_vector;
end package;

package body qpace_traffic is
  function sequence_in(header : bits32) return sequence_t is
  begin
    return unsigned(header(28 downto 23));
  end function;
  function channel_in(header : bits32) return channel_t is
  begin
    return unsigned(header(31 downto 29));
  end function;
  function offset_in(header : bits32) return std_logic_vector is
  begin
    return header(22 downto 8);
  end function;

  procedure retry(s : inout link_t) is
  begin
    s.retries := s.retries + 1;
    if s.retries > unsigned(s.settings.retry_limit) then
      begin_training(s);
    end if;
  end procedure;

  procedure hear_command(s : inout link_t; data : in bits32) is
    constant kind     : command_t  := data(9 downto 8);
    constant seq : sequence_t := unsigned(data(15 downto 10));
    constant acked    : sequence_t := seq - s.oldest;
    constant gone     : sequence_t := s.send - s.oldest;
  begin
    if s.state /= up then
      return;
    elsif not in_window(s, seq) then
      s.tally(command_error) := to_unsigned(1, 5);
      return;
    end if;
    advance(s, seq);
    if kind /= command_ack or acked /= 0 then  -- an ACK of nothing new is but a keep-alive
      s.timer := (others => '0');
    end if;
    if kind /= command_ack or gone < acked then
      s.send := seq;
    end if;
    if kind = command_nack then
      s.tally(nack_received) := to_unsigned(1, 5);
      s.probe    := s.held;
      s.for_room := false;
      retry(s);
    elsif kind = command_busy then
      s.for_room := true;
      s.tally(busy_received) := to_unsigned(1, 5);
      s.retries := (others => '0');
      s.held    := outstanding(s) /= 0;
      s.probe   := false;
    elsif kind = command_ready then
      s.for_room := true;
      s.held  := false;
      s.probe := false;
    end if;
  end procedure;

  procedure tell(s : inout link_t; kind : in command_t) is
  begin
    s.urgent      := true;
    s.urgent_kind := kind;
  end procedure;

  procedure packet_begins(s : inout link_t; room : in boolean) is
  begin
    s.had_room   := room;
    s.coming_sum := s.rx_sum;
  end procedure;

  procedure packet_goes_on(s : inout link_t; data : in bits32) is
  begin
    s.coming_sum := add_payload(s.coming_sum, data);
  end procedure;

  procedure accept(s : inout link_t; heard : in heard_t) is
    constant channel : natural range 0 to 7 := to_integer(channel_in(heard.first));
  begin
    s.tally(accepted) := to_unsigned(1, 5);
    s.expected := s.expected + 1;
    s.used     := true;
    s.ack_due  := true;
    s.told     := false;
    s.refusing := false;
    s.urgent   := false;
    s.rx_sum   := s.coming_sum;
    if heard.withdrawn then
      s.rx_sum(0) := not s.coming_sum(0);
    else
      s.shelved(channel) := s.shelved(channel) + 1;
    end if;
  end procedure;

  procedure packet_ended(s : inout link_t; heard : in heard_t) is
    constant distance : sequence_t := sequence_in(heard.first) - s.expected;
  begin
    if s.state /= up then
      return;
    elsif heard.packet_bad then
      if not s.told or (heard.packet_whole and distance = 0 and not s.refusing) then
        tell(s, command_nack);
        s.told := true;
      end if;
    elsif distance = 0 then
      if s.had_room then
        accept(s, heard);
      else
        s.tally(refused)  := to_unsigned(1, 5);
        s.told            := true;
        s.refusing        := true;
        s.refused_channel := channel_in(heard.first);
        tell(s, command_busy);
      end if;
    elsif distance >= 32 then
      s.tally(duplicate) := to_unsigned(1, 5);
      s.ack_due          := true;
    else
      s.tally(gap) := to_unsigned(1, 5);
      if not s.told then
        tell(s, command_nack);
        s.told := true;
      end if;
    end if;
  end procedure;

  procedure look_for_room(s : inout link_t; room : in std_logic_vector(7 downto 0)) is
  begin
    if s.refusing and not s.urgent and room(to_integer(s.refused_channel)) = '1' then
      s.refusing := false;
      tell(s, command_ready);
    end if;
  end procedure;

  procedure run_timer(s : inout link_t) is
    variable patience : unsigned(23 downto 0);
  begin
    if s.state /= up or outstanding(s) = 0 then
      return;
    end if;
    patience := resize(unsigned(s.settings.ack_timeout), 24);
    if s.held then
      patience := unsigned(s.settings.busy_probe) & x"00";
    end if;
    s.timer := s.timer + 1;
    if s.timer >= patience then
      s.timer := (others => '0');
      s.send  := s.oldest;
      s.probe := s.held;
      if not s.held then
        s.tally(timeout) := to_unsigned(1, 5);
        s.for_room       := false;
      end if;
      retry(s);
    end if;
  end procedure;
end package body;
