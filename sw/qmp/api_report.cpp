// SPDX-License-Identifier: Apache-2.0
// QMP's C API: errors, output, time, version.
#include <cstdarg>
#include <cstdio>
#include <iterator>
#include <utility>

#include "sw/qmp/qmp.h"
#include "sw/qmp/state.hpp"

using ht::qmp::State;

namespace {

constexpr const char* error_texts[] = {
    "unspecified error",
    "QMP is not initialised",
    "the run-time environment could not be set up",
    "the processor's description could not be read",
    "the node's description could not be read",
    "out of memory",
    "the message is longer than the memory that receives it",
    "the node's name could not be read",
    "the network could not be brought up",
    "a logical topology is declared already",
    "the connection timed out",
    "not supported by this machine",
    "the network is busy",
    "not a valid message",
    "invalid argument",
    "the machine cannot take this topology",
    "the neighbours are not known: no topology is declared",
    "the memory is too large to be sent",
    "not valid memory for a message",
    "the network has no ports left",
    "there is no node of this number",
    "a message channel could not be declared",
    "the memory is in use by another message",
    "the operation is not possible in this state",
    "timed out",
};
static_assert(std::size(error_texts) == QMP_MAX_STATUS - QMP_ERROR);

__attribute__((format(printf, 3, 0))) int print(FILE* stream, const char* tag, const char* format,
                                                std::va_list arguments) {
  const State* s = State::current();
  // One call to the library, so that lines of different nodes do not mix.
  char text[2048];
  const int length = std::vsnprintf(text, sizeof text, format, arguments);
  std::fprintf(stream, "QMP node %d%s: %s\n", s ? s->transport.rank() : -1, tag, text);
  return length;
}

constexpr double second_per_ps = 1e-12;
constexpr ht::Picoseconds clock_read_cost = 10'000;  // about what a time-base register costs

}  // namespace

extern "C" {

const char* QMP_error_string(QMP_status_t code) {
  if (code == QMP_SUCCESS) return "success";
  if (code < QMP_ERROR || code >= QMP_MAX_STATUS) return "unknown status code";
  return error_texts[code - QMP_ERROR];
}

QMP_status_t QMP_get_error_number(QMP_msghandle_t mh) {
  const State* s = State::current();
  if (s == nullptr) return QMP_NOT_INITED;
  if (mh == nullptr) return s->last_error;
  return s->handles.contains(mh) ? mh->error : QMP_BAD_MESSAGE;
}

const char* QMP_get_error_string(QMP_msghandle_t mh) {
  return QMP_error_string(QMP_get_error_number(mh));
}

int QMP_verbose(int level) {
  State* s = State::current();
  return s == nullptr ? 0 : std::exchange(s->verbosity, level);
}

int QMP_profcontrol(int level) {
  State* s = State::current();
  return s == nullptr ? 0 : std::exchange(s->profiling, level);
}

int QMP_printf(const char* format, ...) {
  std::va_list arguments;
  va_start(arguments, format);
  const int length = print(stdout, "", format, arguments);
  va_end(arguments);
  return length;
}

int QMP_fprintf(FILE* stream, const char* format, ...) {
  std::va_list arguments;
  va_start(arguments, format);
  const int length = print(stream, "", format, arguments);
  va_end(arguments);
  return length;
}

int QMP_info(const char* format, ...) {
  std::va_list arguments;
  va_start(arguments, format);
  const int length = print(stdout, " info", format, arguments);
  va_end(arguments);
  return length;
}

int QMP_error(const char* format, ...) {
  std::va_list arguments;
  va_start(arguments, format);
  const int length = print(stderr, " error", format, arguments);
  va_end(arguments);
  return length;
}

double QMP_time(void) {
  State* s = State::current();
  if (s == nullptr) return 0;
  // Looking at the clock takes time too: a program that waits for an hour to strike must hear it.
  s->transport.runtime().advance(clock_read_cost);
  return static_cast<double>(s->transport.runtime().now()) * second_per_ps;
}

void QMP_reset_total_qmp_time(void) {
  if (State* s = State::current()) s->time_in_qmp = 0;
}

double QMP_get_total_qmp_time(void) {
  const State* s = State::current();
  return s == nullptr ? 0 : static_cast<double>(s->time_in_qmp) * second_per_ps;
}

const char* QMP_version_str(void) {
  return "2.5 (hypertorus)";
}
int QMP_version_int(void) {
  return 2 << 16 | 5 << 8;
}

}  // extern "C"
