// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <optional>

#include "sw/host/processor_model.hpp"
#include "sw/host/wilson_kernels.hpp"

namespace ht::qpace {

/// The performance model of the Enhanced Cell (PowerXCell 8i) in "QCD on the Cell Broadband Engine"
/// ([Cell2007]): the hopping term as tasks that run at the same time, each limited by one device,
/// so that the slowest sets the pace. Times are SPE cycles of 3.2 GHz for a whole local lattice.
namespace powerxcell {

constexpr double clock_hz = 3.2e9;
constexpr int spes = 8;

/// Where the fields are ([Cell2007] section 5), and with that how the SPEs share the local lattice.
enum class Placement {
  LocalStore,  ///< in the SPEs' 256 kB: SPEs side by side along the 4-direction, 1 x 1 x 1 x 8
  MainMemory,  ///< streamed slice by slice along the 4-direction: SPEs as a 2 x 2 x 2 x 1 grid
};

/// Sites of a Cell along the four directions.
using Lattice = host::LocalLattice;

/// How many SPEs lie side by side along each direction.
using SpeGrid = std::array<int, 4>;
/// In main memory 2 x 2 x 2 x 1. In the local stores the grid with the smallest of largest shares,
/// of those the one with fewest neighbours on other SPEs: 1 x 1 x 1 x 8 where the 4-direction has
/// eight sites or a multiple.
SpeGrid spe_grid(Placement placement, const Lattice& lattice);
/// Sites of the SPE that has most.
int largest_share(const SpeGrid& grid, const Lattice& lattice);
/// The local stores where the solver's fields fit them (section 5: 8 spinors and 3 x 4 links a
/// site, 79 sites an SPE in double precision), else main memory.
Placement placement_of(const Lattice& lattice);

/// Neighbour sites an SPE has on other SPEs of its Cell, and on other Cells, on average, all three
/// directions of the torus being spread over Cells.
struct Neighbours {
  double internal = 0;
  double external = 0;
};
Neighbours neighbours(Placement placement, const Lattice& lattice);

/// The rows of table 1.
struct HoppingTimes {
  double peak = 0;            ///< the flop alone, at peak
  double floating_point = 0;  ///< 840 multiply-adds at least: 78 % of peak at most
  double register_file = 0;   ///< loads and stores between registers and local store
  double memory = 0;          ///< main memory; 0 if everything is in the local stores
  double internal = 0;        ///< between SPEs
  double external = 0;        ///< between Cells
  double eib = 0;             ///< all of it over the element interconnect bus

  /// The slowest task.
  double execution() const;
  double efficiency() const { return peak / execution(); }
  /// The slowest task on this Cell: without the transfers that the simulated network makes.
  double computation() const;
};
HoppingTimes hopping_times(Placement placement, const Lattice& lattice, int real_bytes = 8);

/// Linear algebra, a site: main memory or local store against floating point. Complex arithmetic
/// gets half of the peak at most (section 4).
struct LinearTimes {
  double peak = 0;
  double floating_point = 0;
  double data = 0;  ///< main memory, or local store to registers

  double execution() const;
  double efficiency() const { return peak / execution(); }
};
LinearTimes linear_times(Placement placement, int real_bytes, int spinors_read, int spinors_written,
                         int flops);

/// Cycles of a transfer between local stores (equation 6.1): 200 to start and finish, 16 for every
/// 128-byte line it touches, and 16 more for each if source and destination lie differently.
double dma_cycles(std::uint64_t bytes, std::uint64_t source, std::uint64_t destination);

/// What a sweep of a kernel takes on top of its tasks, since nothing hides it, by equation 6.1:
/// from main memory, the first block of 2 kB that comes, and the last that goes.
double stream_overhead(Placement placement);
/// In the local stores, the faces that SPEs exchange for a hop over the sites of one parity: each
/// has them before it goes on.
double face_exchange(Placement placement, const Lattice& lattice, int real_bytes);

/// A message's way from the local store of one processor to its network processor, and from there
/// into the other's ([QPACE2009] section 6).
struct PathPart {
  const char* what;
  Picoseconds time;
  const char* source;
};
/// All of it, 2.5 us: of 3 us of half a ping-pong, 0.5 are between the network processors' FIFO and
/// DMA engine. The parts that can be derived are; what is left is our assumption, and named so.
constexpr std::array<PathPart, 6> host_path_parts{{
    {"DMA command of the sending SPE: start and wait for completion, 200 cycles", 62'500,
     "[Cell2007] section 6"},
    {"128 bytes out of the local store over the element interconnect bus, 16 cycles", 5'000,
     "[Cell2007] section 6"},
    {"128 bytes over the link between the chips, 5 GB/s, out and in", 51'200,
     "[QPACE2009] section 5"},
    {"the notification, a line of 128 bytes, over the same link", 25'600, "[QPACE2009] section 5"},
    {"the receiving SPE sees it: a load from its local store in a loop", 6'300,
     "our assumption: 20 cycles"},
    {"FlexIO and RocketIO transceivers and their link layers, in the processor and in the FPGA, "
     "out and in: the rest",
     2'349'400, "our assumption: what the measured 2.5 us leave"},
}};
constexpr Picoseconds sum_of_parts() {
  Picoseconds sum = 0;
  for (const PathPart& part : host_path_parts) sum += part.time;
  return sum;
}

}  // namespace powerxcell

/// Charges the model's times to a node with a local lattice of the given shape.
class PowerXCell8i final : public host::ProcessorModel {
 public:
  /// A half round trip took 3 us, 0.5 us of it from the transmit FIFO to the receiver's DMA engine
  /// ([QPACE2009] section 6).
  static constexpr Picoseconds measured_host_path = 2'500'000;
  static_assert(powerxcell::sum_of_parts() == measured_host_path);

  /// Without a placement, the one of the volume. `host_path` is what host_path() answers: 0 leaves
  /// the processor's way to the network out. Throws UsageError for a lattice with a length below 1,
  /// or one that does not fit 4 GB, or, with Placement::LocalStore, for one of more than 79 sites
  /// an SPE.
  explicit PowerXCell8i(const powerxcell::Lattice& lattice,
                        std::optional<powerxcell::Placement> placement = {},
                        Picoseconds host_path = measured_host_path);

  powerxcell::Placement placement() const { return placement_; }

  std::string name() const override;
  double peak_flops(int real_bytes) const override;
  Picoseconds hopping_time(std::int64_t sites, int real_bytes) const override;
  Picoseconds linear_time(std::int64_t sites, int real_bytes, int spinors_read, int spinors_written,
                          int flops) const override;
  Picoseconds pack_time(std::int64_t sites, int real_bytes, bool multiplied) const override;
  Picoseconds kernel_time(const host::Kernel& kernel, std::int64_t sites,
                          int real_bytes) const override;
  Picoseconds copy_time(std::int64_t bytes) const override;
  Picoseconds host_path() const override { return host_path_; }

 private:
  Picoseconds sweep(double cycles_of_site, std::int64_t sites) const;

  powerxcell::Lattice lattice_;
  powerxcell::Placement placement_;
  double imbalance_;  ///< the largest share of a site to the average one
  Picoseconds host_path_;
};

}  // namespace ht::qpace
