// SPDX-License-Identifier: Apache-2.0
#include "sw/tofu/functional/functional_job.hpp"

#include <utility>

#include "sw/qmp/collective_log.hpp"
#include "sw/qmp/node.hpp"
#include "sw/tofu/utofu/utofu_node.hpp"

namespace ht::tofu {
namespace {

constexpr int program_gates = 2;  // whose group is not the transport's

FunctionalTofuOptions options_of(const RankLayout& layout, double processor_timeout,
                                 const Profile& profile) {
  FunctionalTofuOptions o;
  o.profile = profile;
  o.memory_bytes = FunctionalJob::memory_bytes;
  o.failed = layout.failed;
  o.processor_timeout = processor_timeout;
  return o;
}

}  // namespace

FunctionalJob::FunctionalJob(const Shape& shape, std::shared_ptr<const RankLayout> layout,
                             double processor_timeout, const Profile& profile)
    : machine_(shape, options_of(*layout, processor_timeout, profile)),
      profile_(profile),
      layout_(std::move(layout)) {}

std::vector<int> FunctionalJob::run(const Program& program) {
  std::vector<int> codes(static_cast<std::size_t>(layout_->ranks()));
  qmp::CollectiveLog collectives(layout_->ranks());
  // They outlive their programs: a node that has ended is still reached by the others.
  std::vector<std::unique_ptr<Transport>> transports(
      static_cast<std::size_t>(machine_.shape().nodes()));
  TransportOptions driver;
  driver.profile = profile_;
  machine_.run([&](int number, host::HardwarePort& port) {
    auto& transport = transports[static_cast<std::size_t>(number)];
    transport = std::make_unique<Transport>(port, Place{machine_.shape(), number}, layout_, driver);
    transport->bring_up();
    if (transport->rank() < 0) return;
    const qmp::Node node(*transport, &collectives);
    std::vector<BarrierInterface*> barriers;
    for (int i = 0; i < profile_.gate_interfaces; ++i)
      barriers.push_back(&transport->icc().barrier(i));
    const UtofuNode utofu(barriers, transport->utofu_network(), transport->first_own_gate(),
                          transport->gate_group(program_gates));
    codes[static_cast<std::size_t>(transport->rank())] = program(*transport);
  });
  const Picoseconds ended = machine_.elapsed();
  // What went wrong behind the programs' backs, as over hardware.
  machine_.run([&](int number, host::HardwarePort& /*port*/) {
    transports[static_cast<std::size_t>(number)]->check_errors();
  });
  elapsed_ = ended;
  return codes;
}

}  // namespace ht::tofu
