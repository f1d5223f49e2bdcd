// SPDX-License-Identifier: Apache-2.0
// Remote accesses of campaigns: what is drawn, and that nothing wrong passes for good, over a
// network without hardware whose packets can be tampered with.
#include "sim/tofu/campaign/remote.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <set>

#include "sw/tofu/functional/functional_tofu.hpp"

using namespace ht;
using namespace ht::campaign;
using model::TniKind;

namespace {

const tofu::Shape shape{{2, 1, 1, 2, 1, 2}, {true, true, true}};

TofuRemoteTraffic traffic_of(std::uint64_t seed) {
  return draw_remote_traffic(Draw(seed, 0, 0), shape, {1'000'000, 4'000'000});
}

// With jobs and changes of the table.
TofuRemoteTraffic disorderly(std::uint64_t seed) {
  TofuRemoteTraffic t = traffic_of(seed);
  draw_disorder(Draw(seed, 0, 1), shape.nodes(), 1'000'000, 4'000'000, t);
  return t;
}

struct Result {
  std::uint64_t completed = 0, failed = 0, strays = 0;
  std::vector<std::string> complaints;
  bool tampered = false;
};

/// With `tamper` one packet is given to it: the first that it says was for it.
Result run(const TofuRemoteTraffic& traffic,
           const std::function<bool(model::TniPacket&)>& tamper = {}) {
  tofu::FunctionalTofu machine(shape);
  Result result;
  machine.tamper_interface = [&](model::TniPacket& p) {
    if (tamper && !result.tampered) result.tampered = tamper(p);
    return true;
  };
  std::vector<std::byte*> regions(static_cast<std::size_t>(shape.nodes()));
  std::vector<tofu::TniCause> ends(traffic.accesses.size());
  std::vector<std::unique_ptr<tofu::Icc>> iccs(regions.size());
  std::vector<std::unique_ptr<TofuRemoteProgram>> programs(regions.size());
  const auto at = [](int node) { return static_cast<std::size_t>(node); };
  machine.run([&](int node, host::HardwarePort& port) {
    iccs[at(node)] = std::make_unique<tofu::Icc>(port, tofu::Place{shape, node});
    programs[at(node)] = std::make_unique<TofuRemoteProgram>(traffic, node, regions, ends);
    programs[at(node)]->set_up(*iccs[at(node)]);
  });
  machine.run([&](int node, host::HardwarePort& port) {
    while (programs[at(node)]->step(port.now())) port.advance(100'000);
  });
  machine.run([&](int node, host::HardwarePort&) { programs[at(node)]->account(); });
  for (const auto& p : programs) {
    result.completed += p->completed();
    result.failed += p->failed();
    result.strays += p->strays();
    result.complaints.insert(result.complaints.end(), p->complaints().begin(),
                             p->complaints().end());
  }
  return result;
}

bool any(const Result& r, const std::string& words) {
  return std::ranges::any_of(
      r.complaints, [&](const auto& text) { return text.find(words) != std::string::npos; });
}

}  // namespace

TEST_CASE("tofu campaign: remote accesses of all sorts are drawn, and no two share a byte") {
  std::set<int> commands, operations, interfaces, queues;
  std::set<std::uint32_t> paths;
  std::uint64_t longest = 0, notices = 0, all = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const TofuRemoteTraffic t = traffic_of(seed);
    std::vector<std::vector<bool>> used(static_cast<std::size_t>(shape.nodes()),
                                        std::vector<bool>(t.region_bytes));
    for (const auto& [interface, queue] : t.queues) {
      interfaces.insert(interface);
      queues.insert(queue);
    }
    for (const TofuAccess& a : t.accesses) {
      ++all;
      commands.insert(static_cast<int>(a.command));
      operations.insert(static_cast<int>(a.operation));
      paths.insert(a.path);
      longest = std::max(longest, a.length);
      notices += a.notice ? 1 : 0;
      bool shared = false, inside = true;
      for (std::uint64_t i = 0; i < a.length; ++i) {
        for (const auto& [node, offset] :
             {std::pair{a.node, a.local + i}, std::pair{a.peer, a.far + i}}) {
          inside = inside && offset < t.region_bytes;
          if (!inside) break;
          auto byte = used[static_cast<std::size_t>(node)][offset];
          shared = shared || byte;
          byte = true;
        }
      }
      CHECK(!shared);
      CHECK(inside);
    }
  }
  CHECK(commands.size() == 4);
  CHECK(operations.size() == 6);
  CHECK(interfaces.size() == 4);
  CHECK(queues.size() == 8);
  CHECK(paths.size() == 4);
  CHECK(longest > 4 * 1'920);
  CHECK(notices > all / 3);
  CHECK(notices < 2 * all / 3);
}

TEST_CASE("tofu campaign: remote accesses that are complete and good have the right bytes") {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const TofuRemoteTraffic t = traffic_of(seed);
    const Result r = run(t);
    INFO("seed " << seed);
    for (const std::string& c : r.complaints) FAIL_CHECK(c);
    CHECK(r.completed == t.accesses.size());
  }
}

TEST_CASE("tofu campaign: strays are refused, and tags taken away end accesses with a cause") {
  std::uint64_t failed = 0, strays = 0;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const TofuRemoteTraffic t = disorderly(seed);
    const Result r = run(t);
    INFO("seed " << seed);
    for (const std::string& c : r.complaints) FAIL_CHECK(c);
    CHECK(r.completed == t.accesses.size());
    failed += r.failed;
    strays += r.strays;
  }
  CHECK(failed > 3);
  CHECK(strays > 10);
}

TEST_CASE("tofu campaign: one byte of a remote access that is wrong is found, wherever it is") {
  int tampered = 0, late = 0;
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    const TofuRemoteTraffic t = traffic_of(seed);
    for (const TniKind kind : {TniKind::Put, TniKind::Data}) {
      for (const bool last : {false, true}) {
        const Result r = run(t, [&](model::TniPacket& p) {
          if (p.kind != kind || p.payload.empty() || (last && !p.last)) return false;
          p.payload[last ? p.payload.size() - 1 : 0] ^= std::byte{0x10};
          return true;
        });
        INFO("seed " << seed << ", kind " << static_cast<int>(kind));
        CHECK(any(r, "completed good, but byte") == r.tampered);
        tampered += r.tampered ? 1 : 0;
      }
    }
    // Beside what was asked for.
    const Result beside = run(t, [&](model::TniPacket& p) {
      if (p.kind != TniKind::Put || p.payload.empty() || p.offset < 64) return false;
      p.offset -= 1;
      return true;
    });
    CHECK(!beside.complaints.empty() == beside.tampered);
    // A notice of something else.
    const Result told = run(t, [&](model::TniPacket& p) {
      if (p.kind != TniKind::Put || !p.notice || !p.last) return false;
      p.edata ^= 1;
      return true;
    });
    CHECK(!told.complaints.empty() == told.tampered);
    late += told.tampered ? 1 : 0;
  }
  CHECK(tampered > 15);
  CHECK(late > 3);
}

TEST_CASE("tofu campaign: an access that is refused is told with its cause") {
  int refused = 0;
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    const Result r = run(traffic_of(seed), [&](model::TniPacket& p) {
      if (p.kind != TniKind::Get) return false;
      p.tag ^= 1;  // nobody has set it
      return true;
    });
    CHECK(any(r, tofu::text(tofu::TniCause::Tag)) == r.tampered);
    refused += r.tampered ? 1 : 0;
  }
  CHECK(refused > 3);
}
