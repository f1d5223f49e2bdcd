// SPDX-License-Identifier: Apache-2.0
// Verilator's own handlers end the process; a test should fail instead.
#include <fmt/format.h>
#include <verilated.h>

#include <stdexcept>

void vl_finish(const char* file, int line, const char* /*hierarchy*/) {
  throw std::runtime_error(fmt::format("{}:{}: unexpected $finish", file, line));
}

void vl_stop(const char* file, int line, const char* /*hierarchy*/) {
  throw std::runtime_error(fmt::format("{}:{}: unexpected $stop", file, line));
}

void vl_fatal(const char* file, int line, const char* /*hierarchy*/, const char* message) {
  throw std::runtime_error(fmt::format("{}:{}: {}", file, line, message));
}
