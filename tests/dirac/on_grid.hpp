// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <functional>
#include <vector>

#include "sw/dirac/gauge/local_gauge.hpp"
#include "sw/dirac/job.hpp"
#include "sw/dirac/node.hpp"
#include "sw/dirac/operator/hopping.hpp"
#include "sw/dirac/operator/linear.hpp"
#include "sw/qmp/functional_machine.hpp"
#include "tests/dirac/textbook.hpp"

namespace ht::test {

/// A node of a functional machine with its part of a gauge field.
struct GridNode {
  explicit GridNode(const GlobalGauge& gauge)
      : geometry(dirac::declare_geometry(gauge.lattice, {})), links(take(geometry, gauge)) {}

  static dirac::LocalLinks<double> take(const dirac::Geometry& geometry, const GlobalGauge& gauge) {
    dirac::LocalLinks<double> out;
    for (int site = 0; site < geometry.volume(); ++site) {
      out.push_back(gauge.at(geometry.global_place(site)));
    }
    return out;
  }

  dirac::FreeWork free;
  dirac::PhaseClock clock{free};
  dirac::Geometry geometry;
  dirac::LocalLinks<double> links;
};

/// Runs `program` on every node of a functional machine of that shape.
inline void on_grid(const std::vector<int>& grid, const std::function<void()>& program) {
  qmp::FunctionalMachine machine(grid);
  machine.run([&](qmp::Transport&) {
    program();
    return 0;
  });
}

/// Runs a job on a functional machine.
struct Finished {
  dirac::JobResult result;
  std::vector<std::byte> solution;
};
inline Finished run_job(const dirac::JobSpec& spec, const std::vector<int>& grid) {
  dirac::JobSink sink(spec);
  on_grid(grid, [&] {
    dirac::FreeWork free;
    dirac::run_solve_job(spec, sink, free);
  });
  return {sink.result(), sink.solution()};
}

template <class T>
void put(dirac::Spinor<T>& to, const TextSpinor& from) {
  for (int s = 0; s < 4; ++s) {
    for (int c = 0; c < 3; ++c) {
      const Complex z = from[static_cast<std::size_t>(s)][static_cast<std::size_t>(c)];
      to.at(s, c, 0) = static_cast<T>(z.real());
      to.at(s, c, 1) = static_cast<T>(z.imag());
    }
  }
}

template <class T>
TextSpinor get(const dirac::Spinor<T>& from) {
  TextSpinor out{};
  for (int s = 0; s < 4; ++s) {
    for (int c = 0; c < 3; ++c) {
      out[static_cast<std::size_t>(s)][static_cast<std::size_t>(c)] = {from.at(s, c, 0),
                                                                       from.at(s, c, 1)};
    }
  }
  return out;
}

/// D psi by the library on a grid of nodes, gathered into one field; targets one by one (even, then
/// odd), or all at once.
template <class T>
TextField grid_hop(const std::vector<int>& grid, const GlobalGauge& gauge,
                   const std::array<double, 4>& boundary, int sign, const TextField& psi,
                   bool by_parity, dirac::Isa isa = dirac::Isa::Auto) {
  using dirac::Targets;
  TextField out(psi.size());
  on_grid(grid, [&] {
    GridNode node(gauge);
    const dirac::Geometry& g = node.geometry;
    const auto links = dirac::fermion_links<T>(g, node.links, boundary);
    const std::vector<Targets> all =
        by_parity ? std::vector{Targets::Even, Targets::Odd} : std::vector{Targets::All};
    dirac::HoppingTerm<T> hop(g, links, node.clock, all, isa);
    for (const Targets targets : all) {
      const int parity = targets == Targets::Odd ? 1 : 0;
      const int first = by_parity ? g.parity_begin(parity) : 0;
      const int from = by_parity ? g.parity_begin(1 - parity) : 0;
      dirac::SpinorField<T> in(static_cast<std::size_t>(hop.source_count(targets)));
      dirac::SpinorField<T> result(static_cast<std::size_t>(hop.target_count(targets)));
      for (std::size_t i = 0; i < in.size(); ++i) {
        put(in[i], psi[static_cast<std::size_t>(g.global_index(from + static_cast<int>(i)))]);
      }
      hop.apply(targets, sign, result, in);
      hop.apply(targets, sign, result, in);  // buffers and messages must be good for another turn
      for (std::size_t i = 0; i < result.size(); ++i) {
        out[static_cast<std::size_t>(g.global_index(first + static_cast<int>(i)))] = get(result[i]);
      }
    }
  });
  return out;
}

}  // namespace ht::test
