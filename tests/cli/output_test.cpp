// SPDX-License-Identifier: Apache-2.0
// Where results go: what is given as a file stays what it is, and what cannot be written ends the
// run with a line and a code.
#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <thread>

#include "tests/cli/output_runs.hpp"

using namespace ht::test;
using Json = nlohmann::json;
namespace fs = std::filesystem;

namespace {

// What writes one file of that name.
struct Writer {
  const char* what;
  Words words;
  std::string suffix;  // of the file, after the name that is given
};

std::vector<Writer> writers(const std::string& name) {
  return {{"JSON", with(functional, {"--json", name}), ""},
          {"solution", with(functional, {"--save-solution", name}), ""},
          {"configuration", {"gauge", "generate", name, "--lattice", "2x2x2x2", "--quiet"}, ""},
          {"page", with(functional, {"--report", name + ".html"}), ".html"}};
}

bool is_of_kind(const std::string& file, mode_t kind) {
  struct stat status {};
  return lstat(file.c_str(), &status) == 0 && (status.st_mode & S_IFMT) == kind;
}

}  // namespace

TEST_CASE("a symbolic link is written through and stays one") {
  for (const bool exists : {false, true}) {
    const ScratchFolder folder;
    for (const Writer& w : writers(folder.file("link"))) {
      INFO(w.what << (exists ? ", over a file" : ", to nothing yet"));
      const std::string link = folder.file("link") + w.suffix, target = folder.file("target");
      if (exists) std::ofstream(target) << R"({"schema_version": 1})";
      fs::create_symlink("target", link);
      CHECK(run_program(w.words).code == 0);
      CHECK(is_of_kind(link, S_IFLNK));
      CHECK(is_of_kind(target, S_IFREG));
      CHECK(fs::file_size(target) > 100);
      fs::remove(link);
      fs::remove(target);
    }
  }
}

TEST_CASE("a file that another run writes for as long as it lasts is refused") {
  const ScratchFolder folder;
  const std::string name = folder.file("name");
  const Writer streams[] = {
      {"timeline", with(simulated, {"--timeline", name}), ""},
      {"packets", with(simulated, {"--pcap", name}), ".pcapng"},
      {"waves", with(simulated, {"--trace", name, "--trace-nodes", "0", "--trace-to", "1us"}),
       ".node0.fst"}};
  for (const Writer& w : streams) {
    INFO(w.what);
    const std::string file = name + w.suffix;
    std::ofstream(file) << "of another";
    const int held = open(file.c_str(), O_RDONLY | O_CLOEXEC);
    REQUIRE(flock(held, LOCK_EX) == 0);
    const Outcome refused = run_program(w.words);
    INFO(refused.err);
    CHECK(refused.code == 3);
    CHECK(one_line(refused));
    CHECK(
        contains(refused.err, file + ": another run writes it, too; give each a file of its own"));
    CHECK(content(file) == "of another");
    close(held);
    CHECK(run_program(w.words).code == 0);
    CHECK(content(file) != "of another");
  }
  // Nobody minds on a device.
  const int held = open("/dev/null", O_RDONLY | O_CLOEXEC);
  REQUIRE(flock(held, LOCK_EX) == 0);
  CHECK(run_program(with(simulated, {"--timeline", "/dev/null"})).code == 0);
  close(held);
}

TEST_CASE("of two runs that write one file at once one is refused, and the file is whole") {
  const ScratchFolder folder;
  const std::string file = folder.file("timeline");
  const Words words = with(simulated, {"--timeline", file});
  Outcome first;
  std::thread other([&] { first = run_program(words); });
  const Outcome second = run_program(with(words, {"--lost", "30", "--error-span", "60us"}));
  other.join();
  INFO(first.err << second.err);
  // Whoever comes after the other's end is welcome.
  CHECK(((first.code == 0 && (second.code == 0 || second.code == 3)) ||
         (first.code == 3 && second.code == 0)));
  CHECK(Json::accept(content(file)));
}

