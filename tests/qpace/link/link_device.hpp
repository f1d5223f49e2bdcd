// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <verilated.h>

#include <memory>

namespace ht::test {

/// The pins of a Verilated link, whoever wrote it: what the tests see of qpace_link and of its
/// twin.
struct LinkPins {
  CData &clk, &rst, &link_clk, &link_rst, &beat, &port;
  CData &tx_valid, &tx_ready, &tx_first, &tx_vc, &tx_void, &tx_room;
  SData& tx_offset;
  VlWide<4>& tx_data;
  CData &rx_waiting, &rx_vc, &rx_beat, &rx_pop;
  SData& rx_offset;
  VlWide<4>& rx_data;
  CData &reg_valid, &reg_write, &reg_address, &reg_ack, &reg_error;
  IData &reg_wdata, &reg_rdata;
  CData &link_up, &link_attention;
  IData &xgmii_txd, &xgmii_rxd;
  CData &xgmii_txc, &xgmii_rxc;
  CData &obs_idle, &obs_rx_start, &obs_rx_ok, &obs_rx_command, &obs_rx_error;
  CData &obs_retransmit, &obs_replay, &obs_accept, &obs_state;

  /// `m` is the Verilated class, `m_port` its input `port`: a reserved word in VHDL.
  template <class Model>
  LinkPins(Model& m, CData& m_port)
      : clk(m.clk),
        rst(m.rst),
        link_clk(m.link_clk),
        link_rst(m.link_rst),
        beat(m.beat),
        port(m_port),
        tx_valid(m.tx_valid),
        tx_ready(m.tx_ready),
        tx_first(m.tx_first),
        tx_vc(m.tx_vc),
        tx_void(m.tx_void),
        tx_room(m.tx_room),
        tx_offset(m.tx_offset),
        tx_data(m.tx_data),
        rx_waiting(m.rx_waiting),
        rx_vc(m.rx_vc),
        rx_beat(m.rx_beat),
        rx_pop(m.rx_pop),
        rx_offset(m.rx_offset),
        rx_data(m.rx_data),
        reg_valid(m.reg_valid),
        reg_write(m.reg_write),
        reg_address(m.reg_address),
        reg_ack(m.reg_ack),
        reg_error(m.reg_error),
        reg_wdata(m.reg_wdata),
        reg_rdata(m.reg_rdata),
        link_up(m.link_up),
        link_attention(m.link_attention),
        xgmii_txd(m.xgmii_txd),
        xgmii_rxd(m.xgmii_rxd),
        xgmii_txc(m.xgmii_txc),
        xgmii_rxc(m.xgmii_rxc),
        obs_idle(m.obs_idle),
        obs_rx_start(m.obs_rx_start),
        obs_rx_ok(m.obs_rx_ok),
        obs_rx_command(m.obs_rx_command),
        obs_rx_error(m.obs_rx_error),
        obs_retransmit(m.obs_retransmit),
        obs_replay(m.obs_replay),
        obs_accept(m.obs_accept),
        obs_state(m.obs_state) {}
};

class LinkDevice : public LinkPins {
 public:
  using LinkPins::LinkPins;
  virtual ~LinkDevice() = default;
  virtual void eval() = 0;
  virtual void final() = 0;
  /// Of a link before lanes; the others ignore it.
  virtual void set_tx_pause(bool) {}
};

template <class Model>
class LinkModel : public LinkDevice {
 public:
  LinkModel(std::unique_ptr<Model> model, CData& model_port)
      : LinkDevice(*model, model_port), model_(std::move(model)) {
    // Inputs come up as registers do, at random; nothing here ever mutes an output.
    model_->rx_mute = 0;
    for (CData* input : {&clk, &link_clk, &beat, &tx_valid, &tx_first, &tx_void, &tx_vc, &rx_vc,
                         &rx_beat, &rx_pop, &reg_valid, &reg_write, &reg_address})
      *input = 0;
  }
  void eval() override { model_->eval(); }
  void final() override { model_->final(); }

 protected:
  std::unique_ptr<Model> model_;
};

/// The link at end 0 or 1 of a pair. Each test program says which it is.
std::unique_ptr<LinkDevice> make_link(VerilatedContext* context, unsigned end);

}  // namespace ht::test
