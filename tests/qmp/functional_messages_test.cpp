// SPDX-License-Identifier: Apache-2.0
// Messages on the functional network whose ends differ, and what happens to their buffers.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cstddef>
#include <string>
#include <vector>

#include "sw/host/errors.hpp"
#include "sw/qmp/functional_machine.hpp"
#include "tests/qmp/complaint.hpp"

using Catch::Matchers::Contains;
using ht::qmp::Channel;
using ht::qmp::FunctionalMachine;
using ht::qmp::Transport;
using ht::qmp::tests::complaint;

TEST_CASE("A receive that is shorter than what is sent is named, with both ends") {
  FunctionalMachine machine({3});
  const std::string text = complaint<ht::ProtocolError>([&] {
    machine.run([](Transport& t) {
      std::vector<char> buffer(128);
      const auto s = t.declare_send(0, Channel::User, buffer.data(), 96);
      const auto r = t.declare_receive(1, Channel::User, buffer.data(), t.rank() == 2 ? 64 : 96);
      t.start(r);
      t.start(s);
      t.wait(r);
      t.wait(s);
      return 0;
    });
  });
  CHECK_THAT(text, Contains("node 2 receives 64 bytes from node 1, which sends 96") &&
                       Contains("node 1 (1) is sending 96 bytes") &&
                       Contains("node 2 (2) is receiving 64 bytes"));
}

TEST_CASE("A receive may be longer than what is sent: the rest of its buffer stays as it was") {
  FunctionalMachine machine({3});
  machine.run([](Transport& t) {
    std::vector<char> out(13, 's'), in(50, 'r');
    const auto s = t.declare_send(0, Channel::User, out.data(), out.size());
    const auto r = t.declare_receive(1, Channel::User, in.data(), in.size());
    if (t.rank() == 1) t.start(s);
    t.start(r);
    if (t.rank() != 1) t.start(s);
    t.wait(r);
    t.wait(s);
    CHECK(std::string(in.begin(), in.end()) == std::string(13, 's') + std::string(37, 'r'));
    return 0;
  });
}

TEST_CASE("A message of no bytes keeps its place among the others") {
  FunctionalMachine machine({2});
  machine.run([](Transport& t) {
    char out = 's', in[] = "rrrr";
    std::vector<ht::qmp::MessageId> ids;
    if (t.rank() == 0) {
      for (const std::size_t bytes : {0, 1, 0})
        ids.push_back(t.declare_send(0, Channel::User, bytes == 0 ? nullptr : &out, bytes));
    } else {
      ids = {t.declare_receive(1, Channel::User, &in[0], 2),
             t.declare_receive(1, Channel::User, &in[2], 2),
             t.declare_receive(1, Channel::User, nullptr, 0)};
    }
    for (const ht::qmp::MessageId id : ids) t.start(id);
    for (const ht::qmp::MessageId id : ids) t.wait(id);
    CHECK(std::string(in) == (t.rank() == 0 ? "rrrr" : "rrsr"));
    return 0;
  });
}

TEST_CASE("A receive buffer that is written before its message is complete is found, and named") {
  struct Written {
    std::size_t bytes, at;
  };
  const bool early = GENERATE(true, false);  // before or after the message has met its other end
  const bool polls = GENERATE(false, true);
  const Written w = GENERATE(Written{1, 0}, Written{8, 7}, Written{100, 3}, Written{100, 99},
                             Written{4096, 2048}, Written{4096, 4095});
  const auto exchange = [&](int writer) {
    FunctionalMachine machine({3});
    machine.run([&](Transport& t) {
      std::vector<char> out(w.bytes, static_cast<char>(t.rank())), in(w.bytes, 'x');
      const auto s = t.declare_send(0, Channel::User, out.data(), w.bytes);
      const auto r = t.declare_receive(1, Channel::User, in.data(), w.bytes);
      t.start(r);
      CHECK(std::count(in.begin(), in.end(), 'x') == 0);  // nothing there passes for a message
      if (early && t.rank() == writer) in[w.at] = 'y';
      t.start(s);
      t.wait(s);
      if (!early && t.rank() == writer) in[w.at] = 'y';
      if (polls) {
        while (!t.is_complete(r)) {
        }
      } else {
        t.wait(r);
      }
      CHECK(in == std::vector<char>(w.bytes, static_cast<char>((t.rank() + 2) % 3)));
      in.assign(in.size(), 'z');  // it is the program's again
      return 0;
    });
  };
  exchange(-1);
  const std::string text = complaint<ht::ProtocolError>([&] { exchange(1); });
  CHECK_THAT(text, Contains("node 1 (1): receiving " + std::to_string(w.bytes) +
                            " bytes from node 0 (0) over -x") &&
                       Contains("byte " + std::to_string(w.at) + " of the receive buffer"));
}
