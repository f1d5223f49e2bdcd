// SPDX-License-Identifier: Apache-2.0
// What Verilated models counted (HYPERTORUS_COVERAGE), added up over all models of a process and
// written at its end, into a file of its own in the folder that the environment variable
// HYPERTORUS_COVERAGE_DIR names. In place of Verilator's own verilated_cov.cpp, which keeps counts
// by context: a test makes thousands of these.
//
// A line: count, file, line, column, page ("v_branch/module"), comment, lines; with tabs in
// between.
#include <fmt/format.h>
#include <unistd.h>
#include <verilated.h>
#include <verilated_cov.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace {

/// Counts of the process by what they count.
class Totals {
 public:
  std::size_t index(std::string key) {
    const std::lock_guard lock(mutex_);
    const auto [at, added] = indices_.try_emplace(std::move(key), counts_.size());
    if (added) counts_.push_back(0);
    return at->second;
  }
  void add(const std::vector<std::pair<std::size_t, std::uint64_t>>& counts) {
    const std::lock_guard lock(mutex_);
    for (const auto& [index, count] : counts) counts_[index] += count;
  }
  ~Totals() {
    const char* folder = std::getenv("HYPERTORUS_COVERAGE_DIR");
    if (folder == nullptr || counts_.empty()) return;
    const std::string file = fmt::format("{}/{}.counts", folder, ::getpid());
    std::FILE* const out = std::fopen(file.c_str(), "a");
    if (out == nullptr) {
      std::perror(file.c_str());
      return;
    }
    for (const auto& [key, index] : indices_)
      std::fputs(fmt::format("{}\t{}\n", counts_[index], key).c_str(), out);
    if (std::fclose(out) != 0) std::perror(file.c_str());
  }

 private:
  std::mutex mutex_;
  std::unordered_map<std::string, std::size_t> indices_;
  std::vector<std::uint64_t> counts_;
};

Totals& totals() {
  static Totals all;
  return all;
}

}  // namespace

class VerilatedCovImp final : public VerilatedCovContext {
 public:
  struct Point {
    const std::uint32_t* count;
    std::size_t index;
  };
  /// Adds what a model counted that ends: those of its counters that lie in [begin, end).
  void keep(const std::uint32_t* begin, const std::uint32_t* end) {
    std::vector<std::pair<std::size_t, std::uint64_t>> counts;
    std::erase_if(points_, [&](const Point& p) {
      if (p.count < begin || p.count >= end) return false;
      counts.emplace_back(p.index, *p.count);
      return true;
    });
    totals().add(counts);
  }

  std::vector<Point> points_;
  const std::uint32_t* next_ = nullptr;
};

VerilatedCovContext* VerilatedContext::coveragep() VL_MT_SAFE {
  if (m_coveragep == nullptr) m_coveragep = std::make_unique<VerilatedCovImp>();
  return static_cast<VerilatedCovContext*>(m_coveragep.get());
}

void VerilatedCovContext::_inserti(std::uint32_t* itemp) VL_MT_SAFE {
  impp()->next_ = itemp;
}
void VerilatedCovContext::_insertf(const char* /*file*/, int /*line*/) VL_MT_SAFE {}

// As VL_COVER_INSERT in a model calls it.
void VerilatedCovContext::_insertp(const char* /*key0*/, const char* /*model*/,
                                   const char* /*key1*/, const char* file, const char* /*key2*/,
                                   int line, const char* /*key3*/, int column, const char* /*key4*/,
                                   const std::string& /*hierarchy*/, const char* /*key5*/,
                                   const char* page, const char* /*key6*/, const char* comment,
                                   const char* /*key7*/, const char* lines) VL_MT_SAFE {
  impp()->points_.push_back(
      {impp()->next_, totals().index(fmt::format("{}\t{}\t{}\t{}\t{}\t{}", file, line, column, page,
                                                 comment, lines))});
}

/// Called by a model's destructor, which cmake/list_verilated.cmake gave a line for it.
void ht_keep_coverage(VerilatedContext& context, const void* begin, std::size_t bytes) {
  const auto* const first = static_cast<const std::uint32_t*>(begin);
  static_cast<VerilatedCovImp*>(context.coveragep())
      ->keep(first, first + bytes / sizeof(std::uint32_t));
}
