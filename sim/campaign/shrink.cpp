// SPDX-License-Identifier: Apache-2.0
#include "sim/campaign/shrink.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace ht::campaign {
namespace {

using Numbers = std::vector<std::size_t>;

// Digits, and what makes hexadecimal numbers of them, replaced by one mark.
std::string without_numbers(const std::string& text) {
  std::string words;
  for (std::size_t i = 0; i < text.size();) {
    std::size_t end = i;
    const auto digit = [&](const char* of) {
      return end < text.size() && std::string_view(of).find(text[end]) != std::string_view::npos;
    };
    const char* const any = text.compare(i, 2, "0x") == 0 ? "0123456789abcdefx" : "0123456789";
    while (digit(any)) ++end;
    words += end > i ? '#' : text[i];
    i = std::max(end, i + 1);
  }
  return words;
}

class Shrinker {
 public:
  Shrinker(const KeptRun& run, std::uint64_t most, const std::atomic<bool>* stop)
      : run_(run), most_(most), stop_(stop) {}

  Shrunk shrunk() {
    Closer closer;
    ++result_.tried;
    const RunOutcome all = run_(nullptr, closer);
    result_.drawn = result_.left = closer.drawn;
    Numbers errors(closer.drawn.errors), messages(closer.drawn.messages);
    std::iota(errors.begin(), errors.end(), 0U);
    std::iota(messages.begin(), messages.end(), errors.size());
    keep(errors, messages, std::move(closer));
    if (all.findings.empty()) return std::move(result_);
    result_.failed = true;
    result_.finding = all.findings.front();
    minimise(errors, [&] { return fails(errors, messages); });
    minimise(messages, [&] { return fails(errors, messages); });
    // With fewer messages there may be errors that are not needed any more.
    if (minimise(errors, [&] { return fails(errors, messages); }))
      minimise(messages, [&] { return fails(errors, messages); });
    result_.smallest = !given_up_;
    return std::move(result_);
  }

 private:
  void keep(const Numbers& errors, const Numbers& messages, Closer closer) {
    Numbers all = errors;
    all.insert(all.end(), messages.begin(), messages.end());
    result_.kept = NumberRanges(all);
    result_.left = {errors.size(), messages.size()};
    result_.lines = std::move(closer.lines);
  }

  bool fails(const Numbers& errors, const Numbers& messages) {
    if (result_.tried >= most_ || (stop_ != nullptr && *stop_)) {
      given_up_ = true;
      return false;
    }
    ++result_.tried;
    Numbers all = errors;
    all.insert(all.end(), messages.begin(), messages.end());
    const NumberRanges kept(all);
    Closer closer;
    const RunOutcome outcome = run_(&kept, closer);
    const bool same = std::ranges::any_of(
        outcome.findings, [&](const Finding& f) { return same_finding(f, result_.finding); });
    if (same) keep(errors, messages, std::move(closer));
    return same;
  }

  /// Takes away of `list` what it still fails without; `fails` looks at it. Returns whether there
  /// was any.
  template <class Fails>
  bool minimise(Numbers& list, const Fails& still_fails) {
    const std::size_t before = list.size();
    for (std::size_t step = list.size(); step > 0 && !given_up_;) {
      bool any = false;
      for (std::size_t at = 0; at < list.size() && !given_up_;) {
        const Numbers whole = list;
        const auto from = list.begin() + static_cast<std::ptrdiff_t>(at);
        const auto count = static_cast<std::ptrdiff_t>(std::min(step, list.size() - at));
        list.erase(from, from + count);
        if (still_fails()) {
          any = true;
        } else {
          list = whole;
          at += step;
        }
      }
      // Once more one at a time, until nothing goes any more.
      if (step > 1) {
        step = std::min(step / 2, std::max<std::size_t>(1, list.size() / 2));
      } else if (!any) {
        step = 0;
      }
    }
    return list.size() < before;
  }

  const KeptRun& run_;
  std::uint64_t most_;
  const std::atomic<bool>* stop_;
  Shrunk result_;
  bool given_up_ = false;
};

}  // namespace

bool same_finding(const Finding& a, const Finding& b) {
  return a.node == b.node && a.link == b.link && without_numbers(a.what) == without_numbers(b.what);
}

Shrunk shrink(const KeptRun& run, std::uint64_t most, const std::atomic<bool>* stop) {
  return Shrinker(run, most, stop).shrunk();
}

}  // namespace ht::campaign