TEST_CASE("a FIFO is written through and stays one") {
  const ScratchFolder folder;
  for (const Writer& w : writers(folder.file("fifo"))) {
    // What was written is read back for verification: a FIFO has it no more.
    if (std::string(w.what) == "configuration") continue;
    INFO(w.what);
    const std::string fifo = folder.file("fifo") + w.suffix;
    REQUIRE(mkfifo(fifo.c_str(), 0600) == 0);
    std::string got;
    std::thread reader([&] { got = content(fifo); });
    CHECK(run_program(w.words).code == 0);
    // Had nobody opened it for writing, the reader would wait for ever.
    close(open(fifo.c_str(), O_WRONLY | O_NONBLOCK));
    reader.join();
    CHECK(is_of_kind(fifo, S_IFIFO));
    CHECK(got.size() > 100);
    fs::remove(fifo);
  }
}

TEST_CASE("a file that is replaced keeps its permissions, and nothing is left beside it") {
  const ScratchFolder folder;
  for (const Writer& w : writers(folder.file("file"))) {
    INFO(w.what);
    const std::string file = folder.file("file") + w.suffix;
    std::ofstream(file) << R"({"schema_version": 1})";
    fs::permissions(file, fs::perms(0640));
    CHECK(run_program(w.words).code == 0);
    CHECK(fs::status(file).permissions() == fs::perms(0640));
    for (const auto& entry : fs::directory_iterator(folder.path()))
      CHECK(entry.path().filename().string().find("part") == std::string::npos);
    fs::remove(file);
  }
}

TEST_CASE("a document takes no other file's place") {
  const ScratchFolder folder;
  const std::string field = folder.file("field");
  REQUIRE(run_program({"gauge", "generate", field, "--lattice", "2x2x2x2", "--quiet"}).code == 0);
  const std::string before = content(field);
  const auto refused = [](const Words& words) {
    const Outcome outcome = run_program(words);
    INFO(outcome.err);
    CHECK(outcome.code == 3);
    CHECK(one_line(outcome));
    CHECK(outcome.err.find("is no document that --json wrote; name another one") !=
          std::string::npos);
  };
  refused(with(functional, {"--json", field}));
  CHECK(content(field) == before);
  // JSON of others, and days of a campaign, are no documents of ours either.
  const std::string json = folder.file("json");
  for (const char* const other : {"{}", "[1]", R"({"my": "own"})", R"({"schema_version"})"}) {
    std::ofstream(json) << other;
    refused(with(functional, {"--json", json}));
    CHECK(content(json) == other);
  }
  const std::string runs = folder.file("runs");
  const Words campaign{"inject", "qpace", "--runs", "1", "--nodes", "2", "--quiet"};
  REQUIRE(run_program(with(campaign, {"--resume", runs})).code == 0);
  refused(with(campaign, {"--json", runs}));
  // Of its own it does, and of an empty file.
  for (const char* const old : {"", " \n", "{ \"schema_version\" : 1, \"of\": \"old\"}"}) {
    std::ofstream(json) << old;
    CHECK(run_program(with(functional, {"--json", json})).code == 0);
    CHECK(Json::parse(content(json))["exit_code"] == 0);
  }
}

