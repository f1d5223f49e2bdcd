// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstdint>
#include <string>

#include "sw/host/processor_model.hpp"

namespace ht::host {

/// The PPC 440 of a QCDOC node (seed 000, section 2.1) as three devices, each with what a kernel
/// asks of it; README.md lists what is the paper's and what is assumed. Times are cycles of the
/// processor.
namespace ppc440 {

/// Sites of a node along the four directions.
using Lattice = std::array<int, 4>;

constexpr double clock_hz = 500e6;  ///< the target; the paper's machines ran at 360 to 450 MHz
constexpr double embedded_bytes = 4 * 1024.0 * 1024;
constexpr double embedded_bytes_a_cycle = 16;      ///< 8 GB/s at 500 MHz
constexpr double external_bytes_a_second = 2.6e9;  ///< DDR SDRAM, whatever the processor's clock

/// Which memory the fields of the Wilson conjugate gradient live in.
enum class Placement : std::uint8_t {
  Embedded,       ///< all in the 4 MB on the chip
  LinksExternal,  ///< spinors on the chip, the gauge field in DDR SDRAM
  External,       ///< all in DDR SDRAM
};

/// Bytes of the solver's fields: seven spinor fields on half of the sites, four links a site.
struct Footprint {
  double spinors = 0;
  double links = 0;
};
Footprint footprint(const Lattice& lattice, int real_bytes);
/// Whatever fits, the fields used most often first: spinors, then links.
Placement placement(const Lattice& lattice, int real_bytes);

/// Whether devices work at the same time, so that the slowest sets the pace, or one after the
/// other. Hand-tuned code on a processor that issues in order lies in between.
enum class Overlap : std::uint8_t { Full, None };

/// What a kernel needs, a site or in all, in cycles.
struct Times {
  double peak = 0;  ///< its flop, two a cycle
  double floating_point =
      0;  ///< instructions: a multiply and an add together only if the add is to the product
  double load_store = 0;  ///< one real a cycle between registers and cache
  double memory = 0;      ///< between cache and memory

  double execution(Overlap overlap) const;
};

/// The Wilson hopping term, a site.
Times hopping_times(Placement placement, int real_bytes, double clock = clock_hz);
Times linear_times(Placement placement, int real_bytes, int spinors_read, int spinors_written,
                   int flops, double clock = clock_hz);
Times pack_times(Placement placement, int real_bytes, bool multiplied, double clock = clock_hz);

}  // namespace ppc440

struct Ppc440Options {
  double clock = ppc440::clock_hz;
  ppc440::Overlap overlap = ppc440::Overlap::Full;
  /// What host_path() answers. The communications unit reaches memory by itself (section 2.2).
  Picoseconds host_path = 0;
};

/// Charges the model's times to a node with a local lattice of the given shape.
class Ppc440 final : public ProcessorModel {
 public:
  /// Throws UsageError for a lattice with a length below 1, or one that does not fit the 2 GB a
  /// node can have, or a clock that is not above 0.
  explicit Ppc440(const ppc440::Lattice& lattice, const Ppc440Options& options = {});

  /// Double precision decides where fields live; fields in single precision may fit better.
  ppc440::Placement placement(int real_bytes) const;

  std::string name() const override;
  double peak_flops(int real_bytes) const override;
  Picoseconds hopping_time(std::int64_t sites, int real_bytes) const override;
  Picoseconds linear_time(std::int64_t sites, int real_bytes, int spinors_read, int spinors_written,
                          int flops) const override;
  Picoseconds pack_time(std::int64_t sites, int real_bytes, bool multiplied) const override;
  Picoseconds copy_time(std::int64_t bytes) const override;
  Picoseconds host_path() const override { return options_.host_path; }

 private:
  Picoseconds time(const ppc440::Times& each, std::int64_t count) const;

  ppc440::Lattice lattice_;
  Ppc440Options options_;
};

}  // namespace ht::host
