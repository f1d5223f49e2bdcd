// SPDX-License-Identifier: Apache-2.0
#include "sw/host/fibre.hpp"

#include <catch2/catch.hpp>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

using ht::host::Fibre;

namespace {

struct Counter {
  explicit Counter(int& alive) : alive_(alive) { ++alive_; }
  ~Counter() { --alive_; }
  Counter(const Counter&) = delete;
  Counter& operator=(const Counter&) = delete;
  int& alive_;
};

// Deep enough that a fibre on too small a slice of somebody else's stack would damage it.
int depth_sum(int n) {
  volatile char pad[256] = {};
  pad[0] = static_cast<char>(n);
  if (n == 0) return 0;
  if (n % 50 == 0) Fibre::suspend();
  return 1 + depth_sum(n - 1) + pad[1];
}

}  // namespace

TEST_CASE("Two fibres take turns and keep their stacks") {
  std::string log;
  const auto speak = [&log](char c) {
    return [&log, c] {
      for (int i = 0; i < 3; ++i) {
        log += c;
        log += static_cast<char>('0' + i);
        Fibre::suspend();
      }
    };
  };
  Fibre a(speak('a'));
  Fibre b(speak('b'));
  CHECK(log.empty());  // nothing runs before the first resume
  while (!a.finished()) {
    a.resume();
    b.resume();
  }
  CHECK(b.finished());
  CHECK(log == "a0b0a1b1a2b2");
  CHECK_THROWS_AS(a.resume(), std::logic_error);
}

TEST_CASE("A deep stack survives being left in the middle") {
  std::vector<int> results(3);
  std::vector<std::unique_ptr<Fibre>> fibres;
  for (int& r : results) fibres.push_back(std::make_unique<Fibre>([&r] { r = depth_sum(1000); }));
  for (int turn = 0; turn < 21; ++turn) {
    for (auto& f : fibres) {
      if (!f->finished()) f->resume();
    }
  }
  for (int r : results) CHECK(r == 1000);
}

TEST_CASE("current() and the user slot belong to the running fibre") {
  CHECK(Fibre::current() == nullptr);
  int slot = 0;
  std::vector<const Fibre*> seen;
  Fibre inner([&] {
    seen.push_back(Fibre::current());
    Fibre::suspend();
    seen.push_back(Fibre::current());
  });
  Fibre outer([&] {
    Fibre::current()->set_user(&slot);
    inner.resume();
    seen.push_back(Fibre::current());
    inner.resume();
  });
  outer.resume();
  CHECK(Fibre::current() == nullptr);
  REQUIRE(seen.size() == 3);
  CHECK(seen[0] == &inner);
  CHECK(seen[1] == &outer);
  CHECK(seen[2] == &inner);
  CHECK(outer.user() == &slot);
  CHECK(inner.user() == nullptr);
}

TEST_CASE("An exception leaves through resume()") {
  Fibre f([] {
    Fibre::suspend();
    throw std::runtime_error("node 3 gave up");
  });
  f.resume();
  CHECK_THROWS_WITH(f.resume(), "node 3 gave up");
  CHECK(f.finished());
  CHECK_THROWS_AS(f.resume(), std::logic_error);
}

TEST_CASE("A fibre thrown away in the middle destroys what is on its stack") {
  int alive = 0;
  bool after = false;
  {
    Fibre f([&] {
      Counter outer(alive);
      try {
        Counter inner(alive);
        Fibre::suspend();
        after = true;
      } catch (...) {
        throw;
      }
    });
    f.resume();
    CHECK(alive == 2);
  }
  CHECK(alive == 0);
  CHECK_FALSE(after);
}

TEST_CASE("A body that swallows its end is told again, and one never started does not run") {
  int swallowed = 0;
  bool started = false;
  {
    Fibre stubborn([&] {
      for (int i = 0; i < 3; ++i) {
        try {
          Fibre::suspend();
        } catch (...) {
          ++swallowed;
        }
      }
    });
    stubborn.resume();
    Fibre never([&] { started = true; });
  }
  CHECK(swallowed == 3);
  CHECK_FALSE(started);
}

TEST_CASE("A destructor that blocks while its fibre is thrown away is left, and nobody hangs") {
  struct Blocks {
    Counter counter;
    bool& returned;
    ~Blocks() {
      Fibre::suspend();
      returned = true;
    }
  };
  int alive = 0;
  bool returned = false;
  {
    Fibre f([&] {
      Counter outer(alive);
      Blocks blocks{Counter(alive), returned};
      Counter inner(alive);
      Fibre::suspend();
    });
    f.resume();
    CHECK(alive == 3);
  }
  CHECK(alive == 2);  // what lies further in is destroyed
  CHECK_FALSE(returned);
  CHECK(std::uncaught_exceptions() == 0);
  CHECK(Fibre::current() == nullptr);
}

TEST_CASE("Fibres that block inside catch do not mix up their exceptions") {
  std::vector<std::string> seen;
  const auto body = [&seen](const char* what) {
    return [&seen, what] {
      try {
        throw std::runtime_error(what);
      } catch (const std::exception&) {
        Fibre::suspend();
        try {
          throw;  // the one being handled: must be this fibre's own
        } catch (const std::exception& again) {
          seen.emplace_back(again.what());
        }
      }
    };
  };
  Fibre a(body("a"));
  Fibre b(body("b"));
  a.resume();
  b.resume();
  CHECK(std::current_exception() == nullptr);
  a.resume();
  b.resume();
  CHECK(seen == std::vector<std::string>{"a", "b"});
}

TEST_CASE("suspend() outside of a fibre and resume() of a running one are refused") {
  CHECK_THROWS_AS(Fibre::suspend(), std::logic_error);
  bool refused = false;
  Fibre* self = nullptr;
  Fibre f([&] {
    try {
      self->resume();
    } catch (const std::logic_error&) {
      refused = true;
    }
  });
  self = &f;
  f.resume();
  CHECK(refused);
}

TEST_CASE("Every thread has fibres of its own") {
  std::vector<int> results(2);
  std::vector<std::thread> threads;
  for (int& r : results) {
    threads.emplace_back([&r] {
      Fibre f([&r] {
        for (int i = 0; i < 100; ++i) {
          ++r;
          Fibre::suspend();
        }
      });
      while (!f.finished()) f.resume();
    });
  }
  for (auto& t : threads) t.join();
  CHECK(results == std::vector<int>{100, 100});
}
