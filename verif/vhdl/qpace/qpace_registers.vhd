-- SPDX-License-Identifier: Apache-2.0
-- "Registers of a link" in rtl/qpace/README.md, as the link clock sees them.
library ieee;
use ieee.std_logic_1164.all;
use ieee.numeric_std.all;
use work.qpace_wire.all;
use work.qpace_state.all;
use work.qpace_training.all;

package qpace_registers is
  subtype address_t is unsigned(5 downto 0);
  type counters_t is array (16#10# to 16#2d#) of unsigned(31 downto 0);

  procedure write_register(s : inout link_t; address : in address_t; data : in bits32;
                           clear : out boolean; refused : out boolean);
  procedure read_register(s : in link_t; counters : in counters_t; address : in address_t;
                          data : out bits32; refused : out boolean);
end package;

package body qpace_registers is
  function status(s : link_t) return bits32 is
    variable d : bits32 := (others => '0');
  begin
    d(1 downto 0)   := state_code(s.state);
    d(2)            := to_bit(s.held);
    d(3)            := to_bit(s.heard);
    d(4)            := to_bit(s.peer_known);
    d(5)            := to_bit(s.refusing);
    d(12 downto 8)  := std_logic_vector(resize(outstanding(s), 5));
    d(21 downto 16) := std_logic_vector(s.high);
    d(29 downto 24) := std_logic_vector(s.expected);
    return d;
  end function;

  procedure write_register(s : inout link_t; address : in address_t; data : in bits32;
                           clear : out boolean; refused : out boolean) is
    constant a : natural range 0 to 63 := to_integer(address);
  begin
    clear   := false;
    refused := false;
    if a = 16#00# then
      s.settings.enable := data(0) = '1';
      clear             := data(2) = '1';
      if data(1) = '1' and s.state = up then
        begin_training(s);
      end if;
    elsif a = 16#02# then
      s.errors := s.errors and not data(7 downto 0);
    elsif a = 16#03# or a = 16#04# then
      refused := s.state /= down;
      if s.state = down and a = 16#03# then
        s.stale         := s.stale or (s.session and s.settings.node /= data(15 downto 0));
        s.settings.node := data(15 downto 0);
      elsif s.state = down then
        s.stale          := s.stale or (s.session and s.settings.epoch /= data(15 downto 0));
        s.settings.epoch := data(15 downto 0);
      end if;
    elsif a = 16#05# then
      s.settings.ack_timeout := data(15 downto 0);
    elsif a = 16#06# then
      s.settings.retry_limit := data(7 downto 0);
    elsif a = 16#07# then
      s.settings.retrain_limit := data(3 downto 0);
    elsif a = 16#08# then
      s.settings.train_timeout := data(23 downto 8);
    elsif a = 16#09# then
      s.settings.busy_probe := data(23 downto 8);
    elsif a = 16#0e# then
      s.settings.alive_timeout := data(15 downto 10);
    else
      refused := true;
    end if;
  end procedure;

  procedure read_register(s : in link_t; counters : in counters_t; address : in address_t;
                          data : out bits32; refused : out boolean) is
    constant a : natural range 0 to 63 := to_integer(address);
    variable d : bits32;
  begin
    d       := (others => '0');
    refused := false;
    if a = 16#00# then
      d(0) := to_bit(s.settings.enable);
    elsif a = 16#01# then
      d := status(s);
    elsif a = 16#02# then
      d(7 downto 0) := s.errors;
    elsif a = 16#03# then
      d(15 downto 0) := s.settings.node;
    elsif a = 16#04# then
      d(15 downto 0) := s.settings.epoch;
    elsif a = 16#05# then
      d(15 downto 0) := s.settings.ack_timeout;
    elsif a = 16#06# then
      d(7 downto 0) := s.settings.retry_limit;
    elsif a = 16#07# then
      d(3 downto 0) := s.settings.retrain_limit;
    elsif a = 16#08# then
      d(23 downto 8) := s.settings.train_timeout;
    elsif a = 16#09# then
      d(23 downto 8) := s.settings.busy_probe;
    elsif a = 16#0a# then
      d(18 downto 0) := s.peer.port_number & s.peer.node;
    elsif a = 16#0b# then
      d(15 downto 0) := s.peer.epoch;
    elsif a = 16#0c# then
      d := s.tx_sum;
    elsif a = 16#0d# then
      d := s.rx_sum;
    elsif a = 16#0e# then
      d(15 downto 10) := s.settings.alive_timeout;
    elsif (a >= 16#10# and a <= 16#21#) or a = 16#2c# or a = 16#2d# then
      d := std_logic_vector(counters(a));
    else
      refused := true;
    end if;
    data := d;
  end procedure;
end package body;
