// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <atomic>
#include <csetjmp>
#include <cstdint>
#include <exception>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "sw/program/host.h"
#include "sw/program/node_output.hpp"
#include "sw/program/program_file.hpp"
#include "sw/program/run_record.hpp"
#include "sw/qmp/call_profile.hpp"
#include "sw/qmp/transport.hpp"

namespace ht::host {
class Fibre;
}

namespace ht::program {

/// A signal that ended a node's program, and where its handler found the program.
struct Crash {
  int signal = 0;
  std::uintptr_t address = 0;  ///< that was accessed
  std::uintptr_t at = 0;       ///< instruction
  std::uintptr_t caller = 0;   ///< innermost instruction that is the program's; 0 if there is none
  const char* callee = nullptr;   ///< what the program called there, if it is another's and known
  const char* library = nullptr;  ///< file that `at` lies in, if it is not the program's
  bool stack_full = false;        ///< the address is beyond the program's stack
};

/// One node's copy of a program: its own globals, arguments, output and end.
class LoadedProgram {
 public:
  enum class State { NotStarted, Running, Ended, Aborted, Crashed, Stuck };

  /// Loads `copy`, a file that holds the same as `file` and that no other node has loaded.
  /// Constructors of global objects run here. Throws DataError if it cannot be loaded: a library or
  /// a function is missing.
  /// `record`, which must outlive it, shows from outside what it does.
  LoadedProgram(int rank, const ProgramFile& file, const std::string& copy, RunRecord& record);
  ~LoadedProgram();
  LoadedProgram(const LoadedProgram&) = delete;
  LoadedProgram& operator=(const LoadedProgram&) = delete;

  /// Runs main() on this fibre, on which a qmp::Node must live; argv[0] is arguments[0]. Returns
  /// the exit code. Throws ProtocolError after a crash, MismatchError after an abort, TimeoutError
  /// if it kept its turn for too long.
  int run(qmp::Transport& transport, std::span<const std::string> arguments);

  /// run() starts gdb, and stops there where main() begins.
  void stop_in_debugger() { stops_in_debugger_ = true; }

  /// When `stop` is set, turns of the program are long, so that the machine comes to its end soon.
  /// It must outlive this.
  void stop_on(const std::atomic<bool>& stop) { stop_ = &stop; }

  /// The program's clocks (clock_gettime() and its like) are the machine's.
  void use_machine_clock() { machine_clock_ = true; }

  /// Calls of the network, and messages, are added to `profile`, which must outlive it.
  void profile_calls(qmp::CallProfile& profile) { profile_ = &profile; }

  /// Longest turn of the program, in seconds of processor time (TurnLimit); 0: no limit.
  void limit_turns(double seconds) { longest_turn_ = seconds; }

  int rank() const { return rank_; }
  State state() const { return state_; }
  int exit_code() const { return exit_code_; }
  NodeOutput& output() { return attached_->output; }

  /// "ended with exit code 0", "in QMP_wait(), called from exchange()", "crashed ...".
  std::string description() const;

  /// Calls of the network that failed: for each call in the program what, why and where.
  const std::vector<std::string>& refusals() const { return refusals_; }

  /// Whether this process is a copy of the simulator's that the program forked.
  bool is_forked() const { return attached_->output.is_forked(); }

  /// The fibre main() runs on.
  const host::Fibre* fibre() const { return fibre_.load(std::memory_order_relaxed); }

  /// Whether `address` lies in this copy.
  bool contains(std::uintptr_t address) const { return address - base_ < file_.image_bytes(); }

  /// Whether `address` lies in it, but in none of its functions: on the way into a library.
  bool leads_out(std::uintptr_t address) const {
    return contains(address) && file_.between_functions(address - base_);
  }

  /// Called by a signal's handler on this program's fibre: leaves main(). Does not return.
  [[noreturn]] void crash(const Crash& crash);
  /// The same, of a program that keeps its turn for too long.
  [[noreturn]] void end_turn(const Crash& where);

 private:
  /// What the copy points to, also when this is gone.
  struct Attached {
    Attached(LoadedProgram& program, int rank, RunRecord& record);
    LoadedProgram& program;
    NodeOutput output;
    std::array<char, HYPERTORUS_CALL_BYTES> unseen_call{};  ///< of nodes that have no record
    hypertorus_host host;
  };

  int enter(int argc, char** argv);
  void show(const host::Fibre* fibre);
  void refused(const std::string& why);
  void let_pass(Picoseconds time);
  [[noreturn]] void leave();
  static ssize_t write(void* node, int descriptor, const void* data, std::size_t bytes);
  static void end(void* node, hypertorus_end how, int code, const char* text);
  static void take_turn(void* node, void* place);
  static long long clock(void* node);
  std::string place(std::uintptr_t address) const;
  std::string function(std::uintptr_t address) const;
  std::string place_of_crash() const;

  int rank_;
  const ProgramFile& file_;
  RunRecord& record_;
  bool stops_in_debugger_ = false;
  double longest_turn_ = 0;
  bool machine_clock_ = false;
  qmp::CallProfile* profile_ = nullptr;
  std::atomic<Picoseconds> seen_on_clock_{0};
  std::unique_ptr<Attached> attached_;
  void* handle_ = nullptr;
  const hypertorus_program* entry_ = nullptr;
  std::uintptr_t base_ = 0;

  std::atomic<const host::Fibre*> fibre_{nullptr};  ///< other threads' signal handlers look
  sigjmp_buf way_out_{};
  State state_ = State::NotStarted;
  int exit_code_ = 0;
  std::string how_;  ///< it ended
  Crash crash_;
  const std::atomic<bool>* stop_ = nullptr;
  host::Runtime* runtime_ = nullptr;
  std::uintptr_t turn_at_ = 0;      ///< the block it gave up its turn in, if it has not got it back
  std::exception_ptr thrown_away_;  ///< meanwhile
  Picoseconds ended_at_ = 0;
  std::vector<std::string> refusals_;
  std::set<std::pair<const void*, const void*>> refused_at_;  ///< calls and callers
};

}  // namespace ht::program
