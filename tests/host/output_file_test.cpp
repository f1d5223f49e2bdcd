// SPDX-License-Identifier: Apache-2.0
// Files as a whole: complete or not there, and never another kind than before.
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <csignal>
#include <cstdio>
#include <fstream>

#include "sw/host/errors.hpp"
#include "sw/host/output_file.hpp"
#include "tests/support/scratch_folder.hpp"

using namespace ht;
using ht::test::ScratchFolder;
namespace fs = std::filesystem;

namespace {

std::string content(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace

TEST_CASE("a file is written whole, over what was there") {
  const ScratchFolder folder;
  for (const std::size_t bytes : {0U, 1U, 4096U, 1'000'003U}) {
    const std::string text(bytes, 'x');
    host::check_writable(folder.file("file"));
    host::write_file(folder.file("file"), text);
    CHECK(content(folder.file("file")) == text);
  }
}

TEST_CASE("a check leaves nothing behind, and what is there as it is") {
  const ScratchFolder folder;
  host::check_writable(folder.file("new"));
  CHECK_FALSE(fs::exists(folder.file("new")));
  std::ofstream(folder.file("old")) << "text";
  host::check_writable(folder.file("old"));
  CHECK(content(folder.file("old")) == "text");
}

TEST_CASE("links are followed through several steps and folders") {
  const ScratchFolder folder;
  fs::create_directory(folder.file("a"));
  fs::create_symlink("../second", folder.file("a/first"));
  fs::create_symlink(folder.file("a/third"), folder.file("second"));
  CHECK(host::link_target(folder.file("a/first")) == fs::path(folder.file("a/third")));
  host::check_writable(folder.file("a/first"));
  CHECK_FALSE(fs::exists(folder.file("a/third")));
  host::write_file(folder.file("a/first"), "text");
  CHECK(content(folder.file("a/third")) == "text");
  CHECK(fs::is_symlink(folder.file("second")));
}

TEST_CASE("a device takes what it gets or refuses it, and stays one") {
  // Not the system's own: a program that replaces them would leave a file in their place.
  const ScratchFolder folder;
  const std::string null = folder.file("null"), full = folder.file("full");
  if (mknod(null.c_str(), S_IFCHR | 0600, makedev(1, 3)) != 0 ||
      mknod(full.c_str(), S_IFCHR | 0600, makedev(1, 7)) != 0 || !std::ofstream(null)) {
    std::puts("SKIPPED: devices cannot be made here");
    return;
  }
  host::write_file(null, "text");
  CHECK(fs::is_character_file(null));
  CHECK_THROWS_AS(host::write_file(full, "text"), DataError);
  CHECK(fs::is_character_file(full));
}

TEST_CASE("what can never be written is refused with its name") {
  const ScratchFolder folder;
  fs::create_symlink("b", folder.file("a"));
  fs::create_symlink("a", folder.file("b"));
  std::ofstream(folder.file("file")) << "text";
  REQUIRE(mkfifo(folder.file("fifo").c_str(), 0600) == 0);
  for (const std::string& name :
       {std::string("no/file"), std::string("a"), std::string("file/below"), std::string("."),
        std::string(300, 'x')}) {
    INFO(name);
    CHECK_THROWS_WITH(host::check_writable(folder.file(name)),
                      Catch::Contains("cannot write " + folder.file(name)));
  }
  CHECK_THROWS_AS(host::check_writable(""), DataError);
  host::check_writable(folder.file("fifo"));
  CHECK_THROWS_AS(host::check_writable_regular(folder.file("fifo")), DataError);
}

TEST_CASE("what symbolic links lead to is whole, or as it was, and open files stay the same") {
  const ScratchFolder folder;
  std::ofstream(folder.file("target")) << "old";
  fs::create_symlink("target", folder.file("link"));
  {
    // No room: it had been emptied before it was written.
    rlimit before{};
    getrlimit(RLIMIT_FSIZE, &before);
    const auto ignored = std::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{1, before.rlim_max};
    setrlimit(RLIMIT_FSIZE, &limit);
    CHECK_THROWS_WITH(host::write_file(folder.file("link"), "new text"),
                      Catch::Contains("cannot write " + folder.file("link")));
    setrlimit(RLIMIT_FSIZE, &before);
    std::signal(SIGXFSZ, ignored);
  }
  CHECK(content(folder.file("target")) == "old");
  host::write_file(folder.file("link"), "new text");
  CHECK(content(folder.file("target")) == "new text");
  CHECK(fs::is_symlink(folder.file("link")));
  // As /dev/stdout is, behind a redirection.
  const int open_file = open(folder.file("target").c_str(), O_RDWR | O_CLOEXEC);
  host::write_file("/proc/self/fd/" + std::to_string(open_file), "through");
  CHECK(write(open_file, "!", 1) == 1);
  close(open_file);
  CHECK(content(folder.file("target")) == "through!");
  // And behind >>: what is there stays, and what comes next stands behind it.
  const int appended = open(folder.file("target").c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
  host::write_file("/dev/fd/" + std::to_string(appended), "more");
  CHECK(write(appended, ".", 1) == 1);
  close(appended);
  CHECK(content(folder.file("target")) == "through!more.");
}
