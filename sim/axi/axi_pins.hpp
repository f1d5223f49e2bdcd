// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <cstring>
#include <optional>
#include <type_traits>

#include "verif/check/bus/axi_memory.hpp"

namespace ht::machine {

namespace axi_detail {

// Of ports no wider than it has to be.
template <class Port>
void set(Port& port, std::uint32_t value) {
  port = static_cast<Port>(value);
}

// Ports of 64 bits are numbers, wider ones arrays of words.
template <class Port, class Words>
void take(const Port& port, Words& words) {
  if constexpr (std::is_integral_v<Port>) {
    std::memcpy(words.data(), &port, sizeof port);
  } else {
    std::memcpy(words.data(), &port[0], sizeof port);
  }
}
template <class Port, class Words>
void put(Port& port, const Words& words) {
  if constexpr (std::is_integral_v<Port>) {
    std::memcpy(&port, words.data(), sizeof port);
  } else {
    std::memcpy(&port[0], words.data(), sizeof port);
  }
}

}  // namespace axi_detail

/// AXI4-Lite of a Verilated top as a processor drives it, an access at a time: ports s_axi_*.
template <class Top>
class LiteManager {
 public:
  explicit LiteManager(Top& top) : top_(top) {
    top_.s_axi_awvalid = top_.s_axi_wvalid = top_.s_axi_arvalid = 0;
    top_.s_axi_bready = top_.s_axi_rready = 0;
    top_.s_axi_awprot = top_.s_axi_arprot = 0;
    top_.s_axi_wstrb = 0xF;
  }

  /// After an edge: the access is on the pins at the next one.
  void read(std::uint32_t address) {
    axi_detail::set(top_.s_axi_araddr, address);
    top_.s_axi_arvalid = 1;
    top_.s_axi_rready = 1;
  }
  void write(std::uint32_t address, std::uint32_t value) {
    axi_detail::set(top_.s_axi_awaddr, address);
    top_.s_axi_wdata = value;
    top_.s_axi_awvalid = top_.s_axi_wvalid = 1;
    top_.s_axi_bready = 1;
  }

  struct Answer {
    std::uint32_t value;
    bool refused;
  };
  /// Before an edge: what moves at it.
  void sample() {
    aw_ = top_.s_axi_awvalid && top_.s_axi_awready;
    w_ = top_.s_axi_wvalid && top_.s_axi_wready;
    ar_ = top_.s_axi_arvalid && top_.s_axi_arready;
    answer_.reset();
    if (top_.s_axi_bvalid && top_.s_axi_bready) answer_ = {0, top_.s_axi_bresp != 0};
    if (top_.s_axi_rvalid && top_.s_axi_rready) answer_ = {top_.s_axi_rdata, top_.s_axi_rresp != 0};
  }
  /// After it; the access's answer, if it came.
  std::optional<Answer> drive() {
    if (aw_) top_.s_axi_awvalid = 0;
    if (w_) top_.s_axi_wvalid = 0;
    if (ar_) top_.s_axi_arvalid = 0;
    if (answer_) top_.s_axi_bready = top_.s_axi_rready = 0;
    return answer_;
  }

 private:
  Top& top_;
  bool aw_ = false, w_ = false, ar_ = false;
  std::optional<Answer> answer_;
};

/// What is on the ports m_axi_* of a Verilated top.
template <class Top>
check::AxiRequest axi_request(const Top& top) {
  check::AxiRequest r;
  r.awvalid = top.m_axi_awvalid;
  r.awid = top.m_axi_awid;
  r.awaddr = top.m_axi_awaddr;
  r.awlen = top.m_axi_awlen;
  r.wvalid = top.m_axi_wvalid;
  r.wlast = top.m_axi_wlast;
  r.wstrb = top.m_axi_wstrb;
  axi_detail::take(top.m_axi_wdata, r.wdata);
  r.bready = top.m_axi_bready;
  r.arvalid = top.m_axi_arvalid;
  r.arid = top.m_axi_arid;
  r.araddr = top.m_axi_araddr;
  r.arlen = top.m_axi_arlen;
  r.rready = top.m_axi_rready;
  return r;
}
template <class Top>
void put_axi_reply(Top& top, const check::AxiReply& r) {
  top.m_axi_awready = r.awready;
  top.m_axi_wready = r.wready;
  top.m_axi_bvalid = r.bvalid;
  axi_detail::set(top.m_axi_bid, r.bid);
  axi_detail::set(top.m_axi_bresp, r.bresp);
  top.m_axi_arready = r.arready;
  top.m_axi_rvalid = r.rvalid;
  axi_detail::set(top.m_axi_rid, r.rid);
  axi_detail::set(top.m_axi_rresp, r.rresp);
  top.m_axi_rlast = r.rlast;
  axi_detail::put(top.m_axi_rdata, r.rdata);
}

}  // namespace ht::machine