TEST_CASE("a file that two options name is refused before work begins") {
  const ScratchFolder folder;
  const std::string file = folder.file("file");
  const std::string field = folder.file("field");
  REQUIRE(run_program({"gauge", "generate", field, "--lattice", "2x2x2x2", "--quiet"}).code == 0);
  const std::string before = content(field);
  fs::create_symlink("field", folder.file("link"));
  const auto refused = [&](const Words& words, const std::string& said) {
    const Outcome outcome = run_program(words);
    INFO(outcome.err);
    CHECK(outcome.code == 2);
    CHECK(one_line(outcome));
    CHECK(outcome.err.find(said + " names the same file; name another one") != std::string::npos);
    CHECK_FALSE(fs::exists(file));
    CHECK(content(field) == before);
  };
  refused(with(functional, {"--json", file, "--save-solution", folder.file("./file")}), "--json");
  refused(with(simulated, {"--timeline", file, "--json", file}), "--json");
  refused(with(simulated, {"--report", file + ".html", "--save-solution", file + ".html"}),
          "--save-solution");
  refused({"run", "--config", field, "--save-solution", folder.file("link")}, "--config");
  refused({"evolve", "--config", field, "--save", folder.file("link")}, "--config");
  refused({"gauge", "info", field, "--json", field}, "the gauge file");
  refused({"gauge", "convert", field, folder.file("link")}, "the gauge file");
  refused({"gauge", "convert", field, file, "--json", file}, "--json");
  refused({"solution", "compare", "a", field, "--json", field}, "B");
  refused({"report", field, "b", "--json", field}, "A");
  const Words campaign{"inject", "qpace", "--runs", "1", "--nodes", "2"};
  refused(with(campaign, {"--resume", file, "--json", file}), "--resume");
  refused(with(campaign, {"--soak", "other", "--soak", file, "--json", file}), "--soak");
  refused({"exec", "--json", file, "--timeline", file, "--", "program"}, "--json");
  // Written through a link that leads to nothing yet, and through one that leads to that.
  fs::create_symlink("file", folder.file("hanging"));
  fs::create_symlink(folder.file("hanging"), folder.file("link to hanging"));
  for (const char* const link : {"hanging", "link to hanging"})
    refused(with(functional, {"--json", file, "--save-solution", folder.file(link)}), "--json");
  // Names that an option makes of its own.
  const auto named = [&](const std::string& name) {
    fs::copy_file(field, folder.file(name), fs::copy_options::overwrite_existing);
    return folder.file(name);
  };
  const auto refused_made = [&](const Words& words, const std::string& made, const char* said) {
    refused(words, made + ": " + said);
  };
  refused_made(with({"run", "--nodes", "2"},
                    {"--config", named("s.node1.gtkw"), "--trace", folder.file("s")}),
               "--trace " + folder.file("s.node1.gtkw"), "--config");
  refused_made(with({"run", "--nodes", "2"},
                    {"--config", named("r.time.svg"), "--report", folder.file("r.html")}),
               "--report " + folder.file("r.time.svg"), "--config");
  refused_made(with({"run", "--nodes", "2"}, {"--config", named("c.node1.1"), "--checkpoint", "1",
                                              "--checkpoint-files", folder.file("c")}),
               "--checkpoint-files " + folder.file("c.node1.1"), "--config");
  refused_made(with(simulated, {"--json", folder.file("t.node0.fst"), "--trace", folder.file("t")}),
               "--trace " + folder.file("t.node0.fst"), "--json");
  const auto evolve = [&](const Words& more) {
    return with({"evolve", "--network", "functional", "--nodes", "1", "--trajectories", "3"}, more);
  };
  refused_made(evolve({"--config", named("e.2"), "--save", folder.file("e"), "--save-every", "1"}),
               "--save " + folder.file("e.2"), "--config");
  refused_made(
      evolve({"--json", folder.file("n.0"), "--save", folder.file("n"), "--save-every", "1"}),
      "--json " + folder.file("n.0"), "--save");
  // Those that are made of it later take nobody's place.
  CHECK(run_program(evolve({"--config", folder.file("e.2"), "--save", folder.file("e"),
                            "--save-every", "1", "--first", "3", "--quiet"}))
            .code == 0);
  CHECK(content(folder.file("e.2")) == before);
  // A device is none that takes another's place.
  CHECK(
      run_program(with(functional, {"--json", "/dev/null", "--save-solution", "/dev/null"})).code ==
      0);
}

TEST_CASE("a document goes to standard output") {
  for (const char* const name : {"-", "/dev/stdout"}) {
    const Outcome outcome = run_program({"gauge", "info", "--json", name, "--quiet", "absent"});
    CHECK(outcome.code == 3);
    CHECK(Json::parse(outcome.out)["exit_code"] == 3);
  }
}

TEST_CASE("a FIFO that nobody reads ends the command when it is asked to end") {
  const ScratchFolder folder;
  const std::string fifo = folder.file("fifo");
  REQUIRE(mkfifo(fifo.c_str(), 0600) == 0);
  Surroundings around;
  around.signal = SIGTERM;
  around.signal_after = 1;
  const Outcome outcome = run_program_in(around, with(functional, {"--save-solution", fifo}));
  CHECK(outcome.code == 130);
  CHECK(outcome.err.find("did not end within ten seconds") != std::string::npos);
}

