// SPDX-License-Identifier: Apache-2.0
// Network interfaces: what must not be done is not done, both ends are told, and nothing else
// suffers.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cstring>

#include "tests/tofu/interface/tni_net.hpp"

using ht::model::TniCommand;
using ht::test::TniDevice;
using ht::test::TniNet;
using Kind = TniCommand::Kind;
namespace reg = ht::model::tni_register;
namespace error = ht::model::tni_error;

namespace {

constexpr unsigned kFirst = 0, kSecond = 1;
constexpr std::uint32_t kCorrected = 128, kFatal = 256;
constexpr std::uint64_t kHere = TniNet::kFree, kThere = TniNet::kFree + 0x4000;
// tags: 1 local memory, 2 local memory of queue 1; at the other end 3 and 4 may everything, 5 is of
// queue 1, 6 may be read, 7 may be written
constexpr std::uint64_t kLength = 0x1800;

struct Pair {
  TniNet net;
  explicit Pair(std::uint64_t seed = 1) : net(2, 1, TniNet::kFree + 0x8000, seed) {
    net.open(kSecond, 1);
    net.open(kFirst, 1);
    net.tag(kFirst, 1, 0, kHere, 0x2000);
    net.tag(kFirst, 2, 0, kHere + 0x2000, 0x2000, 1);
    constexpr unsigned all = TniNet::kRead | TniNet::kWrite | TniNet::kAtomic;
    net.tag(kSecond, 3, all, kThere, kLength);
    net.tag(kSecond, 4, all, kThere + 0x2000, kLength);
    net.tag(kSecond, 5, all, kThere, kLength, 1);
    net.tag(kSecond, 6, TniNet::kRead, kThere, kLength);
    net.tag(kSecond, 7, TniNet::kWrite, kThere, kLength);
    for (std::size_t i = 0; i < 0x4000; ++i)
      net.memory[0][kHere + i] = static_cast<std::byte>(i * 13 + i / 256);
  }
  TniCommand command(Kind kind, unsigned remote_tag, std::uint64_t remote_offset,
                     std::uint32_t length) {
    auto c = net.to(kind, kSecond);
    c.flags = TniCommand::kCompletion;
    c.local_tag = 1;
    c.remote_tag = remote_tag;
    c.remote_offset = remote_offset;
    c.length = length;
    return c;
  }
  /// Whether so many bytes from `from` on at the first node are at the second one's `to`.
  bool same(std::uint64_t from, std::uint64_t to, std::uint64_t bytes) const {
    const auto a = net.memory[0].begin() + static_cast<std::ptrdiff_t>(from);
    return std::equal(a, a + static_cast<std::ptrdiff_t>(bytes),
                      net.memory[1].begin() + static_cast<std::ptrdiff_t>(to));
  }
  /// Whether they are 0 at the second node.
  bool empty(std::uint64_t at, std::uint64_t bytes) const {
    const auto a = net.memory[1].begin() + static_cast<std::ptrdiff_t>(at);
    return std::all_of(a, a + static_cast<std::ptrdiff_t>(bytes),
                       [](std::byte b) { return b == std::byte{0}; });
  }
};

}  // namespace

