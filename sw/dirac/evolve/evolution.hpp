// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string_view>
#include <vector>

#include "sw/dirac/gauge/gauge.hpp"
#include "sw/dirac/job.hpp"

namespace ht::dirac {

/// Leapfrog, or Omelyan, Mryglod and Folk's integrator with two steps of the links to each of three
/// of the momenta (Comput. Phys. Commun. 151 (2003) 272; lambda 0.1931833...).
enum class Integrator : std::uint8_t { Leapfrog, Omelyan };
std::optional<Integrator> parse_integrator(std::string_view name);
std::string_view to_string(Integrator integrator);

/// Hybrid Monte Carlo (Duane, Kennedy, Pendleton and Roweth, Phys. Lett. B 195 (1987) 216) of
/// Wilson's plaquette action, without or with two flavours of Wilson fermions.
struct EvolutionSpec {
  Coordinates lattice{4, 4, 4, 4};
  std::vector<int> node_grid;  ///< as JobSpec's
  /// What it starts from: a field shared by all nodes, or a generated one.
  std::shared_ptr<const GlobalGauge> gauge;
  FieldKind field = FieldKind::Hot;
  std::uint64_t seed = 1;

  double beta = 5.6;
  int flavours = 0;  ///< 0 or 2
  double kappa = 0.1;
  double mu = 0;                                ///< twisted mass: 1/(2 kappa) +- i mu gamma_5 - D/2
  std::array<double, 4> boundary{1, 1, 1, -1};  ///< of the fermions
  Integrator integrator = Integrator::Omelyan;
  int steps = 10;     ///< a trajectory
  double length = 1;  ///< of it
  int trajectories = 1;
  int first = 0;  ///< number of the first: all random numbers are functions of it and the seed
  double tolerance = 1e-10;  ///< of the solves: |r| <= T |phi|
  int max_iterations = 10000;
  int save_every = 0;  ///< trajectories after which the field is handed over; 0: at the end only
};

/// Throws UsageError naming the first thing that is wrong, and the remedy.
void validate(const EvolutionSpec& spec);
/// Memory that a node's part takes, in bytes.
double bytes_of_node(const EvolutionSpec& spec);

struct Trajectory {
  int number = 0;
  double delta_h = 0;  ///< H at the end - H at the start
  bool accepted = false;
  Plaquette plaquette;  ///< of the field after it
  int iterations = 0;   ///< of conjugate gradient
};

struct EvolutionResult {
  std::vector<Trajectory> trajectories;
  Coordinates local_lattice{};
  double plaquette_before = 0;

  double acceptance() const;
  double mean_exp_minus_delta_h() const;
};

/// Where nodes put their fields and node 0 its results, whatever threads they run on. One per run.
class EvolutionSink {
 public:
  /// Called with a whole field and the number of the trajectory after which it is that; from a
  /// node's fibre.
  using Save = std::function<void(const GlobalGauge& gauge, int trajectory)>;

  explicit EvolutionSink(const EvolutionSpec& spec, Save save = {});

  /// A node's links after a trajectory, by global site.
  void put_links(int trajectory, const std::vector<std::pair<std::int64_t, SiteLinks>>& links);
  /// Node 0's, after every trajectory. May be watched meanwhile through `watch`.
  void put(const Trajectory& trajectory);
  void put_common(double plaquette_before, const Coordinates& local);
  void watch(std::function<void(const Trajectory&)> watch) { watch_ = std::move(watch); }

  /// After the run. Throws std::logic_error if it did not come to its end.
  const GlobalGauge& gauge() const;
  const EvolutionResult& result() const { return result_; }

 private:
  mutable std::mutex mutex_;
  Save save_;
  std::function<void(const Trajectory&)> watch_;
  GlobalGauge gauge_;
  int last_ = 0, whole_ = -1;
  std::int64_t missing_ = 0;
  EvolutionResult result_;
};

/// A node's program; initialises QMP if that has not been done.
void run_evolution(const EvolutionSpec& spec, EvolutionSink& sink, WorkMeter& meter);

}  // namespace ht::dirac
