// SPDX-License-Identifier: Apache-2.0
#include "sw/qcdoc/partitions.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <sstream>

#include "sw/host/errors.hpp"
#include "sw/qcdoc/fold.hpp"

namespace ht::qcdoc {
namespace {

// "4+4" -> 2, if all are equal and add up to `length`; else 0.
int equal_pieces(const std::string& lengths, int length) {
  std::istringstream in(lengths);
  int pieces = 0, first = 0, sum = 0;
  for (std::string part; std::getline(in, part, '+');) {
    if (part.empty() || part.size() > 6 || part.find_first_not_of("0123456789") != part.npos)
      return 0;
    const int n = std::stoi(part);
    if (pieces++ == 0) first = n;
    if (n != first || n == 0) return 0;
    sum += n;
  }
  return sum == length && !lengths.ends_with('+') ? pieces : 0;
}

std::vector<int> read_cuts(const std::vector<int>& machine, const std::string& cuts) {
  std::vector<int> pieces(machine.size(), 1);
  const auto refuse = [&](const std::string& part, const std::string& why) {
    throw UsageError(
        fmt::format("partition {}: {}; write axes and their pieces, as in x:2+2,z:1+1", part, why));
  };
  std::istringstream in(cuts);
  for (std::string part; std::getline(in, part, ',');) {
    const std::size_t axis = part.size() > 2 ? std::string("xyztuv").find(part[0]) : part.npos;
    if (axis == part.npos || part[1] != ':') refuse(part, "no axis with its pieces");
    if (axis >= machine.size())
      refuse(part, fmt::format("machine {} has no axis {}", fmt::join(machine, "x"), part[0]));
    if (pieces[axis] != 1) refuse(part, "this axis is cut already");
    pieces[axis] = equal_pieces(part.substr(2), machine[axis]);
    if (pieces[axis] == 0)
      refuse(part, fmt::format("the pieces must be equal and make up the {} nodes of axis {}",
                               machine[axis], part[0]));
  }
  return pieces;
}

}  // namespace

Partitions::Partitions(std::span<const int> machine, std::span<const int> pieces)
    : machine_(machine.begin(), machine.end()) {
  cut({pieces.begin(), pieces.end()});
}

Partitions::Partitions(std::span<const int> machine, const std::string& cuts)
    : machine_(machine.begin(), machine.end()) {
  cut(read_cuts(machine_, cuts));
}

void Partitions::cut(const std::vector<int>& pieces) {
  pieces_ = pieces;
  if (machine_.empty() || machine_.size() > 6 || pieces_.size() > machine_.size())
    throw UsageError(fmt::format("machine {}: QCDOC has one to six axes, and no more can be cut",
                                 fmt::join(machine_, "x")));
  pieces_.resize(machine_.size(), 1);
  for (std::size_t a = 0; a < machine_.size(); ++a) {
    if (machine_[a] < 1 || pieces_[a] < 1 || machine_[a] % pieces_[a] != 0)
      throw UsageError(
          fmt::format("machine {}: axis {} of {} nodes does not fall into {} equal pieces",
                      fmt::join(machine_, "x"), axis_name(a), machine_[a], pieces_[a]));
    axes_.push_back({machine_[a] / pieces_[a], pieces_[a] == 1});
  }
}

int Partitions::count() const {
  int n = 1;
  for (const int p : pieces_) n *= p;
  return n;
}

int Partitions::size() const {
  int n = 1;
  for (const Axis& axis : axes_) n *= axis.length;
  return n;
}

int Partitions::partition_of(int node) const {
  int partition = 0, stride = 1;
  for (std::size_t a = 0; a < machine_.size(); ++a) {
    const int c = node % machine_[a];
    node /= machine_[a];
    partition += c / axes_[a].length * stride;
    stride *= pieces_[a];
  }
  return partition;
}

int Partitions::physical_node_of(int node) const {
  int physical = 0, stride = 1;
  for (std::size_t a = 0; a < machine_.size(); ++a) {
    physical += node % machine_[a] % axes_[a].length * stride;
    node /= machine_[a];
    stride *= axes_[a].length;
  }
  return physical;
}

int Partitions::node(int partition, int physical_node) const {
  int result = 0, stride = 1;
  for (std::size_t a = 0; a < machine_.size(); ++a) {
    const int length = axes_[a].length;
    result += (partition % pieces_[a] * length + physical_node % length) * stride;
    partition /= pieces_[a];
    physical_node /= length;
    stride *= machine_[a];
  }
  return result;
}

std::uint32_t Partitions::links(int node) const {
  const int physical = physical_node_of(node);
  std::uint32_t mask = 0;
  for (int link = 0; link < 2 * static_cast<int>(axes_.size()); ++link) {
    const int other = box_neighbour(axes_, physical, link);
    if (other >= 0 && other != physical) mask |= 1U << link;
  }
  return mask;
}

int Partitions::diameter() const {
  int hops = 0;
  for (const Axis& axis : axes_) hops += axis.ring ? axis.length / 2 : axis.length - 1;
  return hops;
}

}  // namespace ht::qcdoc
