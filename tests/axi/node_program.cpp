// SPDX-License-Identifier: Apache-2.0
#include "tests/axi/node_program.hpp"

#include <fmt/format.h>

#include <csignal>
#include <cstdio>
#include <exception>
#include <memory>
#include <stdexcept>

#include "sw/axi/window.hpp"
#include "sw/host/errors.hpp"
#include "sw/host/fibre.hpp"
#include "sw/qmp/node.hpp"
#include "tests/qmp/programs.hpp"

namespace ht::test {
namespace {

NodeArguments parse(int argc, char** argv) {
  if (argc < 5) throw std::runtime_error("arguments: window node LXxLYx.. program...");
  NodeArguments a{argv[1], std::stoi(argv[2]), {}, {}, false};
  std::string shape = argv[3];
  for (std::size_t at = 0; at < shape.size();) {
    std::size_t used = 0;
    a.shape.push_back(std::stoi(shape.substr(at), &used));
    at += used + 1;
  }
  for (int i = 4; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "all" || word == "anywhere") {
      a.anywhere = a.anywhere || word == "anywhere";
      for (const auto& program :
           word == "all" ? qmp::tests::conformance_programs() : qmp::tests::anywhere_programs())
        a.programs.emplace_back(program.name);
    } else {
      a.programs.push_back(word);
    }
  }
  return a;
}

// Ends as a process does that is killed.
void killed(axi::WindowBoard& /*board*/) {
  std::raise(SIGKILL);
}

// Each of these must be refused: behind the buses' registers and those of puts, between them,
// beyond the window, and where memory is while the node runs.
void refused_registers(axi::WindowBoard& board) {
  const auto refused = [](const std::string& what, const std::function<void()>& access) {
    try {
      access();
    } catch (const HardwareError& e) {
      if (std::string(e.what()).find("was refused") != std::string::npos) return;
      throw;
    }
    throw std::runtime_error(what + " was not refused");
  };
  for (const std::uint32_t address :
       {0x4024U, 0x404CU, 0x40A0U, 0x40FCU, 0x4100U, 0x7FFCU, 0x8000U, 0xFFFFFFFCU}) {
    refused(fmt::format("reading {:#x}", address), [&] { board.read(address); });
    refused(fmt::format("writing {:#x}", address), [&] { board.write(address, 0); });
  }
  for (const std::uint32_t address : {0x4000U, 0x4008U, 0x400CU, 0x4010U, 0x4018U})
    refused(fmt::format("writing {:#x}", address), [&] { board.write(address, 0x1000); });
}

}  // namespace

int node_program(int argc, char** argv, const axi::PortOptions& options, const MakeDriver& make,
                 const std::function<void(qmp::Transport&)>& check) {
  std::string doing = "arguments";
  try {
    const NodeArguments a = parse(argc, argv);
    doing = fmt::format("node {}, its window", a.node);
    axi::WindowBoard board(a.window);
    axi::BoardPort port(board, options);
    // QMP keeps what it knows with the fibre that it is called on.
    host::Fibre fibre([&] {
      doing = fmt::format("node {}, bringing links up", a.node);
      const auto driver = make(port, a);
      for (const std::string& name : a.programs) {
        bool found = name == "killed" || name == "refused registers";
        if (name == "killed") killed(board);
        if (name == "refused registers") refused_registers(board);
        for (const auto* list :
             {&qmp::tests::conformance_programs(), &qmp::tests::anywhere_programs()}) {
          for (const auto& program : *list) {
            if (program.name != name) continue;
            found = true;
            doing = fmt::format("node {}, {}", a.node, name);
            const qmp::Node node(*driver);
            program.program();
          }
        }
        if (!found) throw std::runtime_error("there is no program of this name");
      }
      doing = fmt::format("node {}, its end", a.node);
      check(*driver);
      driver->linger();
      port.linger([] {});
      port.check_errors();
    });
    fibre.resume();
    return 0;
  } catch (const std::exception& e) {
    std::fprintf(stderr, "%s: %s\n", doing.c_str(), e.what());
    return 1;
  }
}

}  // namespace ht::test
