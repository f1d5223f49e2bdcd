// SPDX-License-Identifier: Apache-2.0
#include "sim/kernel/free_cores.hpp"

#include <sched.h>

#include <catch2/catch.hpp>

TEST_CASE("free cores: others' threads take them, the asker does not, and one is left") {
  const auto free_of = [](std::string_view text) { return ht::sim::free_cores(8, text); };
  CHECK(free_of("0.20 0.18 0.12 1/80 11206") == 8);
  CHECK(free_of("0.20 0.18 0.12 0/80 11206") == 8);
  CHECK(free_of("7.90 3.10 1.04 4/512 9") == 5);
  CHECK(free_of("7.90 3.10 1.04 8/512 9") == 1);
  CHECK(free_of("9.90 3.10 1.04 9/512 9") == 1);
  CHECK(free_of("99.0 30.1 10.4 300/512 9") == 1);
}

TEST_CASE("free cores: all where the system does not say") {
  for (const char* text :
       {"", " ", "0.20", "0.20 0.18 0.12 ", "0.20 0.18 0.12 3", "1 2 3 x/80", "    "})
    CHECK(ht::sim::free_cores(8, text) == 8);
}

TEST_CASE("free cores of this computer") {
  const int cores = ht::sim::free_cores();
  CHECK(cores >= 1);
  CHECK(cores <= ht::sim::usable_cores());
}

TEST_CASE("usable cores: those that the process has been left") {
  cpu_set_t all, one;
  REQUIRE(sched_getaffinity(0, sizeof all, &all) == 0);
  CHECK(ht::sim::usable_cores() == CPU_COUNT(&all));
  CPU_ZERO(&one);
  CPU_SET(sched_getcpu(), &one);
  REQUIRE(sched_setaffinity(0, sizeof one, &one) == 0);
  CHECK(ht::sim::usable_cores() == 1);
  CHECK(ht::sim::free_cores() == 1);
  REQUIRE(sched_setaffinity(0, sizeof all, &all) == 0);
}
