// SPDX-License-Identifier: Apache-2.0
// QMP's C API: operations of all nodes together.
#include <fmt/format.h>

#include <algorithm>
#include <cfloat>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "sw/qmp/capabilities.hpp"
#include "sw/qmp/qmp.h"
#include "sw/qmp/state.hpp"
#include "sw/qmp/sum_states.hpp"

using ht::qmp::CollectiveOperations;
using ht::qmp::initialized_state;
using ht::qmp::State;
using ht::qmp::TimedCall;

namespace {

/// Of a message or a global operation: what is more was negative before it became a size_t.
constexpr auto most_bytes = static_cast<std::size_t>(PTRDIFF_MAX);

/// Checks, then `operation(state, the communicator's operations)`. `name` and `bytes` must be the
/// same on all; `call` is the function of QMP.
template <typename Operation>
QMP_status_t all_together(QMP_comm_t comm, const void* data, std::string_view name,
                          std::size_t bytes, Operation operation,
                          const char* call = __builtin_FUNCTION()) {
  State* s = initialized_state();
  if (s == nullptr) return QMP_NOT_INITED;
  if (!s->comms.contains(comm) || data == nullptr) {
    return s->fail(QMP_INVALID_ARG, "a global operation without communicator or data");
  }
  if (bytes > most_bytes) {
    return s->fail(QMP_INVALID_ARG, fmt::format("a {} of {} bytes: is the length negative?", name,
                                                static_cast<std::ptrdiff_t>(bytes)));
  }
  const TimedCall timed(*s, call);
  s->enter_together(*comm, name, bytes);
  if (comm->whole)
    operation(*s, s->collectives);
  else
    operation(*s, *comm->group);
  return QMP_SUCCESS;
}

/// What is added up, where it is no double: as many bytes may be other numbers.
template <typename T>
constexpr const char* kind = std::is_same_v<T, double>     ? ""
                             : std::is_same_v<T, float>    ? " of floats"
                             : std::is_same_v<T, unsigned> ? " of integers"
                             : std::is_integral_v<T>       ? " of long integers"
                                                           : " of long doubles";

template <typename T, typename Op>
QMP_status_t reduce(QMP_comm_t comm, T* values, int length, Op op, const char* numbers = kind<T>,
                    const char* call = __builtin_FUNCTION()) {
  State* const state = initialized_state();
  if (state == nullptr) return QMP_NOT_INITED;
  if (length < 0)
    return state->fail(QMP_INVALID_ARG, fmt::format("a {} of {} numbers", Op::name, length));
  const auto n = static_cast<std::size_t>(length);
  return all_together(
      comm, values, fmt::format("{}{}", Op::name, numbers), n * sizeof(T),
      [&](State&, CollectiveOperations& nodes) {
        nodes.reduce(values, n * sizeof(T), [&](void* inout, const void* in) {
          for (std::size_t i = 0; i < n; ++i) {
            T a, b;
            std::memcpy(&a, static_cast<char*>(inout) + i * sizeof(T), sizeof(T));
            std::memcpy(&b, static_cast<const char*>(in) + i * sizeof(T), sizeof(T));
            a = op(a, b);
            std::memcpy(static_cast<char*>(inout) + i * sizeof(T), &a, sizeof(T));
          }
        });
      },
      call);
}

/// A long double as it travels: with its padding, where it has any, set to zero, because every bit
/// on a cable must be the same in every run.
struct WideNumber {
  static constexpr std::size_t used = LDBL_MANT_DIG == 64 ? 10 : sizeof(long double);
  unsigned char bytes[sizeof(long double)];

  static WideNumber of(long double x) {
    WideNumber w{};
    std::memcpy(w.bytes, &x, used);
    return w;
  }
  long double value() const {
    long double x = 0;
    std::memcpy(&x, bytes, used);
    return x;
  }
};

struct Sum {
  static constexpr const char* name = "sum";
  template <typename T>
  T operator()(T a, T b) const {
    return a + b;
  }
  WideNumber operator()(WideNumber a, WideNumber b) const {
    return WideNumber::of(a.value() + b.value());
  }
};

/// Sums long doubles; `numbers` as for reduce_as().
QMP_status_t sum_wide(QMP_comm_t comm, long double value[], int length, const char* numbers,
                      const char* call = __builtin_FUNCTION()) {
  if (value == nullptr || length < 0)
    return reduce(comm, static_cast<double*>(nullptr), std::min(length, 0), Sum{}, numbers, call);
  std::vector<WideNumber> wide;
  wide.reserve(static_cast<std::size_t>(length) + 1);
  std::transform(value, value + length, std::back_inserter(wide), WideNumber::of);
  const QMP_status_t status = reduce(comm, wide.data(), length, Sum{}, numbers, call);
  std::transform(wide.begin(), wide.end(), value, [](const WideNumber& w) { return w.value(); });
  return status;
}

/// Converts, reduces as Wide, converts back. `numbers` are the caller's: a node whose program calls
/// another function for as many bytes is named.
template <typename Wide, typename T, typename Op>
QMP_status_t reduce_as(QMP_comm_t comm, T* value, Op op, const char* numbers,
                       const char* call = __builtin_FUNCTION()) {
  if (value == nullptr) return reduce(comm, static_cast<Wide*>(nullptr), 1, op, numbers, call);
  auto wide = static_cast<Wide>(*value);
  const QMP_status_t status = reduce(comm, &wide, 1, op, numbers, call);
  if (status == QMP_SUCCESS) *value = static_cast<T>(wide);
  return status;
}

struct Maximum {
  static constexpr const char* name = "maximum";
  template <typename T>
  T operator()(T a, T b) const {
    return b > a ? b : a;
  }
};

struct Minimum {
  static constexpr const char* name = "minimum";
  template <typename T>
  T operator()(T a, T b) const {
    return b < a ? b : a;
  }
};

struct ExclusiveOr {
  static constexpr const char* name = "exclusive or";
  unsigned long operator()(unsigned long a, unsigned long b) const { return a ^ b; }
};

}  // namespace

