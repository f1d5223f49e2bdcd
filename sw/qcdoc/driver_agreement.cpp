// SPDX-License-Identifier: Apache-2.0
// What the driver's nodes exchange by supervisor words: what they agree on before a global
// operation, and checksums.
#include <fmt/format.h>

#include <bit>

#include "sw/host/errors.hpp"
#include "sw/qcdoc/driver_plan.hpp"

namespace ht::qcdoc {
namespace {

const char* name_of(unsigned kind) {
  return kind == Circulation ? "a sum or the like" : kind == Broadcast ? "a broadcast" : "?";
}

// What a supervisor word adds to a link's checksum (register TX_CHECKSUM).
constexpr std::uint32_t checksum_of(std::uint64_t word) {
  return (static_cast<std::uint32_t>(word) ^ 0x9E3779B9) +
         std::rotl(static_cast<std::uint32_t>(word >> 32), 1);
}

constexpr std::uint64_t count_mask = 0xFFFFFF;

// Difference of two counts modulo 2^24, as a signed number.
constexpr std::int64_t difference(std::uint64_t a, std::uint64_t b) {
  const auto d = static_cast<std::int64_t>((a - b) & count_mask);
  return d >= 0x800000 ? d - 0x1000000 : d;
}

}  // namespace

bool Driver::heard(int link, std::uint64_t word) {
  Agreement& c = cable(link);
  if (word >> 56 == PacketWords::data_words || word >> 56 == PacketWords::taken_words) {
    if (!options_.forwards) return false;
    packets_->heard(place_.fold->direction(place_.physical_node, link), word);
    return true;
  }
  if (word >> 56 != driver_words) {
    if (!handler_) return false;
    handler_(place_.fold->direction(place_.physical_node, link), word);
    return true;
  }
  switch (word >> 48 & 0xF) {
    case Go:
      ++c.go;
      break;
    case Checksum:
      // The neighbour's sum is that of before this word; ours has it already.
      c.checksums.push_back(static_cast<std::uint32_t>(word) + checksum_of(word) ==
                            scu_.rx_checksum(link));
      break;
    default:
      c.inbox.push_back(word);
  }
  return true;
}

void Driver::listen() {
  scu_.on_supervisor([this](int link, std::uint64_t word) { return heard(link, word); });
}

std::uint64_t Driver::driver_word(unsigned kind, std::uint64_t payload) const {
  return driver_words << 56 | std::uint64_t{operation_ & 0xF} << 52 | std::uint64_t{kind} << 48 |
         payload;
}

// Tells the other ends of these cables how many words the program sent and received so far.
void Driver::announce(Mask which, unsigned kind) {
  operation_kind_ = kind;
  ++operation_;
  if (!options_.agree) return;
  for (int link = 0; link < links; ++link) {
    if ((which & bit(link)) == 0) continue;
    cable(link).agreed = false;
    scu_.send_supervisor(
        link, driver_word(kind, (engine(send_engine(link)).started & count_mask) << 24 |
                                    (engine(receive_engine(link)).started & count_mask)));
  }
}

void Driver::agree(int link) {
  Agreement& c = cable(link);
  if (c.agreed) return;
  run_until([&] { return !c.inbox.empty(); }, "the neighbours' global operation");
  const std::uint64_t word = c.inbox.front();
  c.inbox.pop_front();
  const auto kind = static_cast<unsigned>(word >> 48 & 0xF);
  if (kind != operation_kind_ || (word >> 52 & 0xF) != (operation_ & 0xF))
    throw ProtocolError(fmt::format(
        "node {}: link {}: this node's global operation is {}, the neighbour's {}; all nodes must "
        "call the same operations in the same order",
        place_.node, link_name(link), name_of(operation_kind_), name_of(kind)));
  c.peer_sent = static_cast<std::uint32_t>(word >> 24 & count_mask);
  c.peer_received = static_cast<std::uint32_t>(word & count_mask);
  c.agreed = true;
}

// Afterwards the next word that is sent is the operation's for the receiver, too.
void Driver::agree_to_send(int link) {
  if (!options_.agree) return;
  agree(link);
  Agreement& c = cable(link);
  if (difference(c.peer_received, engine(send_engine(link)).started) <= 0) return;
  run_until([&] { return c.go > 0; }, "a neighbour that puts receives back");
  --c.go;
}

void Driver::agree_to_receive(int link) {
  if (!options_.agree) return;
  agree(link);
  // What an operation before this one took in early has come as well.
  const std::uint64_t received = engine(receive_engine(link)).started + cable(link).early.size();
  const std::int64_t excess = difference(received, cable(link).peer_sent);
  if (excess > 0) {
    make_way(link, static_cast<std::uint64_t>(excess));
    scu_.send_supervisor(link, driver_word(Go, 0));
  } else if (excess < 0) {
    drain_early(link, static_cast<std::uint64_t>(-excess));
  }
}

// Puts receives back that were started for messages which the neighbour will send after the
// operation. Nothing of those has come: the neighbour sends nothing until `Go`.
void Driver::make_way(int link, std::uint64_t excess) {
  Engine& e = engine(receive_engine(link));
  const std::uint64_t boundary = e.started - excess;
  Agreement& c = cable(link);
  while (!e.tasks.empty() && e.tasks.back().first >= boundary) {
    if (e.tasks.size() == 1 && e.running) {
      scu_.stop(bit(receive_engine(link)));
      e.running = e.tasks.back().transfer->running = false;
    }
    c.deferred.push_front(e.tasks.back());
    e.tasks.pop_back();
  }
  const std::uint64_t end =
      e.tasks.empty() ? boundary : e.tasks.back().first + e.tasks.back().transfer->words();
  if (end > boundary || (!c.deferred.empty() && c.deferred.front().first != boundary))
    throw ProtocolError(
        fmt::format("node {}: link {}: a message is received as more words than were sent; both "
                    "ends must declare the same length",
                    place_.node, link_name(link)));
}

// Receives what the neighbour sent before the operation and the program has not asked for.
void Driver::drain_early(int link, std::uint64_t words) {
  const std::size_t bytes = words * word_bytes;
  auto* const buffer = static_cast<std::byte*>(allocate(bytes, word_bytes));
  Transfer transfer;
  transfer.engine = receive_engine(link);
  transfer.pieces = contiguous(offset_of(buffer), words);
  int pending = 1;
  engine(transfer.engine).tasks.push_back({&transfer, nullptr, buffer, 0, &pending});
  pump();
  run_until([&] { return pending == 0; }, "messages from before a global operation");
  store_.forget(transfer);
  release(buffer);
  charge_copy(bytes);
}

Mask Driver::compare_checksums() {
  const Mask used = place_.partition_links();
  for (int link = 0; link < links; ++link) {
    if ((used & bit(link)) == 0) continue;
    passed_on(link);  // a send is done when its last word has left memory; the sum is of the link's
    scu_.send_supervisor(link, driver_word(Checksum, scu_.read_counters(link).tx_checksum));
  }
  Mask differ = 0;
  for (int link = 0; link < links; ++link) {
    if ((used & bit(link)) == 0) continue;
    Agreement& c = cable(link);
    run_until([&] { return !c.checksums.empty(); }, "a neighbour's checksum");
    if (!c.checksums.front()) differ |= bit(link);
    c.checksums.pop_front();
  }
  return differ;
}

void Driver::send_supervisor(qmp::Direction direction, std::uint64_t word) {
  if (const std::uint64_t top = word >> 56; top >= driver_words && top <= PacketWords::taken_words)
    throw UsageError(fmt::format(
        "node {}: supervisor words whose top byte is {:#x} are the driver's", place_.node, top));
  scu_.send_supervisor(link_of(direction), word);
}

void Driver::on_supervisor(std::function<void(qmp::Direction, std::uint64_t)> handler) {
  handler_ = std::move(handler);
  listen();
}

}  // namespace ht::qcdoc
