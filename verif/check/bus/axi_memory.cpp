// SPDX-License-Identifier: Apache-2.0
#include "verif/check/bus/axi_memory.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <stdexcept>

namespace ht::check {

namespace {
constexpr std::uint64_t page = 4096;
constexpr unsigned okay = 0, slverr = 2, decerr = 3;
}  // namespace

AxiMemory::AxiMemory(const Options& options, std::uint64_t seed)
    : written(options.ids), options_(options), own_(options.bytes), random_(seed) {
  bytes = own_;
}

AxiMemory::AxiMemory(const Options& options, std::uint64_t seed, std::span<std::uint8_t> place)
    : bytes(place), written(options.ids), options_(options), random_(seed) {}

void AxiMemory::fail(const std::string& what) const {
  throw std::runtime_error(fmt::format("AXI, cycle {}: {}", cycle_, what));
}

void AxiMemory::edge(const AxiRequest& in, bool reset) {
  ++cycle_;
  if (reset) {
    writes_.clear();
    reads_.clear();
    early_.reset();
    reply_ = {};
    last_.reset();
    was_reset_ = true;
    return;
  }
  check(in);
  take(in);
  last_ = in;
  last_reply_ = reply_;
  was_reset_ = false;
  if (reply_.bvalid && in.bready) reply_.bvalid = false;
  if (reply_.rvalid && in.rready) reply_.rvalid = false;
  reply_.awready = !chance(options_.stall);
  reply_.wready = !chance(options_.stall);
  reply_.arready = !chance(options_.stall);
  write_some();
  if (answers) answer();
}

// A3.1.2, A3.2.1, A3.4.1
void AxiMemory::check(const AxiRequest& in) const {
  if (was_reset_ && (in.awvalid || in.wvalid || in.arvalid)) fail("a valid right after reset");
  if (in.awvalid) check_burst("AW", in.awaddr, in.awlen, in.awid);
  if (in.arvalid) check_burst("AR", in.araddr, in.arlen, in.arid);
  if (!last_) return;
  const AxiRequest& was = *last_;
  if (was.awvalid && !last_reply_.awready &&
      (!in.awvalid || in.awaddr != was.awaddr || in.awlen != was.awlen || in.awid != was.awid))
    fail("AW changed while it waited");
  if (was.arvalid && !last_reply_.arready &&
      (!in.arvalid || in.araddr != was.araddr || in.arlen != was.arlen || in.arid != was.arid))
    fail("AR changed while it waited");
  if (was.wvalid && !last_reply_.wready &&
      (!in.wvalid || in.wdata != was.wdata || in.wstrb != was.wstrb || in.wlast != was.wlast))
    fail("W changed while it waited");
}

void AxiMemory::check_burst(const char* channel, std::uint64_t address, unsigned length,
                            unsigned id) const {
  const std::uint64_t size = (length + 1ULL) * options_.beat_bytes;
  if (address % options_.beat_bytes != 0) fail(fmt::format("{} address {:#x}", channel, address));
  if (address / page != (address + size - 1) / page)
    fail(fmt::format("{} burst of {} bytes at {:#x} crosses 4 KiB", channel, size, address));
  if (length >= options_.max_beats || id >= options_.ids)
    fail(fmt::format("{} burst of {} beats with ID {}", channel, length + 1, id));
}

void AxiMemory::take(const AxiRequest& in) {
  if (in.awvalid && reply_.awready) {
    ++bursts;
    Write burst{in.awid, in.awaddr, in.awlen, {}};
    if (early_) {
      burst.beats = early_->beats;
      early_.reset();
    }
    writes_.push_back(burst);
  }
  if (in.wvalid && reply_.wready) {
    ++beats;
    auto open = std::find_if(writes_.begin(), writes_.end(),
                             [](const Write& w) { return w.beats.size() <= w.length; });
    if (open == writes_.end() && !early_) early_ = Write{};
    Write& burst = open == writes_.end() ? *early_ : *open;
    burst.beats.push_back({in.wdata, in.wstrb});
    // of a burst whose address comes later, WLAST is checked then
    if (open != writes_.end() && in.wlast != (burst.beats.size() == burst.length + 1))
      fail(fmt::format("WLAST is {} at beat {} of {}", in.wlast, burst.beats.size(),
                       burst.length + 1));
  }
  if (in.arvalid && reply_.arready) {
    ++bursts;
    reads_.push_back({in.arid, in.araddr, in.arlen});
  }
}

unsigned AxiMemory::response(std::uint64_t address) const {
  if (address < options_.base || address - options_.base >= bytes.size()) return decerr;
  return refuses(address) ? slverr : okay;
}

// Some beats of any burst that is complete may take effect, but for one behind an older one of its
// ID to the same page.
void AxiMemory::write_some() {
  if (chance(options_.stall)) return;
  std::vector<std::size_t> able;
  for (std::size_t n = 0; n < writes_.size(); ++n) {
    const Write& burst = writes_[n];
    if (burst.done || burst.beats.size() <= burst.length) continue;
    if (std::none_of(writes_.begin(), writes_.begin() + static_cast<std::ptrdiff_t>(n),
                     [&](const Write& older) {
                       return !older.done && older.id == burst.id &&
                              older.address / page == burst.address / page;
                     }))
      able.push_back(n);
  }
  if (able.empty()) return;
  const std::size_t n = able[any(able.size())];
  Write& burst = writes_[n];
  if (burst.unseen.empty()) {
    if (std::any_of(writes_.begin(), writes_.begin() + static_cast<std::ptrdiff_t>(n),
                    [&](const Write& w) { return !w.done; }))
      ++overtaken;
    burst.unseen.resize(burst.beats.size());
    std::iota(burst.unseen.begin(), burst.unseen.end(), std::size_t{0});
    std::shuffle(burst.unseen.begin(), burst.unseen.end(), random_);
  }
  for (std::size_t some = 1 + any(burst.unseen.size()); some > 0; --some) {
    const std::size_t i = burst.unseen.back();
    burst.unseen.pop_back();
    if (response(burst.address) != okay) continue;
    const std::uint64_t at = burst.address - options_.base + i * options_.beat_bytes;
    for (unsigned byte = 0; byte < options_.beat_bytes; ++byte) {
      if ((burst.beats[i].strobe >> byte & 1) != 0)
        bytes[at + byte] =
            static_cast<std::uint8_t>(burst.beats[i].data[byte / 4] >> (8 * (byte % 4)));
    }
  }
  burst.done = burst.unseen.empty();
  if (burst.done && on_write) on_write(burst.id, burst.address);
}

void AxiMemory::answer() {
  const auto first_of_id = [](const auto& list, std::size_t n) {
    return std::none_of(list.begin(), list.begin() + static_cast<std::ptrdiff_t>(n),
                        [&](const auto& other) { return other.id == list[n].id; });
  };
  if (!reply_.bvalid && !writes_.empty() && !chance(options_.stall)) {
    const std::size_t n = any(writes_.size());
    if (writes_[n].done && first_of_id(writes_, n)) {
      reply_.bvalid = true;
      reply_.bid = writes_[n].id;
      reply_.bresp = response(writes_[n].address);
      written[writes_[n].id] += writes_[n].length + 1;
      writes_.erase(writes_.begin() + static_cast<std::ptrdiff_t>(n));
    }
  }
  if (!reply_.rvalid && !reads_.empty() && !chance(options_.stall)) {
    const std::size_t n = any(reads_.size());
    if (!first_of_id(reads_, n)) return;
    Read& burst = reads_[n];
    if (burst.beat != 0 && last_read_id_ != burst.id) ++interleaved;
    last_read_id_ = burst.id;
    const std::uint64_t address = burst.address + burst.beat * options_.beat_bytes;
    reply_.rvalid = true;
    reply_.rid = burst.id;
    reply_.rresp = response(address);
    reply_.rlast = burst.beat == burst.length;
    reply_.rdata.fill(0xDEADBEEF);  // with an error it means nothing
    if (reply_.rresp == okay)
      std::memcpy(reply_.rdata.data(), bytes.data() + (address - options_.base),
                  options_.beat_bytes);
    if (++burst.beat > burst.length) reads_.erase(reads_.begin() + static_cast<std::ptrdiff_t>(n));
  }
}

}  // namespace ht::check
