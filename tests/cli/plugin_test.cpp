// SPDX-License-Identifier: Apache-2.0
// Machines and commands are plug-ins: those that cannot be taken are refused with one line and exit
// code 2, and what the program shares with them is there once.
#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "tests/cli/program.hpp"

namespace fs = std::filesystem;
using ht::test::Outcome;
using ht::test::run_program;
using ht::test::ScratchFolder;
using ht::test::shell;

namespace {

const fs::path plugins = HYPERTORUS_PLUGINS;
const std::string first = HYPERTORUS_FIRST_MACHINE;

std::string read(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

// Runs it with HYPERTORUS_MACHINES set.
Outcome run_with(const std::string& machines, const std::vector<std::string>& arguments) {
  setenv("HYPERTORUS_MACHINES", machines.c_str(), 1);
  const Outcome outcome = run_program(arguments);
  unsetenv("HYPERTORUS_MACHINES");
  return outcome;
}

void check_refused(const Outcome& outcome, const std::vector<std::string>& names) {
  INFO(outcome.err);
  CHECK(outcome.code == 2);
  CHECK(std::count(outcome.err.begin(), outcome.err.end(), '\n') == 1);
  for (const std::string& name : names) CHECK(outcome.err.find(name) != std::string::npos);
}

fs::path plugin(const std::string& name) {
  return plugins / ("hypertorus-machine-" + name + ".so");
}

// The strong symbols that a library defines.
std::set<std::string> defined(const fs::path& library) {
  std::set<std::string> names;
  const std::string command = "nm -D --defined-only '" + library.string() + "'";
  FILE* const pipe = popen(command.c_str(), "r");
  REQUIRE(pipe != nullptr);
  std::array<char, 4096> line{};
  while (fgets(line.data(), line.size(), pipe) != nullptr) {
    std::istringstream words(line.data());
    std::string address, type, name;
    words >> address >> type >> name;
    if (type == "T" || type == "D" || type == "B" || type == "R") names.insert(name);
  }
  REQUIRE(pclose(pipe) == 0);
  return names;
}

}  // namespace

TEST_CASE("a machine that is not there is named, with those that are") {
  check_refused(run_program({"run", first + "x"}), {"run " + first + "x", "did you mean " + first});
}

TEST_CASE("folders of machines outside: one that is none, or holds none, is refused") {
  const ScratchFolder folder;
  check_refused(run_with(folder.file("none"), {"run"}), {"none", "hypertorus-machine-NAME.so"});
  check_refused(run_with(folder.path(), {"run"}), {"holds no machine"});
}

TEST_CASE("two machines of one name are refused, both files named") {
  const ScratchFolder folder;
  const std::string name = plugin(first).filename();
  fs::copy_file(plugin(first), folder.file(name));
  check_refused(run_with(folder.path(), {"run"}), {folder.file(name), plugins.filename(), first});
}

TEST_CASE("a machine of another name than its file's is refused, both names given") {
  const ScratchFolder folder;
  const std::string file = folder.file("hypertorus-machine-other.so");
  fs::copy_file(plugin(first), file);
  for (const char* const command : {"run", "inject"})
    check_refused(run_with(folder.path(), {command}), {file, "called " + first + ",", "remove"});
}

TEST_CASE("a plug-in of another build, of none, and one that does not load are refused") {
  const ScratchFolder folder;
  const std::string file = folder.file("hypertorus-machine-other.so");
  const std::string good = read(plugin(first));
  const std::string mark = "hypertorus build mark: ";
  const std::size_t at = good.find(mark);
  REQUIRE(at != std::string::npos);
  std::string changed = good;
  char& digit = changed[at + mark.size()];
  digit = digit == '0' ? '1' : '0';
  std::ofstream(file, std::ios::binary) << changed;
  check_refused(run_with(folder.path(), {"run"}), {file, "of build", "build both again"});

  std::ofstream(file, std::ios::binary) << "no library";
  check_refused(run_with(folder.path(), {"run"}), {file, "no build of hypertorus"});

  // Whole and with the right mark, but for another processor; and without its end.
  std::string foreign = good;
  constexpr std::size_t elf_machine = 18;
  foreign[elf_machine] = static_cast<char>(foreign[elf_machine] ^ 1);
  std::ofstream(file, std::ios::binary) << foreign;
  check_refused(run_with(folder.path(), {"run"}), {file, "does not load"});
  for (const std::size_t length : {at + mark.size() + 32, good.size() / 2, good.size() - 1}) {
    std::ofstream(file, std::ios::binary) << good.substr(0, length);
    check_refused(run_with(folder.path(), {"run"}), {file, "no build of hypertorus"});
  }
}

TEST_CASE("a command that was not built is refused, and the target that builds it is named") {
  const ScratchFolder folder;
  fs::create_directories(folder.file("bin"));
  fs::copy_file(HYPERTORUS_BIN "/hypertorus", folder.file("bin/hypertorus"));
  const std::string library = plugins.parent_path();
  for (const std::string name : {"exec", "inject"}) {
    const std::string err = folder.file("err");
    const int code = shell("LD_LIBRARY_PATH='" + library + "' '" + folder.file("bin/hypertorus") +
                           "' " + name + " > '" + folder.file("out") + "' 2> '" + err + "'");
    check_refused({code, "", read(err)}, {"hypertorus-command-" + name + ".so: there is no such",
                                          "target command-" + name + ","});
  }
}

TEST_CASE("what the program and its plug-ins share is there once") {
  const std::set<std::string> core = defined(plugins.parent_path() / "libhypertorus.so");
  REQUIRE(core.size() > 500);
  int looked_at = 0;
  for (const auto& entry : fs::directory_iterator(plugins)) {
    if (entry.path().extension() != ".so") continue;
    ++looked_at;
    for (const std::string& name : defined(entry.path())) {
      // of libgcov, which the preset coverage has in each library
      if (name.rfind("__gcov", 0) == 0 || name == "mangle_path") continue;
      INFO(entry.path() << ": " << name);
      CHECK(core.count(name) == 0);
    }
  }
  CHECK(looked_at >= 10);
}
