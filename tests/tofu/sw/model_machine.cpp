// SPDX-License-Identifier: Apache-2.0
#include "sw/tofu/functional/functional_tofu.hpp"
#include "tests/tofu/sw/gate_machine.hpp"

namespace ht::test {
namespace {

class ModelMachine final : public GateMachine {
 public:
  ModelMachine(const tofu::Shape& shape, unsigned seed) : machine_(shape, options(seed)) {
    machine_.tamper = [this](model::GatePacket& packet) { return !tamper || tamper(packet); };
  }

  const tofu::Shape& shape() const override { return machine_.shape(); }
  host::HardwarePort& port(int node) override { return machine_.port(node); }
  std::uint64_t register_accesses(int node) const override {
    return machine_.register_accesses(node);
  }
  void run(const std::function<void(int, host::HardwarePort&)>& program) override {
    machine_.run(program);
  }

 private:
  static tofu::FunctionalTofuOptions options(unsigned seed) {
    tofu::FunctionalTofuOptions o;
    o.shuffle = seed;
    return o;
  }

  tofu::FunctionalTofu machine_;
};

}  // namespace

std::unique_ptr<GateMachine> make_machine(const tofu::Shape& shape, unsigned seed) {
  return std::make_unique<ModelMachine>(shape, seed);
}

std::vector<int> sizes() {
  return {2, 3, 4, 5, 6, 7, 8, 9, 12, 15, 16, 17, 23, 24, 31, 32, 64};
}

}  // namespace ht::test
