// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <mutex>

namespace ht::tofu {

/// While it lives, other pages may be mapped in the place of those that the process has, although
/// its other threads run: a thread that writes to a page which is held waits until this is over, so
/// that nothing is lost that is written after the page was copied. One at a time in a process.
///
/// A wait is a SIGSEGV that does not come twice. Any other one goes to the handler that was there
/// before. What the kernel writes for a thread (read()) does not wait: such a call fails with
/// EFAULT.
class PageExchange {
 public:
  PageExchange();
  ~PageExchange();
  PageExchange(const PageExchange&) = delete;
  PageExchange& operator=(const PageExchange&) = delete;

  /// Holds the pages of [address, address + bytes), until release() or until something else is
  /// mapped there. The calling thread must not write to them. False if the system refuses.
  static bool hold(std::uintptr_t address, std::size_t bytes);
  static void release(std::uintptr_t address, std::size_t bytes);

 private:
  std::lock_guard<std::mutex> turn_;
};

}  // namespace ht::tofu
