// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace ht::machine {

/// A clock input of a Verilated top, of which only rising edges matter.
///
/// Verilator finds an edge by comparing the pin with what it was at the last eval(), which it keeps
/// in a member of the model's root. rise() sets that to 0 as well, so that a pin that is high
/// already rises again, and no evaluation is spent on taking it low: a third of all. Where the
/// member is not found (it is Verilator's own, and has other names in other versions), needs_low()
/// says when that evaluation is due.
class ClockPin {
 public:
  ClockPin() = default;
  /// Both outlive this; `before` null: not found. Made by HT_CLOCK_PIN.
  ClockPin(std::uint8_t& pin, std::uint8_t* before) : pin_(&pin), before_(before) {}

  /// Clocks that the model makes of this one, which rise with it unless the model holds them: where
  /// each was kept, null for those that the model does not have. If fewer than `count` are left,
  /// some were not found, and no clock rises from high.
  void followed_by(std::vector<std::uint8_t*> clocks, std::size_t count) {
    std::erase(clocks, nullptr);
    if (clocks.size() != count) before_ = nullptr;
    followers_ = std::move(clocks);
  }

  /// The next eval() sees a rising edge, if needs_low() is false.
  void rise() {
    if (before_ != nullptr) {
      *before_ = 0;
      raise_followers();
    }
    *pin_ = 1;
  }
  /// The next eval() sees rising edges of those that follow, and none of the clock itself, which is
  /// high.
  void raise_followers() {
    for (std::uint8_t* before : followers_) *before = 0;
  }
  /// The next eval() sees none.
  void fall() { *pin_ = 0; }
  void set(bool rises) { rises ? rise() : fall(); }

  /// It must be low at an eval() before it can rise.
  bool needs_low() const { return before_ == nullptr && *pin_ != 0; }
  /// needs_low() is never true.
  bool rises_from_high() const { return before_ != nullptr; }

 private:
  std::uint8_t* pin_ = nullptr;
  std::uint8_t* before_ = nullptr;
  std::vector<std::uint8_t*> followers_;
};

}  // namespace ht::machine

/// Where `root`, the root of a Verilated model, keeps what the clock `name` was at the last eval();
/// null where that is not found. `name` as Verilator writes it: `a__DOT__clk`. The root's header
/// (V<top>___024root.h) must be included.
#define HT_CLOCK_BEFORE(root, name)                                                   \
  [](auto& r) -> std::uint8_t* {                                                      \
    static_assert(sizeof(r) > 0, "include the header of the root");                   \
    if constexpr (requires { r.__Vtrigrprev__TOP__##name; }) /* Verilator 5.006 */    \
      return &r.__Vtrigrprev__TOP__##name;                                            \
    else if constexpr (requires { r.__Vtrigprevexpr___TOP__##name##__0; }) /* 5.48 */ \
      return &r.__Vtrigprevexpr___TOP__##name##__0;                                   \
    else                                                                              \
      return nullptr;                                                                 \
  }(root)

/// The ClockPin of input `name` of Verilated `top` (an object), whose root's header must be
/// included.
#define HT_CLOCK_PIN(top, name) \
  ::ht::machine::ClockPin((top).name, HT_CLOCK_BEFORE(*(top).rootp, name))