extern "C" {

QMP_status_t QMP_comm_barrier(QMP_comm_t comm) {
  return all_together(comm, "", "barrier", 0,
                      [](State&, CollectiveOperations& nodes) { nodes.barrier(); });
}
QMP_status_t QMP_barrier(void) {
  return QMP_comm_barrier(QMP_comm_get_default());
}

QMP_status_t QMP_comm_broadcast(QMP_comm_t comm, void* buffer, size_t nbytes) {
  return all_together(comm, buffer, "broadcast", nbytes, [&](State&, CollectiveOperations& nodes) {
    nodes.broadcast(buffer, nbytes);
  });
}
QMP_status_t QMP_broadcast(void* buffer, size_t nbytes) {
  return QMP_comm_broadcast(QMP_comm_get_default(), buffer, nbytes);
}

QMP_status_t QMP_comm_sum_int(QMP_comm_t comm, int* value) {
  // Unsigned: a sum that does not fit wraps instead of being undefined.
  return reduce_as<unsigned>(comm, value, Sum{}, kind<unsigned>);
}
QMP_status_t QMP_sum_int(int* value) {
  return QMP_comm_sum_int(QMP_comm_get_default(), value);
}
QMP_status_t QMP_comm_sum_uint64_t(QMP_comm_t comm, uint64_t* value) {
  return reduce(comm, value, 1, Sum{});
}
QMP_status_t QMP_sum_uint64_t(uint64_t* value) {
  return QMP_comm_sum_uint64_t(QMP_comm_get_default(), value);
}
QMP_status_t QMP_comm_sum_float(QMP_comm_t comm, float* value) {
  return reduce_as<double>(comm, value, Sum{}, " of floats as doubles");
}
QMP_status_t QMP_sum_float(float* value) {
  return QMP_comm_sum_float(QMP_comm_get_default(), value);
}
QMP_status_t QMP_comm_sum_double(QMP_comm_t comm, double* value) {
  return reduce(comm, value, 1, Sum{});
}
QMP_status_t QMP_sum_double(double* value) {
  return QMP_comm_sum_double(QMP_comm_get_default(), value);
}
QMP_status_t QMP_comm_sum_long_double_array(QMP_comm_t comm, long double value[], int length) {
  return sum_wide(comm, value, length, kind<WideNumber>);
}
QMP_status_t QMP_sum_long_double_array(long double value[], int length) {
  return QMP_comm_sum_long_double_array(QMP_comm_get_default(), value, length);
}
QMP_status_t QMP_comm_sum_long_double(QMP_comm_t comm, long double* value) {
  return QMP_comm_sum_long_double_array(comm, value, 1);
}
QMP_status_t QMP_sum_long_double(long double* value) {
  return QMP_comm_sum_long_double(QMP_comm_get_default(), value);
}
QMP_status_t QMP_comm_sum_double_extended(QMP_comm_t comm, double* value) {
  if (value == nullptr) return QMP_comm_sum_double(comm, value);
  long double wide = *value;
  const QMP_status_t status = sum_wide(comm, &wide, 1, " of doubles as long doubles");
  if (status == QMP_SUCCESS) *value = static_cast<double>(wide);
  return status;
}
QMP_status_t QMP_sum_double_extended(double* value) {
  return QMP_comm_sum_double_extended(QMP_comm_get_default(), value);
}
QMP_status_t QMP_comm_sum_float_array(QMP_comm_t comm, float value[], int length) {
  return reduce(comm, value, length, Sum{});
}
QMP_status_t QMP_sum_float_array(float value[], int length) {
  return QMP_comm_sum_float_array(QMP_comm_get_default(), value, length);
}
QMP_status_t QMP_comm_sum_double_array(QMP_comm_t comm, double value[], int length) {
  return reduce(comm, value, length, Sum{});
}
QMP_status_t QMP_sum_double_array(double value[], int length) {
  return QMP_comm_sum_double_array(QMP_comm_get_default(), value, length);
}

QMP_status_t QMP_comm_max_float(QMP_comm_t comm, float* value) {
  return reduce(comm, value, 1, Maximum{});
}
QMP_status_t QMP_max_float(float* value) {
  return QMP_comm_max_float(QMP_comm_get_default(), value);
}
QMP_status_t QMP_comm_max_double(QMP_comm_t comm, double* value) {
  return reduce(comm, value, 1, Maximum{});
}
QMP_status_t QMP_max_double(double* value) {
  return QMP_comm_max_double(QMP_comm_get_default(), value);
}
QMP_status_t QMP_comm_min_float(QMP_comm_t comm, float* value) {
  return reduce(comm, value, 1, Minimum{});
}
QMP_status_t QMP_min_float(float* value) {
  return QMP_comm_min_float(QMP_comm_get_default(), value);
}
QMP_status_t QMP_comm_min_double(QMP_comm_t comm, double* value) {
  return reduce(comm, value, 1, Minimum{});
}
QMP_status_t QMP_min_double(double* value) {
  return QMP_comm_min_double(QMP_comm_get_default(), value);
}
QMP_status_t QMP_comm_xor_ulong(QMP_comm_t comm, unsigned long* value) {
  return reduce(comm, value, 1, ExclusiveOr{});
}
QMP_status_t QMP_xor_ulong(unsigned long* value) {
  return QMP_comm_xor_ulong(QMP_comm_get_default(), value);
}

QMP_status_t QMP_comm_binary_reduction(QMP_comm_t comm, void* lbuffer, size_t buflen,
                                       QMP_binary_func bfunc) {
  State* s = initialized_state();
  if (s != nullptr && bfunc == nullptr) {
    return s->fail(QMP_INVALID_ARG, "QMP_binary_reduction without a function");
  }
  return all_together(
      comm, lbuffer, "binary reduction", buflen, [&](State& state, CollectiveOperations& nodes) {
        const auto states = ht::qmp::sum_states_in(lbuffer, buflen, bfunc);
        ht::qmp::StateSums* const sums = state.transport.state_sums();
        if (comm->whole && !states.empty() && sums != nullptr) {
          sums->sum_states(states);
          return;
        }
        if (!states.empty()) {
          const auto head = states.data() - static_cast<std::byte*>(lbuffer);
          nodes.reduce(lbuffer, buflen, [&](void* a, const void* b) {
            ht::qmp::merge_states({static_cast<std::byte*>(a) + head, states.size()},
                                  static_cast<const std::byte*>(b) + head);
          });
          return;
        }
        // The program's function may write to its second argument, and wants both
        // well aligned.
        std::vector<std::max_align_t> in(buflen / sizeof(std::max_align_t) + 1);
        std::vector<std::max_align_t> inout(in.size());
        std::memcpy(inout.data(), lbuffer, buflen);
        nodes.reduce(inout.data(), buflen, [&](void* a, const void* b) {
          std::memcpy(in.data(), b, buflen);
          bfunc(a, in.data());
        });
        std::memcpy(lbuffer, inout.data(), buflen);
      });
}
QMP_status_t QMP_binary_reduction(void* lbuffer, size_t buflen, QMP_binary_func bfunc) {
  return QMP_comm_binary_reduction(QMP_comm_get_default(), lbuffer, buflen, bfunc);
}

QMP_status_t QMP_comm_alltoall(QMP_comm_t comm, char* recvbuffer, char* sendbuffer, int count) {
  State* s = initialized_state();
  if (s == nullptr) return QMP_NOT_INITED;
  if (!s->comms.contains(comm) || count < 0 || recvbuffer == nullptr || sendbuffer == nullptr) {
    return s->fail(QMP_INVALID_ARG, "QMP_comm_alltoall: no communicator, memory or length");
  }
  const auto block = static_cast<std::size_t>(count);
  const auto here = static_cast<std::size_t>(comm->rank);
  const auto nodes = static_cast<std::size_t>(comm->size);
  // Every block goes to every node: crude, but neighbours are all the machine may know.
  std::vector<char> everything(block * nodes * nodes);
  const QMP_status_t status = all_together(
      comm, sendbuffer, "exchange of all with all", block, [&](State&, CollectiveOperations& all) {
        all.gather(sendbuffer, block * nodes, everything.data());
      });
  for (std::size_t j = 0; j < nodes; ++j) {
    std::memcpy(recvbuffer + block * j, everything.data() + block * (j * nodes + here), block);
  }
  return status;
}

}  // extern "C"
