// SPDX-License-Identifier: Apache-2.0
#include "tests/bus/host_bench.hpp"

#include <fmt/format.h>

#include <cstring>
#include <stdexcept>

#include "sw/bus/registers.hpp"
#include "tests/support/power_on.hpp"

namespace ht::test {

namespace control = ht::bus::registers::control;

namespace {
constexpr unsigned page_units = 4096 / HostBench::unit;
constexpr std::size_t units = HostBench::pages * page_units;
constexpr int patience = 20000;
}  // namespace

HostBench::HostBench(std::uint64_t seed, double stall)
    : memory({base, std::size_t{pages} * 4096, unit, ports, 4, stall}, seed),
      context_(power_on()),
      top_(std::make_unique<Vaxi_host>(context_.get(), "host")),
      random_(seed + 1),
      reference_(units) {
  memory.on_write = [this](unsigned id, std::uint64_t address) { check_behind(id, address); };
  reset();
}

HostBench::~HostBench() {
  top_->final();
}

void HostBench::reset() {
  top_->s_axi_awvalid = top_->s_axi_wvalid = top_->s_axi_arvalid = 0;
  top_->s_axi_bready = top_->s_axi_rready = 0;
  top_->rst = 1;
  run(2);
  top_->rst = 0;
  step();
}

void HostBench::start(std::uint32_t memory_pages) {
  const auto set = [&](std::uint32_t number, std::uint32_t value) {
    if (write(window + 4 * number, value) != 0)
      throw std::runtime_error(fmt::format("control register {} was refused", number));
  };
  for (int i = 0; control::control_busy.get(read(window + 4 * control::control).value) != 0; ++i)
    if (i > patience) throw std::runtime_error("the buses stay busy");
  set(control::base_low, base);
  set(control::base_high, 0);
  set(control::pages, memory_pages);
  set(control::control, 0);
  for (int i = 0; control::control_hold.get(read(window + 4 * control::control).value) != 0; ++i)
    if (i > patience) throw std::runtime_error("the node does not leave its reset");
}

void HostBench::hold() {
  if (write(window + 4 * control::control, 1) != 0)
    throw std::runtime_error("the node cannot be held");
  settle();
  resync();
  start();
}

void HostBench::step() {
  top_->eval();
  answer_look();
  top_->eval();
  before_edge();
  top_->clk = 1;
  top_->eval();
  top_->clk = 0;
  after_edge();
  top_->eval();
}

// Where memory stands now is what counts from here on.
void HostBench::resync() {
  for (std::size_t i = 0; i < units; ++i)
    std::memcpy(&reference_[i], memory.bytes.data() + i * unit, unit);
  behind_.clear();
  fence_.reset();
  for (unsigned i = 0; i < ports; ++i) {
    ports_[i].write.reset();
    ports_[i].read.reset();
    ports_[i].expected.clear();
    ports_[i].in_range = memory.written[i];
    ports_[i].lost = false;
  }
}

void HostBench::before_edge() {
  check::AxiRequest out;
  out.awvalid = top_->m_axi_awvalid;
  out.awid = top_->m_axi_awid;
  out.awaddr = top_->m_axi_awaddr;
  out.awlen = top_->m_axi_awlen;
  out.wvalid = top_->m_axi_wvalid;
  out.wdata = {static_cast<std::uint32_t>(top_->m_axi_wdata),
               static_cast<std::uint32_t>(top_->m_axi_wdata >> 32), 0, 0};
  out.wstrb = top_->m_axi_wstrb;
  out.wlast = top_->m_axi_wlast;
  out.bready = top_->m_axi_bready;
  out.arvalid = top_->m_axi_arvalid;
  out.arid = top_->m_axi_arid;
  out.araddr = top_->m_axi_araddr;
  out.arlen = top_->m_axi_arlen;
  out.rready = top_->m_axi_rready;

  const bool rests = in_reset();
  for (unsigned i = 0; i < ports && !rests; ++i) {
    Port& port = ports_[i];
    if ((top_->wr_pending >> i & 1) == 0 && (port.lost || memory.written[i] < port.in_range))
      throw std::runtime_error(
          fmt::format("port {}: nothing is pending, and {}", i,
                      port.lost ? "a write was not made" : "not all is written"));
    if ((top_->rd_rvalid >> i & 1) != 0) {
      if (port.expected.empty()) throw std::runtime_error("an answer that nobody asked for");
      const std::uint64_t got =
          top_->rd_data[2 * i] | static_cast<std::uint64_t>(top_->rd_data[2 * i + 1]) << 32;
      const Port::Expected expected = port.expected.front();
      port.expected.pop_front();
      ++reads_checked;
      if (expected.never)
        throw std::runtime_error(
            fmt::format("port {}, unit {:#x}: an answer, and there is none", i, expected.address));
      if (expected.value && got != *expected.value)
        throw std::runtime_error(fmt::format("port {}, unit {:#x}: read {:#x}, expected {:#x}", i,
                                             expected.address, got, *expected.value));
    }
    if ((top_->wr_valid >> i & 1) != 0 && (top_->wr_ready >> i & 1) != 0) {
      const Access& access = *port.write;
      ++writes_taken;
      port.last_write = access.address;
      const bool outside = access.address >= units;
      if (outside) ++range_writes;
      if (!outside && access.after)
        behind_[base + access.address * unit].push_back(port.lost ? std::nullopt
                                                                  : std::optional(port.in_range));
      port.lost |= outside || memory.refuses(base + access.address * unit);
      if (!outside) ++port.in_range;
      if (!port.lost) {
        std::uint64_t mask = 0;
        for (unsigned byte = 0; byte < unit; ++byte)
          if ((access.strobe >> byte & 1) != 0) mask |= 0xFFULL << (8 * byte);
        std::uint64_t& word = reference(access.address);
        word = (word & ~mask) | (access.data & mask);
      }
      port.write.reset();
    }
    if ((top_->rd_valid >> i & 1) != 0 && (top_->rd_ready >> i & 1) != 0) {
      const std::uint32_t address = port.read->address;
      const bool outside = address >= units;
      if (outside) ++range_reads;
      Port::Expected expected{address, std::nullopt,
                              outside || memory.refuses(base + address * unit)};
      if (!expected.never && !port.lost) expected.value = reference(address);
      port.expected.push_back(expected);
      port.read.reset();
    }
  }
  // a register of the node is being read: what was taken by now is in memory with its answer; what
  // is on its way to a port is said to be there by then
  if (!rests && top_->seen) {
    fence_.emplace();
    for (unsigned i = 0; i < ports; ++i)
      if (!ports_[i].lost) (*fence_)[i] = ports_[i].in_range;
  }
  memory.edge(out, top_->rst != 0);
  if (top_->rst != 0) resync();
}

// At once, or some cycles later.
void HostBench::answer_look() {
  if (in_reset()) seen_in_.reset();
  if (top_->look) seen_in_ = chance(0.5) ? 0 : any(20);
  top_->seen = seen_in_ && *seen_in_ == 0;
  if (!seen_in_) return;
  if (*seen_in_ == 0)
    seen_in_.reset();
  else
    --*seen_in_;
}

void HostBench::check_behind(unsigned id, std::uint64_t address) {
  const auto found = behind_.find(address);
  if (found == behind_.end() || found->second.empty()) return;
  ++behinds_checked;
  const std::optional<std::uint64_t> before = found->second.front();
  found->second.pop_front();
  if (!before)
    throw std::runtime_error(
        fmt::format("port {}: {:#x} was written behind a write that was not made", id, address));
  if (memory.written[id] < *before)
    throw std::runtime_error(
        fmt::format("port {}: {:#x} was written before {} beats before it were answered", id,
                    address, *before - memory.written[id]));
}

void HostBench::after_edge() {
  const check::AxiReply& in = memory.reply();
  top_->m_axi_awready = in.awready;
  top_->m_axi_wready = in.wready;
  top_->m_axi_bvalid = in.bvalid;
  top_->m_axi_bid = static_cast<unsigned char>(in.bid);
  top_->m_axi_bresp = static_cast<unsigned char>(in.bresp);
  top_->m_axi_arready = in.arready;
  top_->m_axi_rvalid = in.rvalid;
  top_->m_axi_rid = static_cast<unsigned char>(in.rid);
  top_->m_axi_rresp = static_cast<unsigned char>(in.rresp);
  top_->m_axi_rdata = in.rdata[0] | static_cast<std::uint64_t>(in.rdata[1]) << 32;
  node_registers();
  for (unsigned i = 0; i < ports; ++i) drive(i);
}

void HostBench::node_registers() {
  top_->reg_ack = 0;
  if (!top_->reg_valid || in_reset()) {
    register_wait_ = 1 + any(6);
    return;
  }
  if (dead.contains(top_->reg_address) || --register_wait_ > 0) return;
  register_wait_ = 1 + any(6);
  ++node_accesses;
  const auto found = registers.find(top_->reg_address);
  top_->reg_ack = 1;
  top_->reg_error = found == registers.end();
  top_->reg_rdata = found == registers.end() ? 0 : found->second;
  if (found != registers.end() && top_->reg_write) found->second = top_->reg_wdata;
}

std::uint32_t HostBench::place(unsigned number, std::uint32_t& next) {
  if (chance(beyond)) return static_cast<std::uint32_t>(units) + any(2 * page_units);
  constexpr std::uint32_t usual = (port_pages - 1) * page_units;
  if (!chance(orderly ? 0.95 : 0.4)) next = any(usual);
  const std::uint32_t here = next;
  next = (next + 1) % usual;
  return number * port_pages * page_units + here;
}

void HostBench::drive(unsigned number) {
  Port& port = ports_[number];
  if (in_reset()) {
    port.write.reset();
    port.read.reset();
    port.expected.clear();
  } else {
    const auto under_way = [&](std::uint32_t address) {
      for (const Port::Expected& other : port.expected)
        if (other.address == address) return true;
      return port.read && port.read->address == address;
    };
    if (!port.write && chance(load)) {
      Access access{place(number, port.next_write), random_(), 0xFF, chance(0.1), chance(0.05)};
      if (access.after)
        access.address = (number * port_pages + port_pages - 1) * page_units + any(page_units);
      if (chance(0.3)) access.strobe = any(256);
      if (!under_way(access.address)) port.write = access;
    }
    constexpr std::size_t room = 24;
    if (!port.read && port.expected.size() < room && chance(load)) {
      Access access{place(number, port.next_read), 0, 0, false, false};
      if (chance(0.1))
        access.address = (number * port_pages + port_pages - 1) * page_units + any(page_units);
      if (port.last_write && chance(again)) access.address = *port.last_write;
      // what is about to be written is not read: it is not said which comes first
      if (!port.write || port.write->address != access.address) port.read = access;
    }
  }
  const auto bit = [&](auto& pins, bool on) {
    pins =
        static_cast<unsigned char>((pins & ~(1U << number)) | static_cast<unsigned>(on) << number);
  };
  bit(top_->wr_valid, port.write.has_value());
  bit(top_->rd_valid, port.read.has_value());
  const auto shift = 16 * number;
  const auto put16 = [&](std::uint64_t& pins, std::uint64_t value) {
    pins = (pins & ~(0xFFFFULL << shift)) | value << shift;
  };
  std::uint64_t addresses = top_->wr_address;
  put16(addresses, port.write ? port.write->address : any(0x10000));
  top_->wr_address = addresses;
  addresses = top_->rd_address;
  put16(addresses, port.read ? port.read->address : any(0x10000));
  top_->rd_address = addresses;
  const Access access =
      port.write.value_or(Access{0, random_(), any(256), chance(0.5), chance(0.5)});
  top_->wr_data[2 * number] = static_cast<std::uint32_t>(access.data);
  top_->wr_data[2 * number + 1] = static_cast<std::uint32_t>(access.data >> 32);
  top_->wr_strobe = (top_->wr_strobe & ~(0xFFU << (8 * number))) | access.strobe << (8 * number);
  bit(top_->wr_last, access.last);
  bit(top_->wr_after, access.after);
}

void HostBench::settle() {
  const double was = std::exchange(load, 0);
  constexpr int long_enough = 200;  // for what the ports hold and the bus stalls
  int rests = 0;
  for (int i = 0; rests < long_enough; ++i) {
    if (i == patience) throw std::runtime_error("the ports do not come to rest");
    bool busy = !memory.idle();
    for (const Port& port : ports_)
      busy |=
          port.write || (!port.stuck() && ((port.read && !port.lost) || !port.expected.empty()));
    rests = busy ? 0 : rests + 1;
    step();
  }
  load = was;
  for (std::size_t i = 0; i < units; ++i) {
    if (ports_[i / (port_pages * page_units)].lost) continue;
    std::uint64_t word = 0;
    std::memcpy(&word, memory.bytes.data() + i * unit, unit);
    if (word != reference_[i])
      throw std::runtime_error(
          fmt::format("unit {:#x}: memory has {:#x}, expected {:#x}", i, word, reference_[i]));
  }
}

HostBench::Reply HostBench::read(std::uint32_t byte_address) {
  top_->s_axi_araddr = static_cast<std::uint16_t>(byte_address);
  top_->s_axi_arvalid = 1;
  fence_.reset();
  for (int i = 0; i < patience; ++i) {
    top_->s_axi_rready = chance(0.5);
    top_->eval();
    const bool asked = top_->s_axi_arvalid && top_->s_axi_arready;
    const bool answered = top_->s_axi_rvalid && top_->s_axi_rready;
    const Reply reply{top_->s_axi_rdata, top_->s_axi_rresp};
    if (answered && fence_ && reply.response == 0 && byte_address < window) {
      ++fences_checked;
      for (unsigned port = 0; port < ports; ++port) {
        const std::optional<std::uint64_t> taken = (*fence_)[port];
        if (!taken)
          throw std::runtime_error(
              fmt::format("port {}: a register was read though a write is lost", port));
        if (memory.written[port] < *taken)
          throw std::runtime_error(fmt::format(
              "port {}: a register was read before {} writes taken by then were answered", port,
              *taken - memory.written[port]));
      }
    }
    step();
    if (asked) top_->s_axi_arvalid = 0;
    if (answered) return reply;
  }
  throw std::runtime_error(fmt::format("no answer to a read of register byte {:#x}", byte_address));
}

unsigned HostBench::write(std::uint32_t byte_address, std::uint32_t value, unsigned strobes) {
  top_->s_axi_awaddr = static_cast<std::uint16_t>(byte_address);
  top_->s_axi_wdata = value;
  top_->s_axi_wstrb = static_cast<unsigned char>(strobes);
  unsigned address_in = any(4), data_in = any(4);
  bool address_done = false, data_done = false;
  for (int i = 0; i < patience; ++i) {
    top_->s_axi_awvalid = !address_done && address_in == 0;
    top_->s_axi_wvalid = !data_done && data_in == 0;
    top_->s_axi_bready = chance(0.5);
    top_->eval();
    address_done |= top_->s_axi_awvalid && top_->s_axi_awready;
    data_done |= top_->s_axi_wvalid && top_->s_axi_wready;
    const bool answered = top_->s_axi_bvalid && top_->s_axi_bready;
    const unsigned response = top_->s_axi_bresp;
    step();
    address_in -= address_in > 0;
    data_in -= data_in > 0;
    top_->s_axi_awvalid = 0;
    top_->s_axi_wvalid = 0;
    if (answered) return response;
  }
  throw std::runtime_error(
      fmt::format("no answer to a write of register byte {:#x}", byte_address));
}

}  // namespace ht::test
