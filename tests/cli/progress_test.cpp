// SPDX-License-Identifier: Apache-2.0
// What the progress line of a solve says of the time that is left.
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <chrono>
#include <string>
#include <thread>

#include "sim/output/progress_line.hpp"
#include "sw/dirac/job.hpp"

namespace {

/// Standard error, for as long as it lives, is a terminal: only there is the line shown at once.
class Terminal {
 public:
  Terminal() : screen_(posix_openpt(O_RDWR | O_NOCTTY | O_NONBLOCK)), before_(dup(STDERR_FILENO)) {
    REQUIRE((screen_ >= 0 && grantpt(screen_) == 0 && unlockpt(screen_) == 0));
    const int line = open(ptsname(screen_), O_RDWR | O_NOCTTY);
    REQUIRE(line >= 0);
    dup2(line, STDERR_FILENO);
    close(line);
  }
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;
  ~Terminal() {
    dup2(before_, STDERR_FILENO);
    close(before_);
    close(screen_);
  }
  std::string text() const {
    std::string all(10'000, ' ');
    const auto size = read(screen_, all.data(), all.size());
    all.resize(size > 0 ? static_cast<std::size_t>(size) : 0);
    return all;
  }

 private:
  int screen_, before_;
};

// Three iterations, each of which takes |r|^2 to a tenth.
std::string shown(double target) {
  const Terminal terminal;
  ht::cli::ProgressLine line(false);
  line.stage("solve");
  double norm2 = 1;
  for (int iteration = 1; iteration <= 3; ++iteration, norm2 /= 10) {
    line.solver({0, iteration, norm2, target});
    std::this_thread::sleep_for(std::chrono::milliseconds(120));
  }
  return terminal.text();
}

}  // namespace

TEST_CASE("progress: the time left is told where there is one") {
  const std::string good = shown(1e-6);
  CHECK(good.find("iterations/s, about ") != std::string::npos);
  // Of --tolerance 1e-200 the square is 0, which no |r|^2 comes to.
  const std::string never = shown(0);
  INFO(never);
  CHECK(never.find("iterations/s") != std::string::npos);
  CHECK(never.find("left") == std::string::npos);
}
