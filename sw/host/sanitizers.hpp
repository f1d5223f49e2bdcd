// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>

// Clang says it in its own way.
#if defined(__has_feature)
#if __has_feature(address_sanitizer) && !defined(__SANITIZE_ADDRESS__)
#define __SANITIZE_ADDRESS__ 1
#endif
#if __has_feature(thread_sanitizer) && !defined(__SANITIZE_THREAD__)
#define __SANITIZE_THREAD__ 1
#endif
#endif

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#include <sanitizer/lsan_interface.h>
#endif
#if defined(__SANITIZE_THREAD__)
#include <sanitizer/tsan_interface.h>
#endif

/// What the sanitizers must be notified of when one stack is exchanged for another. All of it
/// compiles to nothing without them.
namespace ht::host::sanitizer {

// The thread sanitizer keeps a shadow of the call stack. A function that changes stacks must not be
// in it: it would be entered on one stack's shadow and left on the other's.
#define HT_SWITCHES_STACK __attribute__((no_sanitize("thread")))
#define HT_SWITCHES_STACK_INLINE __attribute__((always_inline, no_sanitize("thread")))

/// The memory is about to be given back: drop what is known about it.
inline void forget_memory([[maybe_unused]] void* begin, [[maybe_unused]] std::size_t bytes) {
#if defined(__SANITIZE_ADDRESS__)
  __asan_unpoison_memory_region(begin, bytes);
#endif
}

/// What is reachable from this memory is not lost, from now on. False where nobody looks for what
/// is lost.
inline bool reaches([[maybe_unused]] const void* begin, [[maybe_unused]] std::size_t bytes) {
#if defined(__SANITIZE_ADDRESS__)
  __lsan_register_root_region(begin, bytes);
  return true;
#else
  return false;
#endif
}

/// Looks for what is lost now, and no more later.
inline void look_for_leaks() {
#if defined(__SANITIZE_ADDRESS__)
  __lsan_do_leak_check();
#endif
}

/// What is allocated while it lives may be lost: a fibre that is left for good keeps its exception.
class MayLeak {
 public:
#if defined(__SANITIZE_ADDRESS__)
  MayLeak() {
    __lsan_disable();
  }
  ~MayLeak() {
    __lsan_enable();
  }
#else
  MayLeak() = default;
#endif
  MayLeak(const MayLeak&) = delete;
  MayLeak& operator=(const MayLeak&) = delete;
};

/// One fibre's bookkeeping: enter() ... came_back() frame a switch on the outside, entered() ...
/// leave() on the inside.
class Context {
 public:
#if defined(__SANITIZE_THREAD__)
  Context() : tsan_inside_(__tsan_create_fiber(0)) {}
  ~Context() {
    __tsan_destroy_fiber(tsan_inside_);
  }
#else
  Context() = default;
#endif
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  HT_SWITCHES_STACK_INLINE void enter([[maybe_unused]] const void* bottom,
                                      [[maybe_unused]] std::size_t bytes) {
#if defined(__SANITIZE_ADDRESS__)
    __sanitizer_start_switch_fiber(&fake_outside_, bottom, bytes);
#endif
#if defined(__SANITIZE_THREAD__)
    tsan_outside_ = __tsan_get_current_fiber();
    __tsan_switch_to_fiber(tsan_inside_, 0);
#endif
  }
  HT_SWITCHES_STACK_INLINE void came_back() {
#if defined(__SANITIZE_ADDRESS__)
    __sanitizer_finish_switch_fiber(fake_outside_, nullptr, nullptr);
#endif
  }
  HT_SWITCHES_STACK_INLINE void entered() {
#if defined(__SANITIZE_ADDRESS__)
    __sanitizer_finish_switch_fiber(fake_inside_, &bottom_outside_, &bytes_outside_);
#endif
  }
  HT_SWITCHES_STACK_INLINE void leave() {
#if defined(__SANITIZE_ADDRESS__)
    __sanitizer_start_switch_fiber(&fake_inside_, bottom_outside_, bytes_outside_);
#endif
    switch_back();
  }
  /// As leave(), from a stack that will not be entered again.
  HT_SWITCHES_STACK_INLINE void leave_for_good() {
#if defined(__SANITIZE_ADDRESS__)
    __sanitizer_start_switch_fiber(nullptr, bottom_outside_, bytes_outside_);
#endif
    switch_back();
  }

 private:
  HT_SWITCHES_STACK_INLINE void switch_back() {
#if defined(__SANITIZE_THREAD__)
    __tsan_switch_to_fiber(tsan_outside_, 0);
#endif
  }

#if defined(__SANITIZE_ADDRESS__)
  void* fake_outside_ = nullptr;
  void* fake_inside_ = nullptr;
  const void* bottom_outside_ = nullptr;
  std::size_t bytes_outside_ = 0;
#endif
#if defined(__SANITIZE_THREAD__)
  void* tsan_inside_;
  void* tsan_outside_ = nullptr;
#endif
};

}  // namespace ht::host::sanitizer
