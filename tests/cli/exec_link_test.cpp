// SPDX-License-Identifier: Apache-2.0
// How programs are linked, loaded and built: functions that there are, copies, the installed
// package.
#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>
#include <tuple>
#include <utility>

#include "tests/cli/program.hpp"

using ht::test::compile_program;
using ht::test::contains;
using ht::test::Outcome;
using ht::test::run_exec;
using ht::test::ScratchFolder;
using ht::test::shell;

namespace {

const std::string source = HYPERTORUS_SOURCE;
const std::string wrappers = HYPERTORUS_BIN;

}  // namespace

TEST_CASE("programs link against all of QMP and uTofu, in the link and when they are loaded") {
  const ScratchFolder folder;
  std::set<std::string> names;
  for (const auto& [file, declaration, least] :
       {std::tuple{"/sw/qmp/qmp.h", "\\b(QMP_[a-z]\\w*)\\(\\w", 100},
        std::tuple{"/sw/tofu/utofu/utofu.h", "\\b(utofu_[a-z]\\w*)\\(\\w", 15}}) {
    std::ifstream in(source + file);
    std::stringstream header;
    header << in.rdbuf();
    const std::string text = header.str();
    const std::regex declared(declaration);
    std::set<std::string> found;
    for (std::sregex_iterator i(text.begin(), text.end(), declared), end; i != end; ++i)
      found.insert((*i)[1]);
    INFO(file);
    REQUIRE(found.size() >= static_cast<std::size_t>(least));
    names.merge(found);
  }
  {
    std::ofstream file(folder.file("all.c"));
    file << "#include <qmp.h>\n#include <utofu.h>\nvoid* volatile all[] = {\n";
    for (const std::string& name : names) file << "(void*)" << name << ",\n";
    // There are no barrier gates on this machine.
    file << "};\nint main(void) { return all[0] == 0 || utofu_barrier(0, 0) != "
            "UTOFU_ERR_NOT_AVAILABLE; }\n";
    std::ofstream(folder.file("none.c"))
        << "int QMP_nothing(void);\nint main(void) { return QMP_nothing(); }\n";
  }
  const std::string cc = "'" + wrappers + "/hypertorus-cc' -o '" + folder.file("all") + "' ";
  REQUIRE(shell(cc + "'" + folder.file("all.c") + "'") == 0);
  const Outcome outcome =
      run_exec({"--nodes", "1", "--network", "functional"}, {folder.file("all")});
  CHECK(outcome.code == 1);
  CHECK(contains(outcome.err,
                 "refused: utofu_barrier(): UTOFU_ERR_NOT_AVAILABLE; called from main()"));
  CHECK(shell(cc + "'" + folder.file("none.c") + "' 2>/dev/null") != 0);
}

TEST_CASE("a function of a machine that is not built may be linked, and who calls it is told") {
  namespace fs = std::filesystem;
  const ScratchFolder folder;
  // The program as it is where only the first machine was built. It looks beside itself.
  const fs::path built = HYPERTORUS_BUILD;
  const fs::path& tree = folder.path();
  fs::create_directories(tree / "bin");
  fs::create_directories(tree / "lib/hypertorus");
  fs::copy_file(built / "bin/hypertorus", tree / "bin/hypertorus");
  fs::create_symlink(built / "lib/libhypertorus.so", tree / "lib/libhypertorus.so");
  for (const auto& entry : fs::directory_iterator(built / "lib/hypertorus")) {
    const std::string name = entry.path().filename();
    if (!contains(name, "tofu")) fs::create_symlink(entry, tree / "lib/hypertorus" / name);
  }
  std::ofstream(folder.file("call.c"))
      << "#include <utofu.h>\n#include <qmp.h>\n"
         "int main(int argc, char** argv) {\n  QMP_thread_level_t level;\n  utofu_vcq_hdl_t vcq;\n"
         "  QMP_init_msg_passing(&argc, &argv, QMP_THREAD_SINGLE, &level);\n"
         "  if (argc > 1) utofu_create_vcq(0, 0, &vcq);\n"
         "  QMP_finalize_msg_passing();\n  return 0;\n}\n";
  REQUIRE(shell("'" + wrappers + "/hypertorus-cc' -o '" + folder.file("call") + "' '" +
                folder.file("call.c") + "'") == 0);
  const std::string run = "'" + (tree / "bin/hypertorus").string() +
                          "' exec --nodes 1 --network functional -- '" + folder.file("call") + "'";
  CHECK(shell(run + " >'" + folder.file("out") + "' 2>&1") == 0);
  CHECK(shell(run + " now >'" + folder.file("out") + "' 2>&1") == 1);
  std::ifstream in(folder.file("out"));
  std::stringstream said;
  said << in.rdbuf();
  INFO(said.str());
  CHECK(contains(said.str(), "utofu_create_vcq"));
  CHECK(contains(said.str(), "a function of a machine that is not built; build that machine"));
}