TEST_CASE("tni: every fault tells both ends its cause and stops only its transfer", "[tni]") {
  struct Case {
    const char* what;
    Kind kind;
    unsigned remote_tag, queue;
    std::uint64_t offset;
    std::uint32_t length;
    unsigned cause;
    std::uint64_t written = 0;  ///< bytes of packets before the fault
  };
  const auto c =
      GENERATE(Case{"a tag that is not valid", Kind::Put, 8, 0, 0, 5000, 1},
               Case{"a tag beyond the table", Kind::Put, 0x3ffff, 0, 0, 5000, 1},
               Case{"the first packet leaves the memory", Kind::Put, 3, 0, 0x1700, 5000, 2},
               Case{"the third packet does", Kind::Put, 3, 0, 0x800, 5000, 2, 3840},
               Case{"offset and length pass 2^40 - 1", Kind::PutDirect, 3, 0, 0xffffffffe0, 32, 2},
               Case{"no right to write", Kind::Put, 6, 0, 0, 5000, 3},
               Case{"of another queue", Kind::Put, 5, 0, 0, 5000, 4},
               Case{"a queue that is not enabled", Kind::Put, 3, 2, 0, 5000, 5},
               Case{"a queue that is not there", Kind::Put, 3, 9, 0, 5000, 5},
               Case{"no right to read", Kind::Get, 7, 0, 0, 5000, 3},
               Case{"a get beyond the end", Kind::Get, 3, 0, 0x1000, 0x801, 2},
               Case{"a get of another queue's", Kind::Get, 5, 0, 0, 8, 4},
               Case{"no right to atomics", Kind::Atomic, 6, 0, 0, 0, 3},
               Case{"an atomic beyond the end", Kind::Atomic, 3, 0, kLength, 0, 2});
  CAPTURE(c.what);
  Pair p;
  p.net.longest_way = 200;
  const auto landing = p.net.memory[0];
  auto good = p.command(Kind::Put, 4, 0, 5000);
  auto bad = p.command(c.kind, c.remote_tag, c.offset, c.length);
  bad.queue = static_cast<std::uint8_t>(c.queue);
  bad.edata = 0xbad;
  bad.data[0] = 1;
  // Good ones before and behind, of this queue and of another.
  const unsigned first = p.net.submit(kFirst, good);
  const unsigned wrong = p.net.submit(kFirst, bad);
  good.remote_offset = 16;
  good.length = 6000;
  const unsigned last = p.net.submit(kFirst, good);
  auto other = p.command(Kind::Get, 4, 5, 3000);
  other.local_tag = 2;
  p.net.submit(kFirst, other, 1);
  p.net.settle();

  unsigned seen = 0;
  for (const auto& done : p.net.completions(kFirst)) {
    seen |= 1U << done.index;
    CHECK(done.cause == (done.index == wrong ? c.cause : 0));
  }
  CHECK(seen == (1U << first | 1U << wrong | 1U << last));
  CHECK(p.net.completions(kFirst, 1).at(0).cause == 0);
  const auto notices = p.net.notices(kSecond);
  REQUIRE(notices.size() == (c.cause == 5 ? 0 : 1));
  if (!notices.empty()) {
    CHECK(notices[0].cause == c.cause);
    CHECK(notices[0].edata == 0xbad);
    CHECK(notices[0].from == TniNet::coordinates(0));
    CHECK(notices[0].tag == c.remote_tag);
  }
  CHECK(p.same(kHere, kThere + 0x2000 + 16, 6000));
  CHECK(p.same(kHere, kThere + c.offset, c.written));
  CHECK(p.empty(kThere + (c.written == 0 ? 0 : c.offset + c.written),
                c.written == 0 ? 0x2000 : 0x100));
  if (c.kind == Kind::Get)
    CHECK(std::equal(landing.begin() + kHere, landing.begin() + kHere + 0x2000,
                     p.net.memory[0].begin() + kHere));
  CHECK(p.net.read(kSecond, reg::kFaults) == 1);
  CHECK_FALSE(p.net.devices[0]->attention());
  CHECK_FALSE(p.net.devices[1]->attention());
}

TEST_CASE("tni: faults of the sender's own memory send nothing", "[tni]") {
  Pair p;
  for (const auto& [tag, offset, length, cause] : std::vector<std::array<std::uint32_t, 4>>{
           {9, 0, 8, 1}, {0x3ffff, 0, 8, 1}, {1, 0x1ff9, 8, 2}, {2, 0, 8, 4}}) {
    for (const Kind kind : {Kind::Put, Kind::Get}) {
      auto c = p.command(kind, 3, 0, length);
      c.local_tag = tag;
      c.local_offset = offset;
      CHECK(p.net.run(kFirst, c).cause == cause);
    }
  }
  CHECK(p.net.read(kFirst, reg::kSent) == 0);
  CHECK(p.net.read(kSecond, reg::kReceived) == 0);
}

