// SPDX-License-Identifier: Apache-2.0
// What Verilated code does at $stop, $finish and errors of its own. Verilator's versions abort the
// process or end it with code 0; here each becomes an exception, so that a run that ends early is a
// failure.
#include <verilated.h>

#include <string>

#include "sw/host/errors.hpp"

namespace {

[[noreturn]] void raise(const char* what, const char* file, int line, const char* hierarchy) {
  throw ht::ProtocolError(std::string(what) + " in the hardware model at " +
                          (file != nullptr ? file : "?") + ":" + std::to_string(line) + " " +
                          (hierarchy != nullptr ? hierarchy : ""));
}

}  // namespace

void vl_finish(const char* file, int line, const char* hierarchy) {
  raise("$finish", file, line, hierarchy);
}

void vl_stop(const char* file, int line, const char* hierarchy) {
  raise("$stop or a failed assertion", file, line, hierarchy);
}

void vl_fatal(const char* file, int line, const char* hierarchy, const char* message) {
  raise(message != nullptr ? message : "fatal error", file, line, hierarchy);
}
