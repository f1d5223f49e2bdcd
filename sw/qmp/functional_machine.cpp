// SPDX-License-Identifier: Apache-2.0
#include "sw/qmp/functional_machine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <exception>
#include <memory>
#include <system_error>

#include "sw/host/errors.hpp"
#include "sw/host/mappings.hpp"
#include "sw/qmp/collective_log.hpp"
#include "sw/qmp/functional_node.hpp"
#include "sw/qmp/node.hpp"

namespace ht::qmp {
namespace {

// Rounds in which every program that is not blocked only asks whether something is complete, and
// nothing is. Rounds in which one lets time pass, as who computes does, say nothing.
constexpr int rounds_in_vain = 20'000;
constexpr std::size_t nodes_listed = 16;

struct Failure {
  std::string node;
  std::exception_ptr exception;
};

std::string message_of(const Failure& f) {
  try {
    std::rethrow_exception(f.exception);
  } catch (const std::exception& e) {
    return f.node + ": " + e.what();
  } catch (...) {
    return f.node + ": an unknown exception";
  }
}

/// The first failure as an exception of its own type, naming all nodes that failed.
[[noreturn]] void report(const std::vector<Failure>& failures) {
  std::string text = message_of(failures[0]);
  for (std::size_t i = 1; i < failures.size() && i < nodes_listed; ++i) {
    text += "; also " + message_of(failures[i]);
  }
  if (failures.size() > nodes_listed) {
    text += fmt::format("; and {} more nodes", failures.size() - nodes_listed);
  }
  try {
    std::rethrow_exception(failures[0].exception);
  } catch (const TimeoutError&) {
    throw TimeoutError(text);
  } catch (const HardwareError&) {
    throw HardwareError(text);
  } catch (const ProtocolError&) {
    throw ProtocolError(text);
  } catch (const UsageError&) {
    throw UsageError(text);
  } catch (const DataError&) {
    throw DataError(text);
  } catch (const MismatchError&) {
    throw MismatchError(text);
  } catch (const NotConvergedError&) {
    throw NotConvergedError(text);
  } catch (const AbortError& e) {
    throw AbortError(e.error_code(), text);
  } catch (const Error& e) {
    throw Error(e.exit_code(), text);
  } catch (const std::bad_alloc&) {
    throw;  // what it says is no node's fault
  } catch (const std::system_error&) {
    throw;  // nor this: what nodes print cannot be written
  } catch (const std::exception&) {
    throw std::runtime_error(text);
  }
  // Anything else (a test's own way of failing) goes on as it is.
}

}  // namespace

FunctionalMachine::FunctionalMachine(std::vector<int> shape, FunctionalOptions options)
    : shape_(std::move(shape)), options_(options) {
  if (shape_.empty() || shape_.size() > 6) {
    throw UsageError(fmt::format("a functional torus has 1 to 6 axes, not {}", shape_.size()));
  }
  for (const int length : shape_) {
    if (length < 1) {
      throw UsageError(fmt::format("an axis of {} nodes; every axis needs at least one", length));
    }
    if (nodes_ > (1 << 20) / length) {
      throw UsageError(fmt::format("{} nodes are more than the functional network's 1048576",
                                   fmt::join(shape_, " x ")));
    }
    nodes_ *= length;
  }
  host::require_mappings(static_cast<std::size_t>(nodes_), host::fibre_mappings);
}

std::vector<int> FunctionalMachine::run(const Program& program) {
  FunctionalNetwork network{shape_, options_, {}, 0};
  for (int r = 0; r < nodes_; ++r) {
    network.nodes.push_back(std::make_unique<FunctionalNode>(network, r));
  }
  std::vector<int> exit_codes(static_cast<std::size_t>(nodes_));
  CollectiveLog collectives(nodes_);
  // After the nodes: fibres that are thrown away still touch them.
  std::vector<std::unique_ptr<host::Fibre>> fibres;
  for (std::size_t r = 0; r < network.nodes.size(); ++r) {
    fibres.push_back(std::make_unique<host::Fibre>(
        [&program, &collectives, &transport = *network.nodes[r], &code = exit_codes[r]] {
          const Node node(transport, &collectives);
          code = program(transport);
        },
        options_.stack_bytes));
  }

  std::vector<Failure> failures;
  std::uint64_t last_activity = 0;
  int in_vain = 0;
  std::clock_t last_time = std::clock();
  for (;;) {
    int ready = 0;
    bool unfinished = false, vain = true;
    for (std::size_t r = 0; r < fibres.size(); ++r) {
      if (fibres[r]->finished()) continue;
      unfinished = true;
      if (network.nodes[r]->blocked()) continue;
      if (options_.on_turn) options_.on_turn();
      ++ready;
      try {
        fibres[r]->resume();
      } catch (...) {
        failures.push_back({network.nodes[r]->name(), std::current_exception()});
      }
      if (fibres[r]->finished())
        ++network.activity;
      else
        vain = vain && (network.nodes[r]->blocked() || network.nodes[r]->in_vain());
    }
    if (!failures.empty()) {
      fibres.clear();
      report(failures);
    }
    if (!unfinished) break;
    if (network.activity != last_activity) {
      last_activity = network.activity;
      last_time = std::clock();
      in_vain = 0;
    } else if (vain) {
      ++in_vain;
    }
    const bool in_time =
        options_.processor_timeout <= 0 ||
        static_cast<double>(std::clock() - last_time) <=
            options_.processor_timeout * static_cast<double>(CLOCKS_PER_SEC) * ready;
    if (ready > 0 && in_vain < rounds_in_vain && in_time) continue;

    std::string text = "nothing moves any more:";
    std::size_t listed = 0, waiting = 0;
    for (std::size_t r = 0; r < fibres.size(); ++r) {
      if (fibres[r]->finished() || ++waiting > nodes_listed) continue;
      text += fmt::format("{} {} waits, since {} ps, for {}", listed++ == 0 ? "" : ";",
                          network.nodes[r]->name(), network.nodes[r]->now(),
                          network.nodes[r]->waiting_for());
    }
    if (waiting > listed) text += fmt::format("; and {} more", waiting - listed);
    if (waiting < fibres.size()) {
      text += fmt::format("; {} nodes have ended", fibres.size() - waiting);
    }
    fibres.clear();
    throw TimeoutError(text);
  }
  if (const auto left = collectives.left();
      left && std::ranges::all_of(exit_codes, [](int code) { return code == 0; }))
    throw ProtocolError(*left);
  elapsed_ = 0;
  for (const auto& node : network.nodes) elapsed_ = std::max(elapsed_, node->now());
  return exit_codes;
}

std::vector<int> FunctionalMachine::run_main(int (*main)(int, char**),
                                             std::span<const std::string> arguments) {
  const std::vector<std::string> own =
      arguments.empty() ? std::vector<std::string>{"program"}
                        : std::vector<std::string>(arguments.begin(), arguments.end());
  return run([&](Transport&) { return call_main(main, own); });
}

}  // namespace ht::qmp
