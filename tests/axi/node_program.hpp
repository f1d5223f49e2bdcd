// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "sw/axi/port.hpp"
#include "sw/qmp/transport.hpp"

namespace ht::test {

/// What main() of a node's process was given: the window of its node, the node's number, lengths of
/// the machine's axes, and names of programs of tests/qmp: "all" is all, "anywhere" those that want
/// messages between any two nodes.
struct NodeArguments {
  std::string window;
  int node;
  std::vector<int> shape;
  std::vector<std::string> programs;
  bool anywhere = false;  ///< some of them want messages between any two nodes
};

/// How the process of a machine's node makes its driver over the port, and brings it up.
using MakeDriver = std::function<std::unique_ptr<qmp::Transport>(axi::BoardPort& port,
                                                                 const NodeArguments& arguments)>;

/// Runs QMP's conformance programs on one node. Returns main()'s value: 0, or 1 with a line on
/// standard error, which names the node and the program.
int node_program(int argc, char** argv, const axi::PortOptions& options, const MakeDriver& make,
                 const std::function<void(qmp::Transport&)>& check);

}  // namespace ht::test
