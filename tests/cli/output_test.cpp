// SPDX-License-Identifier: Apache-2.0
// Where results go: what is given as a file stays what it is, what cannot be written ends the run
// with a line and a code, and whatever the end, the JSON document has it.
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <thread>

#include "tests/cli/program.hpp"

using ht::test::lost_outputs;
using ht::test::Outcome;
using ht::test::run_program;
using ht::test::run_program_in;
using ht::test::ScratchFolder;
using ht::test::Surroundings;
using Json = nlohmann::json;
namespace fs = std::filesystem;

namespace {

using Words = std::vector<std::string>;

const Words functional{"run",       "qpace",   "--network",   "functional", "--nodes", "2",
                       "--lattice", "4x2x2x2", "--tolerance", "1e-3",       "--quiet"};
const Words simulated{"run",         "qpace", "--nodes",   "2", "--lattice", "4x2x2x2",
                      "--tolerance", "1e-3",  "--threads", "1", "--quiet"};

Words with(Words words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

std::string content(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

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

bool one_line(const Outcome& outcome) {
  return std::count(outcome.err.begin(), outcome.err.end(), '\n') == 1 &&
         outcome.err.starts_with("hypertorus: ");
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

TEST_CASE("every run that began leaves its JSON with its exit code") {
  const ScratchFolder folder;
  const std::string json = folder.file("json");
  const auto check = [&](const Outcome& outcome, int code, const std::string& verdict) {
    INFO(outcome.err);
    CHECK(outcome.code == code);
    REQUIRE(fs::exists(json));
    const Json document = Json::parse(content(json));
    CHECK(document["schema_version"] == 1);
    CHECK(document["exit_code"] == code);
    CHECK(document["verdict"] == verdict);
    CHECK(document["error"].is_null() == outcome.err.empty());
    CHECK(document["options"]["nodes"] == Json({2}));
    fs::remove(json);
  };
  const Words run = with(simulated, {"--json", json});
  check(run_program(run), 0, "bit-exact");
  check(run_program({"run", "qcdoc", "--nodes", "2", "--lattice", "4x2x2x2", "--tolerance", "1e-3",
                     "--quiet", "--ber", "0", "--bursts", "0", "--forged", "1", "--error-span",
                     "10us", "--json", json}),
        1, "mismatch");
  check(run_program(with(run, {"--timeout", "1us"})), 4, "failed");
  check(run_program(with(run, {"--max-iterations", "1"})), 6, "bit-exact");
}

namespace {

void trains_for_ever(const std::string& machine, const std::string& rate,
                     const std::string& seconds, const std::string& link) {
  INFO(machine << " at " << rate);
  const ScratchFolder folder;
  const std::string json = folder.file("json");
  const Outcome outcome =
      run_program({"run", machine, "--nodes", "2", "--lattice", "4x2x2x2", "--tolerance", "1e-3",
                   "--threads", "1", "--quiet", "--ber", rate, "--bursts", "0",
                   "--processor-timeout", seconds, "--json", json});
  INFO(outcome.err);
  CHECK(outcome.code == 4);
  CHECK(outcome.err.find(link) != std::string::npos);
  const Json document = Json::parse(content(json));
  CHECK(document["exit_code"] == 4);
  CHECK(document["errors"]["injected"] > 0);
  CHECK(document["errors"]["retransmissions"].is_null());
  CHECK(document["true_residual"].is_null());
  CHECK(document["wall_seconds"] > 0);
}

}  // namespace

TEST_CASE("links that train for ever end the run with code 4 and their names") {
  trains_for_ever("tofu", "0.1", "1s", "X+");
  trains_for_ever("qpace", "0.1", "1s", "+x");
}

TEST_CASE("links that train for ever where every other bit is wrong", "[nightly]") {
  trains_for_ever("tofu", "0.5", "2s", "X+");
  trains_for_ever("qpace", "0.5", "1s", "+x");
}

TEST_CASE("a run that --stop-at ends has state, waves, packets and page as they are") {
  for (const char* machine : {"qpace", "qcdoc", "tofu"}) {
    // Before links are up, and afterwards.
    for (const int us : {1, 12}) {
      INFO(machine << " until " << us << " us");
      const ScratchFolder folder;
      const std::string json = folder.file("json");
      const Outcome outcome = run_program({"run",           machine,
                                           "--nodes",       "2",
                                           "--lattice",     "4x2x2x2",
                                           "--tolerance",   "1e-3",
                                           "--threads",     "1",
                                           "--stop-at",     std::to_string(us) + "us",
                                           "--json",        json,
                                           "--report",      folder.file("r.html"),
                                           "--trace",       folder.file("w"),
                                           "--trace-nodes", "0",
                                           "--pcap",        folder.file("p")});
      INFO(outcome.out << outcome.err);
      CHECK(outcome.code == 130);
      const Json document = Json::parse(content(json));
      CHECK(document["exit_code"] == 130);
      CHECK(document["verdict"] == "stopped");
      CHECK(document["states"].size() == 2);
      CHECK(document["machine_time_ps"] == us * 1'000'000);
      // There is no answer, so nothing is said of one.
      for (const char* key :
           {"field", "lattice", "local_lattice", "plaquette", "true_residual", "solution_crc32"})
        CHECK(document[key].is_null());
      CHECK(document["wall_seconds"] > 0);
      CHECK(outcome.out.find("node 1") != std::string::npos);
      for (const char* file : {"r.html", "w.node0.fst", "p.pcapng"})
        CHECK(fs::exists(folder.file(file)));
    }
  }
}

TEST_CASE("a run that --stop-at ends hides nothing: errors, waves, what is not known") {
  const ScratchFolder folder;
  const std::string json = folder.file("json");
  const auto stop = [&](const std::vector<std::string>& more) {
    return run_program(with({"run", "qpace", "--nodes", "2", "--lattice", "4x4x4x4", "--threads",
                             "1", "--stop-at", "60us", "--json", json},
                            more));
  };
  const Outcome waves = stop({"--ber", "1e-5", "--trace", folder.file("w"), "--trace-on", "error"});
  INFO(waves.out << waves.err);
  CHECK(waves.code == 130);
  CHECK(waves.out.find("waves          first error at ") != std::string::npos);
  CHECK((fs::exists(folder.file("w.node0.fst")) || fs::exists(folder.file("w.node1.fst"))));
  // Nobody has read how often links sent again.
  CHECK(waves.out.find("links were not read") != std::string::npos);
  CHECK(waves.out.find("retransmissions") == std::string::npos);
  CHECK(Json::parse(content(json))["errors"]["retransmissions"].is_null());

  const Outcome forged = stop({"--ber", "0", "--bursts", "0", "--forged", "3"});
  INFO(forged.out << forged.err);
  CHECK(forged.code == 130);
  const auto undetected = Json::parse(content(json))["errors"]["undetected"].get<int>();
  CHECK(undetected > 0);
  CHECK(forged.out.find("stopped; " + std::to_string(undetected) + " errors undetected") !=
        std::string::npos);

  const Outcome lost = stop({"--ber", "0", "--bursts", "0", "--lost", "5"});
  INFO(lost.out << lost.err);
  CHECK(lost.out.find("lost       ") != std::string::npos);
  CHECK(lost.out.find(" of 5 asked for") != std::string::npos);
}

TEST_CASE("a run that is over before --stop-at is as without") {
  CHECK(run_program(with(simulated, {"--stop-at", "1s"})).code == 0);
}

TEST_CASE("a signal that is ignored, as by nohup, ends nothing") {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    INFO("signal " << signal);
    Surroundings around;
    around.signal = around.ignored = signal;
    around.signal_after = 0.5;
    const Outcome outcome = run_program_in(
        around, {"bench", "sim", "--nodes", "8", "--threads", "1", "--seconds", "1"});
    INFO(outcome.err);
    CHECK(outcome.code == 0);
    CHECK(outcome.out.find("idle, no skipping") != std::string::npos);
  }
}

TEST_CASE("whatever signal ends a run, JSON and code are there") {
  const ScratchFolder folder;
  const std::string json = folder.file("json");
  for (const auto& [words, name] :
       {std::pair<Words, std::string>{
            {"run", "--no-skip", "--columns", "12", "--quiet", "--json", json}, "run"},
        {{"run", "--network", "functional", "--lattice", "16x16x16x16", "--tolerance", "1e-15",
          "--quiet", "--json", json},
         "functional"},
        {{"run", "--network", "functional", "--nodes", "4096", "--lattice", "4096x2x2x2", "--quiet",
          "--json", json},
         "many nodes"},
        {{"bench", "sim", "--nodes", "8", "--threads", "1", "--seconds", "100", "--json", json},
         "bench"},
        {{"inject", "qpace", "--runs", "1000000", "--quiet", "--json", json}, "inject"},
        // A run of many seconds, which is not waited for.
        {{"inject", "qcdoc", "--soak", folder.file("soak"), "--quiet", "--json", json}, "soak"}}) {
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
      if (name != "run" && signal != SIGTERM) continue;
      INFO(name << ", signal " << signal);
      Surroundings around;
      around.signal = signal;
      around.signal_after = 1.5;
      const Outcome outcome = run_program_in(around, words);
      INFO(outcome.err);
      CHECK(outcome.code == 130);
      CHECK(outcome.err.find("killed") == std::string::npos);
      REQUIRE(fs::exists(json));
      const Json document = Json::parse(content(json));
      CHECK(document["exit_code"] == 130);
      if (name == "soak") CHECK(document.value("runs", -1) == 0);
      if (name != "bench" && name != "inject" && name != "soak")
        CHECK(document["verdict"] == "interrupted");
      fs::remove(json);
    }
  }
}