TEST_CASE("tni: an interface that is switched off refuses requests, and begins where it stopped",
          "[tni]") {
  Pair p;
  p.net.write(kSecond, reg::kControl, 0);
  CHECK(p.net.run(kFirst, p.command(Kind::Put, 3, 0, 4000)).cause == 5);
  p.net.write(kFirst, reg::kControl, 0);
  p.net.submit(kFirst, p.command(Kind::Put, 3, 0, 4000));
  p.net.settle();
  CHECK(p.net.read(kFirst, reg::kQueue + reg::kConsumer) == 1);
  CHECK(p.empty(kThere, 0x2000));
  p.net.write(kSecond, reg::kControl, 1);
  p.net.write(kFirst, reg::kControl, 1);
  p.net.settle();
  CHECK(p.net.completions(kFirst).at(0).cause == 0);
  CHECK(p.same(kHere, kThere, 4000));
}

TEST_CASE("tni: a queue that is switched off and on has none of its old commands", "[tni]") {
  Pair p;
  p.net.longest_way = 300;
  for (unsigned i = 0; i < 6; ++i) p.net.submit(kFirst, p.command(Kind::Put, 3, 8 * i, 8));
  p.net.submit(
      kFirst,
      [&] {
        auto c = p.command(Kind::Put, 4, 0, 8);
        c.local_tag = 2;
        return c;
      }(),
      1);
  for (unsigned i = 0; i < 40; ++i) p.net.step();
  p.net.write(kFirst, reg::kQueue, 0);
  p.net.open(kFirst, 0);
  p.net.settle();
  CHECK(p.net.completions(kFirst).empty());
  CHECK(p.net.completions(kFirst, 1).size() == 1);
  CHECK(p.net.run(kFirst, p.command(Kind::Put, 3, 0x800, 64)).index == 0);
  CHECK(p.same(kHere, kThere + 0x800, 64));
  CHECK(p.net.read(kFirst, reg::kError) == 0);
}

TEST_CASE("tni: what arrives damaged never reaches memory", "[tni]") {
  enum class Damage { Payload, Header, Crc, Short, Long, Void };
  const auto damage = GENERATE(Damage::Payload, Damage::Header, Damage::Crc, Damage::Short,
                               Damage::Long, Damage::Void);
  const std::size_t which = GENERATE(as<std::size_t>{}, 0, 1, 2);
  Pair p;
  std::size_t packet = 0;
  p.net.tamper = [&](TniDevice::Beats& beats) {
    if (packet++ != which) return true;
    using ht::model::tofu::ChipBeat;
    // Whole words with good check bits: nothing but CRC and length can tell.
    const auto change = [&](std::size_t at, std::size_t half, std::uint64_t bits) {
      auto data = beats[at].data;
      data[half] ^= bits;
      beats[at] = ChipBeat::make(data, beats[at].first, beats[at].last);
    };
    switch (damage) {
      case Damage::Payload:
        change(2 + beats.size() / 3, 1, 0x100);
        break;
      case Damage::Header:
        change(0, 1, 1ULL << 20);
        break;  // offset
      case Damage::Crc:
        change(beats.size() - 1, 0, 1ULL << 40);
        break;
      case Damage::Short:
        beats.erase(beats.begin() + 5);
        break;
      case Damage::Long:
        beats.insert(beats.begin() + 5, beats[4]);
        break;
      case Damage::Void:
        beats.back() = ChipBeat::make(beats.back().data, false, true, true);
        break;
    }
    return true;
  };
  p.net.submit(kFirst, p.command(Kind::Put, 3, 0, 5000));
  p.net.settle();
  const std::array<std::uint64_t, 4> begin{0, 1920, 3840, 5000};
  for (std::size_t i = 0; i < 3; ++i) {
    CAPTURE(i);
    const std::uint64_t bytes = begin[i + 1] - begin[i];
    // What follows it is not carried out either.
    if (i >= which)
      CHECK(p.empty(kThere + begin[i], bytes));
    else
      CHECK(p.same(kHere + begin[i], kThere + begin[i], bytes));
  }
  CHECK(p.empty(kThere + 5000, 0x2000 - 5000));
  // Void ones come again from the link, which knows of them.
  CHECK(p.net.read(kSecond, reg::kError) == (damage == Damage::Void ? 0 : error::kPacket));
  CHECK(p.net.read(kSecond, reg::kReceived) == 2);
  const auto completions = p.net.completions(kFirst);
  REQUIRE(completions.size() == (which == 2 ? 0 : 1));
  if (which != 2) CHECK(completions[0].cause == 8);
}

