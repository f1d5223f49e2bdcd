// SPDX-License-Identifier: Apache-2.0
#include "sim/plugin/catalog.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <string_view>

#include "sim/plugin/build.hpp"
#include "sim/plugin/variant.hpp"
#include "sw/host/errors.hpp"
#include "sw/host/folder.hpp"
#include "sw/host/nearest.hpp"

namespace ht::machine {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view common = "hypertorus-", prefix = "hypertorus-machine-", suffix = ".so";

// The target that builds a plug-in: what cmake/HypertorusPlugins.cmake makes the file's name of.
std::string target_of(const fs::path& file) {
  const std::string stem = file.stem().string();
  return stem.starts_with(common) ? stem.substr(common.size()) : stem;
}

}  // namespace

Plugin::Plugin(const fs::path& file) : file_(file) {
  if (!fs::is_regular_file(file_))
    throw UsageError(fmt::format(
        "{}: there is no such plug-in; build it with cmake --build, target {}, or start "
        "the program by ./hypertorus, which builds what a command needs",
        file_.string(), target_of(file_)));
  const std::string build = build_of(file_);
  if (build != build_hash())
    throw UsageError(fmt::format(
        "{}: this plug-in is of {} and the program of build {:.12}; build both again, or "
        "remove the plug-in",
        file_.string(),
        build.empty() ? "no build of hypertorus" : fmt::format("build {:.12}", build),
        build_hash()));
  handle_ = dlopen(fs::absolute(file_).c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle_ == nullptr) {
    const char* const why = dlerror();
    throw UsageError(
        fmt::format("{}: this plug-in does not load: {}; build it again", file_.string(), why));
  }
}

void* Plugin::symbol(const char* name) const {
  void* const found = dlsym(handle_, name);
  if (found == nullptr)
    throw UsageError(
        fmt::format("{}: this plug-in has no {}; build it again", file_.string(), name));
  return found;
}

void Plugin::export_symbols() const {
  dlopen(fs::absolute(file_).c_str(), RTLD_NOW | RTLD_NOLOAD | RTLD_GLOBAL);
}

fs::path MachineCatalog::folder() {
  return fs::path(plugin_folder_beside(fs::read_symlink("/proc/self/exe").parent_path().string()));
}

/// Variants that were asked for; with the machines that they take the place of.
struct MachineCatalog::Variants {
  struct Variant {
    std::string machine;
    VariantFolder folder;
    std::unique_ptr<Plugin> plugin;
    const MachineDescription* description;
  };
  std::vector<Variant> variants;
  bool quiet = false;
  const std::atomic<bool>* stop = nullptr;

  Variant* of(const MachineDescription& machine) {
    const auto it = std::ranges::find(variants, &machine, &Variant::description);
    return it == variants.end() ? nullptr : &*it;
  }
};

MachineCatalog::~MachineCatalog() = default;

MachineCatalog::MachineCatalog() : variants_(std::make_unique<Variants>()) {
  look_into(folder(), true);
  const char* const list = std::getenv("HYPERTORUS_MACHINES");
  std::string_view rest = list == nullptr ? "" : list;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find(':'), rest.size());
    if (end > 0) look_into(fs::path(rest.substr(0, end)), false);
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  std::vector<std::string> order;
  for (const std::string& name : machines_of_the_tree()) {
    if (files_.count(name) > 0) order.push_back(name);
  }
  for (const auto& [name, file] : files_) {
    if (std::ranges::find(order, name) == order.end()) order.push_back(name);
  }
  for (const std::string& name : order) {
    const auto it = plugins_.find(name);
    if (it == plugins_.end()) continue;
    const auto* machine = it->second->object<const MachineDescription>("hypertorus_machine");
    if (machine->name() != name)
      throw UsageError(
          fmt::format("{}: this plug-in is of a machine called {}, and its file must be "
                      "called {}{}{}; give both one name, or remove the file",
                      files_[name].string(), machine->name(), prefix, machine->name(), suffix));
    machines_.push_back(machine);
  }
}