TEST_CASE("what can never be written is refused before work begins") {
  const ScratchFolder folder;
  fs::create_directory(folder.file("folder"));
  fs::create_symlink("round", folder.file("round"));
  fs::create_symlink("folder/no/file", folder.file("nowhere"));
  REQUIRE(mkfifo(folder.file("w.node0.fst").c_str(), 0600) == 0);
  const Words endless{"run",       "qpace", "--nodes",     "2",     "--lattice", "8x8x8x8",
                      "--columns", "12",    "--tolerance", "1e-14", "--quiet"};
  for (const auto& [option, name] : {std::pair<std::string, std::string>{"--json", "folder"},
                                     {"--json", "no/file"},
                                     {"--json", "round"},
                                     {"--json", "nowhere"},
                                     {"--json", std::string(300, 'x')},
                                     {"--save-solution", "no/file"},
                                     {"--report", "no/file.html"},
                                     {"--pcap", "no/file"},
                                     {"--trace", "no/file"},
                                     {"--trace", "w"}}) {
    INFO(option << ' ' << name);
    const Outcome outcome = run_program(with(endless, {option, folder.file(name)}));
    INFO(outcome.err);
    CHECK(outcome.code == 3);
    CHECK(one_line(outcome));
    CHECK(outcome.out.empty());
  }
}

TEST_CASE("a disk that is full ends the run with one line and code 3, or all is there") {
  for (const std::size_t bytes : {100U, 1000U, 3000U, 10'000U, 1'000'000U}) {
    const ScratchFolder folder;
    for (const Writer& w : writers(folder.file("file"))) {
      INFO(w.what << ", " << bytes << " bytes");
      Surroundings around;
      around.file_bytes = bytes;
      around.output = "/dev/null";
      const Outcome outcome = run_program_in(around, w.words);
      INFO(outcome.err);
      const bool there = fs::exists(folder.file("file") + w.suffix);
      CHECK((outcome.code == 0) == there);
      if (outcome.code != 0) {
        CHECK(outcome.code == 3);
        CHECK(outcome.err.starts_with("hypertorus: cannot write"));
      }
      if (bytes == 1'000'000U) CHECK(outcome.code == 0);
      for (const auto& entry : fs::directory_iterator(folder.path())) fs::remove(entry);
    }
  }
}

TEST_CASE("waves and packets on a full disk end the run with one line and code 3") {
  for (const std::size_t bytes : {1000U, 20'000U, 100'000U, 400'000U, 100'000'000U}) {
    for (const char* option : {"--trace", "--pcap"}) {
      const ScratchFolder folder;
      Words words = with(simulated, {option, folder.file("file"), "--json", folder.file("json")});
      if (std::string(option) == "--trace") words = with(words, {"--trace-nodes", "0"});
      INFO(option << ", " << bytes << " bytes");
      Surroundings around;
      around.file_bytes = bytes;
      const Outcome outcome = run_program_in(around, words);
      INFO(outcome.err);
      if (bytes == 100'000'000U) {
        CHECK(outcome.code == 0);
      } else if (outcome.code != 0 || bytes < 20'000U) {
        CHECK(outcome.code == 3);
        if (bytes < 20'000U) continue;  // there the JSON document does not fit either
        CHECK(one_line(outcome));
        CHECK(Json::parse(content(folder.file("json")))["exit_code"] == 3);
      }
    }
  }
}

TEST_CASE("standard output that is lost ends the command with one line and code 3") {
  const ScratchFolder folder;
  const std::string json = folder.file("json");
  for (const Words& words :
       {with(functional, {"--json", json}), Words{"bench", "cell", "--json", json},
        Words{"gauge", "generate", folder.file("field"), "--lattice", "2x2x2x2", "--json", json}}) {
    for (const Surroundings& around : lost_outputs()) {
      INFO(words.front() << (around.reader_gone ? " | nobody" : " > /dev/full"));
      const Outcome outcome = run_program_in(around, words);
      INFO(outcome.err);
      CHECK(outcome.code == 3);
      CHECK(one_line(outcome));
      CHECK(outcome.err.find("standard output") != std::string::npos);
      CHECK(Json::parse(content(json))["exit_code"] == 3);
    }
  }
}