TEST_CASE("tni: a get whose data were damaged ends with cause 8", "[tni]") {
  Pair p;
  std::size_t data = 0;
  p.net.tamper = [&](TniDevice::Beats& beats) {
    if (beats.size() > 100 && data++ == 1)
      beats[50] = ht::model::tofu::ChipBeat::make({1, 2}, false, false);
    return true;
  };
  const auto before = p.net.memory[0];
  CHECK(p.net.run(kFirst, p.command(Kind::Get, 3, 0, 6000)).cause == 8);
  CHECK(std::equal(before.begin() + kHere + 1920, before.begin() + kHere + 3840,
                   p.net.memory[0].begin() + kHere + 1920));
  CHECK(p.empty(kThere, 100));
  CHECK(p.net.memory[0][kHere + 3] == std::byte{0});
}

TEST_CASE("tni: a tag that goes while its memory is sent ends that message only", "[tni]") {
  Pair p;
  // In pages: the translation of a later one finds the tag gone.
  const auto pages = [](std::uint64_t base) {
    return std::vector<std::uint64_t>{base, base + 0x1000, base + 0x2000, base + 0x3000};
  };
  p.net.tag(kFirst, 10, 0, 0, 0x4000, 0, pages(kHere));
  p.net.tag(kSecond, 11, TniNet::kRead, 0, 0x4000, 0, pages(kThere));
  p.net.tag(kSecond, 12, TniNet::kWrite, kThere, 0x4000);
  p.net.disturb(14, 0, 0);
  auto c = p.command(Kind::Put, 12, 0, 0x3800);
  c.local_tag = 10;
  const unsigned long_one = p.net.submit(kFirst, c);
  for (unsigned i = 0; i < 3000; ++i) p.net.step();
  p.net.forget_tag(kFirst, 10);
  p.net.submit(kFirst, p.command(Kind::Put, 12, 0x3800, 100));
  p.net.settle();
  const auto done = p.net.completions(kFirst);
  REQUIRE(done.size() == 2);
  for (const auto& one : done) CHECK(one.cause == (one.index == long_one ? 1 : 0));
  CHECK(p.same(kHere, kThere + 0x3800, 100));
  CHECK(p.same(kHere, kThere, 1920));
  CHECK(p.empty(kThere + 0x3000, 0x800));
  // The same at the other end, of a get: the answer says so.
  p.net.tag(kFirst, 13, 0, kHere, 0x4000);
  p.net.submit(kFirst, [&] {
    auto get = p.command(Kind::Get, 11, 0, 0x4000);
    get.local_tag = 13;
    return get;
  }());
  for (unsigned i = 0; i < 3000; ++i) p.net.step();
  p.net.forget_tag(kSecond, 11);
  p.net.settle();
  CHECK(p.net.completions(kFirst).at(0).cause == 1);
  CHECK(p.net.run(kFirst, p.command(Kind::Put, 3, 0, 4000)).cause == 0);
}

