// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <span>
#include <vector>

#include "sw/dirac/job.hpp"
#include "sw/dirac/phase_clock.hpp"
#include "verif/model/common/order_independent_sum.hpp"

namespace ht::dirac {

/// What one node adds up: one double a site.
class LocalSum {
 public:
  explicit LocalSum(SumKind kind) : reproducible_(kind == SumKind::Reproducible) {}
  void add(double x) {
    if (reproducible_) {
      state_.add(x);
    } else {
      plain_ += x;
    }
  }
  bool reproducible() const { return reproducible_; }
  model::OrderIndependentSum& state() { return state_; }
  double plain() const { return plain_; }

 private:
  bool reproducible_;
  double plain_ = 0;
  model::OrderIndependentSum state_;
};

/// Sums over all nodes, through QMP. Collective: every node calls the same ones.
class Reducer {
 public:
  Reducer(SumKind kind, PhaseClock& clock) : kind_(kind), clock_(clock) {}
  SumKind kind() const { return kind_; }
  LocalSum local() const { return LocalSum(kind_); }

  /// The sum over all nodes: the same bits on every node. Throws ProtocolError if QMP fails.
  double operator()(LocalSum& sum);
  /// The same for several sums, in one reduction.
  std::vector<double> operator()(std::span<LocalSum> sums);
  /// Merges states over all nodes, element by element, in one reduction.
  void merge(std::span<model::OrderIndependentSum> states);

 private:
  SumKind kind_;
  PhaseClock& clock_;
};

}  // namespace ht::dirac
