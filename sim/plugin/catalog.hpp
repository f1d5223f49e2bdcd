// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <atomic>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "sim/plugin/description.hpp"

namespace ht::machine {

/// A shared library of a build, open for as long as the process lives.
class Plugin {
 public:
  /// Opens it. Throws UsageError, one line with the remedy, if the file is not there, is of another
  /// build than this program, or does not load.
  explicit Plugin(const std::filesystem::path& file);

  /// What the function of that name, which it exports, returns: an object of the plug-in's. Throws
  /// UsageError if there is no such function.
  template <class Object>
  Object* object(const char* function) const {
    return reinterpret_cast<Object* (*)()>(symbol(function))();
  }
  /// From now on programs that are loaded find what it exports.
  void export_symbols() const;

 private:
  void* symbol(const char* name) const;

  std::filesystem::path file_;
  void* handle_;
};

/// The machines there are: plug-ins in the program's own folder, and in those that the environment
/// variable HYPERTORUS_MACHINES lists, separated by colons. A plug-in is the file
/// hypertorus-machine-NAME.so; what benchmarks and fault campaigns need of it besides is in
/// hypertorus-bench-NAME.so and hypertorus-campaign-NAME.so beside it.
class MachineCatalog {
 public:
  /// Looks for plug-ins and opens them. Those of the program's own folder that cannot be opened are
  /// refused when somebody asks for them. Throws UsageError for folders of HYPERTORUS_MACHINES that
  /// hold no machine, machines there that cannot be opened, two machines of one name, and a
  /// machine of another name than its file's.
  MachineCatalog();
  ~MachineCatalog();

  /// Those that could be opened: the tree's first, in its order, then by name.
  const std::vector<const MachineDescription*>& machines() const { return machines_; }
  /// The machine of that name, or the first for an empty one. Throws UsageError naming `command`
  /// and what there is.
  const MachineDescription& find(const std::string& command, const std::string& name) const;
  /// The machine with other values of its hardware's parameters, which parse_rtl_values() read: a
  /// variant, from the cache or built now (VariantFolder). The machine itself if nothing differs.
  /// `far`: "netlist", the hardware as it was routed for an FPGA (fpga/common/netlist.py) is there,
  /// too; "spoilt", with some of its tables inverted; empty: only the Verilog.
  /// Throws UsageError, DataError and what VariantFolder throws.
  const MachineDescription& variant(const MachineDescription& machine, const RtlValues& values,
                                    const std::string& far = {}) const;
  /// Whoever builds a variant shows its progress unless `quiet`, and ends once `stop` is set.
  void watch_builds(bool quiet, const std::atomic<bool>& stop);
  /// A part of a machine that is a library of its own, "bench" or "campaign": the object that it
  /// exports as hypertorus_PART. Throws UsageError.
  const void* part(const MachineDescription& machine, const std::string& part) const;
  /// Programs that are loaded find what machines export beside QMP.
  void export_symbols() const;

  /// Where the program's own plug-ins lie.
  static std::filesystem::path folder();

 private:
  void look_into(const std::filesystem::path& folder, bool own);

  struct Variants;

  std::map<std::string, std::filesystem::path> files_;  ///< by name
  std::map<std::string, std::unique_ptr<Plugin>> plugins_;
  std::map<std::string, std::string> refused_;  ///< why, by name
  std::vector<const MachineDescription*> machines_;
  std::unique_ptr<Variants> variants_;  ///< those that were asked for
};

}  // namespace ht::machine
