// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>

namespace ht::host {

/// A stackful fibre: straight-line code that can be left in the middle and entered again. A node's
/// program runs in one, so that a call which blocks returns to the caller that runs the nodes.
///
/// * A fibre stays on the thread that first resumed it.
/// * resume() may be called from inside another fibre: they nest like calls.
/// * The C++ runtime's record of exceptions in flight is switched along, so that blocking inside a
///   `catch` does not mix up the exceptions of two fibres.
/// * A destructor that blocks while its fibre is thrown away is left where it is, and what lies
///   further out on the stack is not destroyed: nothing can be thrown out of it.
/// * Switches are annotated by hand for the address and thread sanitizers (Debian's Boost.Context
///   has no build that does it).
class Fibre {
 public:
  /// Bytes of stack by default, as a process has them: only touched pages cost memory.
  static constexpr std::size_t default_stack_bytes = std::size_t{8} << 20;

  /// Below every stack nothing can be accessed for so long, so that an overflow is a segmentation
  /// fault at once and not a corrupted neighbour: as long as the kernel's own gap below a process'
  /// stack, since functions of libraries have frames of many pages. A frame that is longer still
  /// must be compiled with -fstack-clash-protection, as programs are (hypertorus-cc).
  static constexpr std::size_t guard_bytes = std::size_t{1} << 20;

  /// Nothing runs before the first resume(). Throws std::bad_alloc if there is no memory for a
  /// stack.
  explicit Fibre(std::function<void()> body, std::size_t stack_bytes = default_stack_bytes);

  /// Unfinished: the stack is unwound (suspend() throws Cancelled inside the fibre), so that every
  /// object on it is destroyed.
  ~Fibre();
  Fibre(const Fibre&) = delete;
  Fibre& operator=(const Fibre&) = delete;

  /// Runs the body until it calls suspend() or ends. An exception that leaves the body is thrown
  /// here, and the fibre has finished. Throws std::logic_error if it has finished or is running.
  void resume();

  bool finished() const;

  /// The fibre this code runs in, or null.
  static Fibre* current();

  /// Whether `address` lies in the guard below this fibre's stack: it is full.
  bool is_beyond_stack(const void* address) const;

  /// From now on, which fibre the calling thread runs (null: none) is written to `place` at each
  /// change, for readers that cannot call current(). Null: nowhere.
  static void report_to(std::atomic<const void*>* place);

  /// Entries into fibres and returns from them, of the calling thread so far.
  static std::uint64_t switches();

  /// From now on a copy of this process, forked inside a fibre, ends with that code when it would
  /// leave the fibre: the world outside is not its own.
  static void end_copies(int exit_code);

  /// Called inside a fibre: back to its resume(). Throws std::logic_error outside of any fibre.
  static void suspend();

  /// For whatever a program calls: in a fibre that is thrown away, does not come back, as
  /// suspend().
  static void end_if_thrown_away();

  /// Whether the fibre that calls is thrown away: for what only gives things back, which are
  /// forgotten as a whole, so that destructors come to their end.
  static bool is_thrown_away();

  /// Pointers for the program's own use: where libraries keep their per-node state. Beside QMP, one
  /// of the machine's own may be used.
  enum class Slot { Qmp, Machine };
  void* user(Slot slot = Slot::Qmp) const { return user_[static_cast<std::size_t>(slot)]; }
  void set_user(void* user, Slot slot = Slot::Qmp) { user_[static_cast<std::size_t>(slot)] = user; }

  /// Thrown out of suspend() when the fibre is thrown away. Not a std::exception on purpose: only
  /// `catch (...)` sees it, and must rethrow it.
  struct Cancelled {};

 private:
  struct Switch;
  std::unique_ptr<Switch> switch_;
  void* user_[2] = {};
};

}  // namespace ht::host