TEST_CASE("tni: registers refuse what they must", "[tni]") {
  Pair p;
  auto& net = p.net;
  const auto raised = [&] {
    const auto value = net.read(kFirst, reg::kError), info = net.read(kFirst, reg::kErrorInfo);
    net.write(kFirst, reg::kError, value);
    return std::pair{value, info};
  };
  // Rings of an enabled queue stay where they are, and are told so.
  for (unsigned word = reg::kCommands; word <= reg::kNotices; ++word) {
    const unsigned address = reg::kQueue + word;
    const auto before = net.read(kFirst, address);
    CHECK_FALSE(net.try_write(kFirst, address, before ^ 0x1000));
    CHECK(net.read(kFirst, address) == before);
    CHECK(raised() == std::pair{std::uint32_t{error::kQueueBusy}, std::uint32_t{address}});
  }
  const auto control = net.read(kFirst, reg::kQueue);
  CHECK_FALSE(net.try_write(kFirst, reg::kQueue, control ^ 2));
  CHECK(raised() == std::pair{std::uint32_t{error::kQueueBusy}, std::uint32_t{reg::kQueue}});
  CHECK(net.try_write(kFirst, reg::kQueue, control));
  CHECK(net.read(kFirst, reg::kQueue) == control);
  // Too much for the register: refused, and nobody's error.
  CHECK_FALSE(net.try_write(kFirst, reg::kControl, 2));
  CHECK_FALSE(net.try_write(kFirst, reg::kTableTags, 0x40001));
  CHECK_FALSE(net.try_write(kFirst, reg::kQueue + reg::kProducer, 0x10000));
  CHECK_FALSE(net.try_write(kFirst, reg::kInject, 144));
  for (const unsigned limit : {0U, 5U, 17U, 32U})
    CHECK_FALSE(net.try_write(kFirst, reg::kTimeLimit, limit));
  for (unsigned limit = 6; limit <= 16; ++limit) {
    net.write(kFirst, reg::kTimeLimit, limit);
    CHECK(net.read(kFirst, reg::kTimeLimit) == limit);
  }
  CHECK(raised().first == 0);
  // Those that are only read, and those that are not there.
  for (const unsigned address :
       {reg::kId, reg::kErrorInfo, reg::kCacheHits, reg::kSent, reg::kFaults, reg::kLate,
        reg::kStrayed, reg::kQueue + reg::kConsumer}) {
    CHECK_FALSE(net.try_write(kFirst, address, 0));
    CHECK(raised() == std::pair{std::uint32_t{error::kReadOnly}, std::uint32_t{address}});
  }
  for (const unsigned address : {0x12U, 0x3fU, 0x48U, 0x4fU, 0xbfU, 0xc0U, 0xffU}) {
    CHECK_FALSE(net.try_write(kFirst, address, 0));
    CHECK(raised() == std::pair{std::uint32_t{error::kUnknown}, std::uint32_t{address}});
  }
  CHECK(net.run(kFirst, p.command(Kind::Put, 3, 0, 4000)).cause == 0);
}

TEST_CASE("tni: a doorbell that cannot be is refused, and no command runs again", "[tni]") {
  Pair p;
  auto& net = p.net;
  constexpr unsigned ring = 16, base = reg::kQueue;
  auto add = p.command(Kind::Atomic, 3, 0, 0);
  add.flags |= TniCommand::kRemoteNotice;
  add.data[0] = 1;
  const auto sum = [&] {
    std::uint32_t value = 0;
    std::memcpy(&value, net.memory[kSecond].data() + kThere, sizeof value);
    return value;
  };
  std::uint32_t given = 0;
  const auto refused = [&](unsigned device, unsigned word, std::uint32_t index) {
    CAPTURE(device, word, index);
    const auto before = net.read(device, base + word);
    CHECK_FALSE(net.try_write(device, base + word, index & 0xffff));
    CHECK(net.read(device, base + word) == before);
  };
  const auto round = [&](unsigned commands) {
    for (unsigned i = 0; i < commands; ++i) net.put_command(kFirst, add);
    given += commands;
    net.ring(kFirst);
    net.settle();
    // Before any entry is read, and behind all that were.
    refused(kFirst, reg::kProducer, given - 1);
    refused(kFirst, reg::kProducer, given + ring + 1);
    refused(kFirst, reg::kProducer, given + 0x8000);
    refused(kFirst, reg::kCompleted, given + 1);
    refused(kSecond, reg::kNoticed, given + 1);
    // At each end there are entries of the other kind only.
    refused(kFirst, reg::kNoticed, 1);
    refused(kSecond, reg::kCompleted, 1);
    CHECK(net.completions(kFirst).size() == commands);
    CHECK(net.notices(kSecond).size() == commands);
    refused(kFirst, reg::kCompleted, given - 1);
    refused(kFirst, reg::kCompleted, given + 1);
    refused(kSecond, reg::kNoticed, given - 1);
    refused(kSecond, reg::kNoticed, given + 0x8000);
    net.write(kFirst, base + reg::kProducer, given);  // says nothing new
    net.settle();
    CHECK(sum() == given);
  };
  refused(kFirst, reg::kProducer, ring + 1);
  refused(kFirst, reg::kCompleted, 1);
  refused(kSecond, reg::kNoticed, 1);
  for (const unsigned commands : {2U, 1U, ring, 3U, ring, ring}) round(commands);
  for (const unsigned device : {kFirst, kSecond}) CHECK(net.read(device, reg::kError) == 0);
  // Of a queue that is not enabled they say nothing yet.
  net.write(kFirst, base, 0);
  for (const unsigned word : {reg::kProducer, reg::kCompleted, reg::kNoticed})
    net.write(kFirst, base + word, 0x1234);
  net.open(kFirst, 0);
  for (const unsigned word : {reg::kProducer, reg::kCompleted, reg::kNoticed})
    CHECK(net.read(kFirst, base + word) == 0);
  CHECK(net.run(kFirst, add).index == 0);
}

