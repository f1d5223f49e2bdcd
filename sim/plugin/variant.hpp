// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <atomic>
#include <filesystem>
#include <string>

#include "sim/plugin/rtl_parameters.hpp"

namespace ht::machine {

/// Plug-ins of a machine with other values of its Verilog's parameters, in
/// $XDG_CACHE_HOME/hypertorus/variants (~/.cache if that is not set), a folder for each machine,
/// values, sources and compiler.
///
///     NAME-PARAMETER-VALUE-0123456789abcdef/
///       lock          held by whoever builds here, and by all that it started
///       build.log     what CMake, Verilator and the compiler said
///       build/        the build tree
///       hypertorus-machine-NAME.so, ...      finished plug-ins: they appear whole
///
/// Only what depends on the Verilog is built; the rest is taken from the program's own build tree.
/// A variant with a routed netlist in it, besides (MachineCatalog::variant, `far`): netlist and
/// tools are in build/fpga of the source tree.
class VariantFolder {
 public:
  /// Of the program's own build tree and sources. Throws UsageError for a program that is not in a
  /// build tree; DataError if the cache cannot be written.
  VariantFolder(const std::string& machine, const RtlValues& values, const std::string& far);

  const std::filesystem::path& path() const { return path_; }
  /// The plug-in `part` ("machine", "bench" or "campaign"), built if it is not there, one process
  /// at a time; progress goes to stderr unless `quiet`. Throws InterruptedError once `stop` is set;
  /// BuildError, with the log's name.
  std::filesystem::path plugin(const std::string& part, bool quiet, const std::atomic<bool>* stop);

 private:
  void build(const std::string& part, bool quiet, const std::atomic<bool>* stop);

  std::string machine_;
  RtlValues values_;
  std::string far_;
  std::string option_;          ///< that asked for it, for errors
  std::filesystem::path tree_;  ///< the program's build tree
  std::string key_;
  std::filesystem::path path_;
};

}  // namespace ht::machine
