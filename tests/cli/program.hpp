// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/support/scratch_folder.hpp"

namespace ht::test {

/// What the program did: its exit code (128 + signal if it was killed) and what it printed.
struct Outcome {
  int code = -1;
  std::string out, err;
};

/// What the program finds around it.
struct Surroundings {
  std::string output;        ///< file for its standard output; empty: one that is read
  bool reader_gone = false;  ///< its standard output is a pipe that nobody reads
  std::size_t file_bytes =
      0;                    ///< its files may not grow beyond that, as on a full disk; 0: they may
  double signal_after = 0;  ///< seconds
  int signal = 0;           ///< sent then
  int ignored = 0;          ///< a signal that it finds ignored, as under nohup
};

/// Those in which standard output takes nothing: a full device, and a pipe that nobody reads.
std::vector<Surroundings> lost_outputs();

/// Runs the built `hypertorus` with these arguments and waits.
Outcome run_program_in(const Surroundings& surroundings, const std::vector<std::string>& arguments);

/// Runs the built `hypertorus` with these arguments and waits. With `interrupt_after` > 0 it is
/// sent SIGINT after that many seconds; with `ranks` > 1 it runs as that many processes under
/// mpirun.
Outcome run_program(const std::vector<std::string>& arguments, double interrupt_after = 0,
                    int ranks = 1);

/// All of a file; empty if there is none.
std::string content_of(const std::filesystem::path& file);

/// Whether a test of several MPI ranks cannot run with what was built; says so.
bool skipped_without_mpi();

/// Runs `hypertorus run` with --json and returns the file's content; requires exit code `code`.
nlohmann::json run_json(std::vector<std::string> arguments, int code = 0, int ranks = 1);

/// Exit code of a shell's command; -1 if a signal ended it.
int shell(const std::string& command);

/// Compiles a program of nodes, a file of this repository, with hypertorus-cc, or hypertorus-c++
/// for NAME.cpp; returns its path.
std::string compile_program(const ScratchFolder& folder, const std::string& file,
                            const std::string& options = "-g -O0");

/// The lines of a text.
std::vector<std::string> lines(const std::string& text);
/// What one node printed, in its order; `text` has "[node] " before each line.
std::vector<std::string> of_node(const std::string& text, int node);
bool contains(const std::string& text, const std::string& part);
/// `words`, and `more` behind them.
std::vector<std::string> with(std::vector<std::string> words, const std::vector<std::string>& more);

/// `hypertorus exec`, its options, and after -- the program with its arguments.
Outcome run_exec(std::vector<std::string> options, const std::vector<std::string>& command);

}  // namespace ht::test