TEST_CASE("tni: one wrong bit of any memory is corrected", "[tni]") {
  unsigned corrected = 0;
  for (unsigned bit = 0; bit < 144; ++bit) {
    CAPTURE(bit);
    Pair p(bit);
    // At the sender a place of a ring, or a descriptor, or payload; at the receiver a packet or a
    // translation.
    for (const unsigned device : {kFirst, kSecond}) {
      const unsigned when = bit % 3;
      if (when == 0) p.net.write(device, reg::kInject, bit | bit << 8);
      if (when == 0 && device == kFirst) {
        p.net.write(kFirst, reg::kQueue, 0);
        p.net.open(kFirst, 0);
      }
      p.net.submit(kFirst, p.command(Kind::Put, 3, 0, 4000));
      for (unsigned i = 0; i < 30 * when; ++i) p.net.step();
      if (when != 0) p.net.write(device, reg::kInject, bit | bit << 8);
      auto atomic = p.command(Kind::Atomic, 4, 8, 0);
      atomic.data[0] = 1;
      p.net.submit(kFirst, atomic);
      p.net.submit(kFirst, p.command(Kind::Put, 4, 64, 4000));
      p.net.settle();
      for (const auto& done : p.net.completions(kFirst)) CHECK(done.cause == 0);
      REQUIRE(p.same(kHere, kThere, 4000));
      REQUIRE(p.same(kHere, kThere + 0x2000 + 64, 4000));
      REQUIRE_FALSE(p.net.devices[device]->fault());
      const auto value = p.net.read(device, reg::kError);
      REQUIRE((value & ~kCorrected) == 0);
      corrected += value != 0 ? 1 : 0;
    }
  }
  // A few are overwritten before anybody reads them.
  CHECK(corrected > 250);
}

TEST_CASE("tni: two wrong bits are reported, and nothing leaves any more", "[tni]") {
  std::mt19937 engine(1);
  const auto random = [&] { return static_cast<unsigned>(engine()); };
  unsigned reported = 0;
  for (unsigned i = 0; i < 120; ++i) {
    CAPTURE(i);
    Pair p(i);
    const unsigned device = i % 2;
    const unsigned half = random() % 2 * 64, bit = half + random() % 64,
                   second = half + (bit - half + 1 + random() % 63) % 64;
    const unsigned wait = random() % 90;
    p.net.submit(kFirst, p.command(Kind::Put, 3, 0, 4000));
    for (unsigned n = 0; n < wait; ++n) p.net.step();
    p.net.write(device, reg::kInject, bit | second << 8);
    p.net.submit(kFirst, p.command(Kind::Put, 4, 64, 4000));
    for (unsigned n = 0; n < 3000; ++n) p.net.step();
    // Nothing wrong was written, at either end.
    for (std::uint64_t b = 0; b < 4000; ++b) {
      const auto at = [&](std::uint64_t to) { return p.net.memory[1][to + b]; };
      REQUIRE((at(kThere) == std::byte{0} || at(kThere) == p.net.memory[0][kHere + b]));
      REQUIRE((at(kThere + 0x2000 + 64) == std::byte{0} ||
               at(kThere + 0x2000 + 64) == p.net.memory[0][kHere + b]));
    }
    auto& d = *p.net.devices[device];
    if (!d.fault()) continue;
    ++reported;
    REQUIRE((p.net.read(device, reg::kError) & kFatal) != 0);
    const auto reads = d.reads, writes = d.writes,
               sent = std::uint64_t{p.net.read(device, reg::kSent)};
    p.net.ring(kFirst);
    for (unsigned n = 0; n < 300; ++n) p.net.step();
    REQUIRE(d.reads == reads);
    REQUIRE(d.writes == writes);
    REQUIRE(p.net.read(device, reg::kSent) == sent);
  }
  CHECK(reported > 90);
}
