// SPDX-License-Identifier: Apache-2.0
#include "tests/tofu/model/gate_operations.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "verif/model/common/order_independent_sum.hpp"

namespace ht::test {
namespace {

using model::GateData;
using model::GateForm;
using model::GateOperation;
using Random = std::mt19937_64;

double draw(Random& r) {
  return std::ldexp(static_cast<double>(r() >> 11) - 0x1p52, static_cast<int>(r() % 300) - 200);
}

}  // namespace

GateJob random_job(std::size_t n, Random& r) {
  GateJob o;
  o.operation = static_cast<GateOperation>(r() % model::kGateOperations);
  o.forms.assign(n, GateForm::None);
  o.operands.assign(n, GateData{});
  if (o.operation == GateOperation::Barrier) {
    o.empty = true;
    return o;
  }
  if (o.operation == GateOperation::Broadcast) {
    const std::size_t root = r() % n;
    o.forms[root] = r() % 2 == 0 ? GateForm::Word : GateForm::State;
    o.expected = {r(), r(), r(), r(), r()};
    o.operands[root] = o.expected;
    if (o.forms[root] == GateForm::Word) o.expected = {o.expected[0]};
    return o;
  }
  std::uint64_t value = 0;
  bool first = true;
  model::OrderIndependentSum sum;
  for (std::size_t i = 0; i < n; ++i) {
    if (r() % 16 == 0) continue;  // gives nothing
    if (o.operation == GateOperation::Fsum) {
      const double x = draw(r);
      sum.add(x);
      const bool ready = r() % 2 == 0;
      o.forms[i] = ready ? GateForm::State : GateForm::Double;
      o.operands[i] = ready ? model::state_of(x) : GateData{std::bit_cast<std::uint64_t>(x)};
    } else {
      const std::uint64_t x = r();
      o.forms[i] = GateForm::Word;
      o.operands[i] = {x};
      switch (o.operation) {
        case GateOperation::And:
          value = first ? x : value & x;
          break;
        case GateOperation::Or:
          value |= x;
          break;
        case GateOperation::Xor:
          value ^= x;
          break;
        case GateOperation::Max:
          value = std::max(value, x);
          break;
        default:
          value += x;
      }
    }
    first = false;
  }
  o.empty = first;
  o.expected = {value};
  if (o.operation == GateOperation::Fsum) {
    const auto bytes = sum.to_bytes();
    for (std::size_t i = 0; i < 40; ++i) {
      if (i % 8 == 0) o.expected[i / 8] = 0;
      o.expected[i / 8] |= std::to_integer<std::uint64_t>(bytes[i]) << (8 * (i % 8));
    }
  }
  return o;
}

std::vector<std::uint32_t> some_nodes(std::size_t n) {
  std::vector<std::uint32_t> nodes;
  for (std::size_t i = 0; i < n; ++i) nodes.push_back(static_cast<std::uint32_t>(0x7a31 + 513 * i));
  return nodes;
}

}  // namespace ht::test
