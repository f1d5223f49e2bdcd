// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <functional>
#include <vector>

#include "sw/tofu/gates/barrier_interface.hpp"
#include "sw/tofu/gates/barrier_pattern.hpp"
#include "sw/tofu/utofu/utofu_node.hpp"
#include "tests/tofu/sw/gate_machine.hpp"

// What the tests of barrier gates run on every node, whatever is behind the nodes' ports.
namespace ht::test {

/// A place where programs meet that have no network yet: like the exchange of ids by a job's
/// launcher.
class Meeting {
 public:
  explicit Meeting(int size) : size_(size) {}
  void join(host::HardwarePort& port);

 private:
  int size_, here_ = 0, round_ = 0;
};

/// Runs a uTofu program on every node.
void run_utofu(GateMachine& machine, const std::function<void(int rank, Meeting& meeting)>& program,
               tofu::BarrierOptions options = {});

/// Ids of all ranks' gates, as programs exchange them.
using Ids = std::vector<std::vector<utofu_vbg_id_t>>;

/// Allocates a rank's gates of a pattern, waits for the others', wires them, and waits again.
void lay(const tofu::BarrierPattern& pattern, int rank, Ids& ids, Meeting& meeting);

/// Start and poll to the end; the code of the one that failed.
int barrier(utofu_vbg_id_t id);
int reduce(utofu_vbg_id_t id, utofu_reduce_op op, std::uint64_t& word);
int reduce(utofu_vbg_id_t id, double& x);

/// Numbers of wide range, of both signs, that cancel: naive sums of them depend on the order.
std::vector<double> awkward_numbers(int count, unsigned seed);

/// Barriers, reductions and sums over one pattern, several in a row, checked.
void check_pattern(GateMachine& machine, tofu::Algorithm algorithm, unsigned seed,
                   tofu::BarrierOptions options = {});

}  // namespace ht::test