TEST_CASE("copies of a program are gone when it runs") {
  const ScratchFolder folder, temporary;
  const std::string program = compile_program(folder, "tests/cli/programs/trouble.c", "-O0");
  setenv("TMPDIR", temporary.path().c_str(), 1);
  const Outcome outcome = run_exec({"--nodes", "2", "--network", "functional"}, {program, "store"});
  unsetenv("TMPDIR");
  CHECK(outcome.code == 5);
  CHECK(std::filesystem::is_empty(temporary.path()));
}

TEST_CASE("the examples build against the installed CMake package") {
  const ScratchFolder folder;
  const std::string prefix = folder.file("pre,fix");
  const std::string log = " >'" + folder.file("log") + "' 2>&1";
  const std::string cmake = HYPERTORUS_CMAKE;
  REQUIRE(shell("'" + cmake + "' --install '" HYPERTORUS_BUILD "' --prefix '" + prefix + "'" +
                log) == 0);
  REQUIRE(shell("'" + cmake + "' -S '" + source + "/examples' -B '" + folder.file("build") +
                "' -D CMAKE_PREFIX_PATH='" + prefix + "'" + log) == 0);
  REQUIRE(shell("'" + cmake + "' --build '" + folder.file("build") + "'" + log) == 0);
  for (const char* example : {"hello", "halo_exchange", "ping_pong"})
    CHECK(
        run_exec({"--nodes", "2x1x1", "--network", "functional"}, {folder.file("build/") + example})
            .code == 0);

  // By QMP's own package, as QIO and QDP++ look for it.
  const auto runs = [&](const std::string& program) {
    return run_exec({"--nodes", "2x1x1", "--network", "functional"}, {folder.file(program)}).code ==
           0;
  };
  REQUIRE(std::filesystem::create_directory(folder.file("user")));
  std::ofstream(folder.file("user/CMakeLists.txt"))
      << "cmake_minimum_required(VERSION 3.17)\nproject(user VERSION 1 LANGUAGES C)\n"
         "find_package(QMP 2.5.3 REQUIRED)\nadd_library(layer STATIC halo_exchange.c)\n"
         "target_link_libraries(layer PUBLIC QMP::qmp)\nadd_executable(user hello.c)\n"
         "target_link_libraries(user QMP::qmp)\n"
         "add_library(number SHARED number.c)\ntarget_link_libraries(number PUBLIC QMP::qmp)\n"
         "add_executable(counts counts.c)\ntarget_link_libraries(counts number)\n";
  std::ofstream(folder.file("user/number.c"))
      << "#include <qmp.h>\nint nodes(void) { return QMP_get_number_of_nodes(); }\n";
  std::ofstream(folder.file("user/counts.c"))
      << "#include <qmp.h>\nint nodes(void);\nint main(int argc, char** argv) {\n"
         "  QMP_thread_level_t level;\n"
         "  QMP_init_msg_passing(&argc, &argv, QMP_THREAD_SINGLE, &level);\n"
         "  const int number = nodes();\n"
         "  QMP_finalize_msg_passing();\n  return number == 2 ? 0 : 1;\n}\n";
  for (const char* file : {"hello.c", "halo_exchange.c"})
    std::filesystem::copy(source + "/examples/" + file, folder.file("user/") + file);
  REQUIRE(shell("'" + cmake + "' -S '" + folder.file("user") + "' -B '" +
                folder.file("user-build") + "' -D CMAKE_PREFIX_PATH='" + prefix + "'" + log) == 0);
  REQUIRE(shell("'" + cmake + "' --build '" + folder.file("user-build") + "'" + log) == 0);
  CHECK(runs("user-build/user"));
  CHECK(runs("user-build/counts"));

  // By qmp-config, and by pkg-config where there is one: compiled, then linked.
  const std::string config = "'" + prefix + "/bin/qmp-config'";
  const std::string cc = "$(" + config + " --cc)";
  const std::string object = " '" + folder.file("hello.o") + "' ";
  CHECK(shell(cc + " $(" + config + " --copts --cflags) -c -o" + object + "'" + source +
              "/examples/hello.c'" + log) == 0);
  CHECK(shell(cc + " $(" + config + " --ldflags) -o '" + folder.file("by_config") + "'" + object +
              "$(" + config + " --libs)" + log) == 0);
  CHECK(runs("by_config"));
  CHECK(shell("test \"$(" + config + " --version)\" = 2.5.3") == 0);
  CHECK(shell("test -z \"$(" + config + " --everything 2>'" + folder.file("log") + "')\"") == 0);
  CHECK(shell(config + " --everything" + log) == 2);
  CHECK(shell(config + log) == 2);
  if (shell("command -v pkg-config" + log) != 0) return;
  const std::string pc =
      "PKG_CONFIG_PATH='" + prefix + "/lib/pkgconfig' pkg-config 'qmp >= 2.5.3' --cflags --libs";
  CHECK(shell(cc + " -o '" + folder.file("by_pc") + "' '" + source + "/examples/hello.c' $(" + pc +
              ")" + log) == 0);
  CHECK(runs("by_pc"));
}
