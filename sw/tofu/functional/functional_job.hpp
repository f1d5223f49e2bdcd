// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <functional>
#include <memory>
#include <vector>

#include "sw/qmp/functional_torus.hpp"
#include "sw/tofu/functional/functional_tofu.hpp"
#include "sw/tofu/ranks/rank_layout.hpp"
#include "sw/tofu/transport.hpp"

namespace ht::tofu {

/// User programs on a machine without hardware, with QMP and uTofu as over hardware: the
/// same transport and the same uTofu, on registers behind which are the reference models of the
/// network interfaces and of the barrier gates (FunctionalTofu). So whatever a call does, returns
/// or refuses over hardware it does here; only when things happen is another matter.
class FunctionalJob final : public qmp::FunctionalTorus {
 public:
  /// Of a node, as on qmp::FunctionalMachine; hardware's has less.
  static constexpr std::size_t memory_bytes = std::size_t{1} << 30;

  /// `layout`: where ranks are; nodes without one take part in bringing the machine up. Throws
  /// UsageError for a shape that cannot be.
  FunctionalJob(const Shape& shape, std::shared_ptr<const RankLayout> layout,
                double processor_timeout = 0, const Profile& profile = {});

  std::vector<int> run(const Program& program) override;
  Picoseconds elapsed() const override { return elapsed_; }

 private:
  FunctionalTofu machine_;
  Profile profile_;
  std::shared_ptr<const RankLayout> layout_;
  Picoseconds elapsed_ = 0;
};

}  // namespace ht::tofu
