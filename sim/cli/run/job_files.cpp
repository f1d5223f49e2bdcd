// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/run/job_files.hpp"

#include "sw/dirac/boot.hpp"

namespace ht::cli {

net::FileSource job_files(const dirac::JobSpec& spec) {
  const std::string text = dirac::to_boot_block(spec);
  const auto boot = std::make_shared<const net::Bytes>(text.begin(), text.end());
  // Nodes generate their part of a generated field themselves; a server has it whole.
  const auto gauge = spec.gauge ? spec.gauge
                                : std::make_shared<const dirac::GlobalGauge>(
                                      dirac::generate_gauge(spec.field, spec.seed, spec.lattice));
  return [=](const std::string& name) -> std::shared_ptr<const net::Bytes> {
    if (name == "boot") return boot;
    const auto box = dirac::parse_box_name(name);
    if (!box) return nullptr;
    for (std::size_t mu = 0; mu < 4; ++mu) {
      const int begin = box->origin[mu], extent = box->extents[mu];
      if (begin < 0 || extent < 1 || extent > gauge->lattice[mu] - begin) return nullptr;
    }
    return std::make_shared<const net::Bytes>(dirac::encode_box(*gauge, *box));
  };
}

}  // namespace ht::cli