void MachineCatalog::look_into(const fs::path& folder, bool own) {
  bool any = false;
  for (const std::string& file : host::names_in(folder)) {
    if (!file.starts_with(prefix) || !file.ends_with(suffix)) continue;
    any = true;
    const std::string name =
        file.substr(prefix.size(), file.size() - prefix.size() - suffix.size());
    if (files_.count(name) > 0)
      throw UsageError(
          fmt::format("{} and {} are both machines called {}; take one of them out of "
                      "HYPERTORUS_MACHINES",
                      files_[name].string(), (folder / file).string(), name));
    files_[name] = folder / file;
    try {
      plugins_[name] = std::make_unique<Plugin>(folder / file);
    } catch (const UsageError& e) {
      if (!own) throw;
      refused_[name] = e.what();
    }
  }
  if (!any && !own)
    throw UsageError(fmt::format(
        "HYPERTORUS_MACHINES: {} {}; name a folder with a "
        "hypertorus-machine-NAME.so in it",
        folder.string(), fs::is_directory(folder) ? "holds no machine" : "is no folder"));
}

const MachineDescription& MachineCatalog::find(const std::string& command,
                                               const std::string& name) const {
  const std::string wanted = name.empty() ? machines_of_the_tree().front() : name;
  for (const MachineDescription* machine : machines_) {
    if (machine->name() == wanted) return *machine;
  }
  if (const auto it = refused_.find(wanted); it != refused_.end()) throw UsageError(it->second);
  std::vector<std::string> known;
  for (const MachineDescription* machine : machines_) known.push_back(machine->name());
  const auto& tree = machines_of_the_tree();
  if (std::ranges::find(tree, wanted) != tree.end())
    throw UsageError(
        fmt::format("{} {}: that machine is not built; build it with "
                    "./hypertorus {} {} or cmake --build, target machine-{}",
                    command, wanted, command, wanted, wanted));
  throw UsageError(fmt::format("{} {}: must be one of {}{}", command, wanted,
                               fmt::join(known, ", "), host::did_you_mean(wanted, known)));
}

void MachineCatalog::watch_builds(bool quiet, const std::atomic<bool>& stop) {
  variants_->quiet = quiet;
  variants_->stop = &stop;
}

const MachineDescription& MachineCatalog::variant(const MachineDescription& machine,
                                                  const RtlValues& values,
                                                  const std::string& far) const {
  const RtlValues others = unusual(machine, values);
  if (others.empty() && far.empty()) return machine;
  VariantFolder folder(machine.name(), others, far);
  const fs::path file = folder.plugin("machine", variants_->quiet, variants_->stop);
  auto plugin = std::make_unique<Plugin>(file);
  const auto* const description = plugin->object<const MachineDescription>("hypertorus_machine");
  variants_->variants.push_back(
      {machine.name(), std::move(folder), std::move(plugin), description});
  return *description;
}

const void* MachineCatalog::part(const MachineDescription& machine, const std::string& part) const {
  const fs::path file = files_.at(machine.name()).parent_path() /
                        fmt::format("hypertorus-{}-{}.so", part, machine.name());
  const std::string exported = fmt::format("hypertorus_{}", part);
  // Libraries of the machine's own part are what a variant of it takes.
  const Plugin plugin(file);
  if (Variants::Variant* const variant = variants_->of(machine))
    return Plugin(variant->folder.plugin(part, variants_->quiet, variants_->stop))
        .object<const void>(exported.c_str());
  return plugin.object<const void>(exported.c_str());
}

void MachineCatalog::export_symbols() const {
  for (const auto& [name, plugin] : plugins_) {
    if (std::ranges::find(variants_->variants, name, &Variants::Variant::machine) ==
        variants_->variants.end())
      plugin->export_symbols();
  }
  for (const auto& variant : variants_->variants) variant.plugin->export_symbols();
}

}  // namespace ht::machine
