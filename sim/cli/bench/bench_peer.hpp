// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "sim/cli/bench/bench_sim.hpp"

namespace ht::cli {

/// Throws UsageError for options that --peer cannot have, and if there is no such simulator.
void check_peer_options(const BenchSimOptions& options);

/// `bench sim MACHINE --peer DIR`: BookSim2 (Jiang et al., ISPASS 2013), a simulator of routers at
/// the level of flits, on k x k x k tori; the machine with as many nodes, at the same load of links
/// and at full traffic; measured in turn, by processor time, on one thread. Its routers' cycles a
/// second, this machine's nodes' (link clock), and the ratio: docs/howto/peers.md. Returns 0;
/// throws DataError if the other simulator fails or says nothing, and InterruptedError.
int bench_peer(const BenchSimOptions& options, const machine::MachineDescription& type,
               const BenchSession& session);

}  // namespace ht::cli
