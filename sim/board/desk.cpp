// SPDX-License-Identifier: Apache-2.0
// HX8K boards as they would be on a desk: each one's serial line is a pseudo-terminal, link ends
// are cabled, and cables are pulled and put back by lines on standard input. Started by
// fpga/common/board.py --simulate.
//
//   board_hx8k [--boards 1|2] [--delay D]
//
// D: of every cable, in half periods of the sampling clock. One board: its ends A and B are cabled;
// two: ends A to one another, and ends B. First, a line "port /dev/pts/N" for each board is
// printed. Lines read: "unplug", "plug"; at the end of input the boards are switched off.
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <termios.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "sim/board/hx8k.hpp"

namespace {

using ht::board::Hx8k;

/// The host's end is the terminal of that name.
class PseudoTerminal {
 public:
  PseudoTerminal() : main_(::posix_openpt(O_RDWR | O_NOCTTY | O_NONBLOCK)) {
    if (main_ < 0 || ::grantpt(main_) != 0 || ::unlockpt(main_) != 0)
      fail("open a pseudo-terminal");
    std::array<char, 128> name{};
    if (::ptsname_r(main_, name.data(), name.size()) != 0) fail("name a pseudo-terminal");
    name_ = name.data();
    // Held open, so that it stays when a host's program closes it; characters go through unchanged.
    host_ = ::open(name_.c_str(), O_RDWR | O_NOCTTY);
    termios settings{};
    if (host_ < 0 || ::tcgetattr(host_, &settings) != 0) fail("open " + name_);
    ::cfmakeraw(&settings);
    if (::tcsetattr(host_, TCSANOW, &settings) != 0) fail("set up " + name_);
  }
  ~PseudoTerminal() {
    ::close(host_);
    ::close(main_);
  }
  PseudoTerminal(const PseudoTerminal&) = delete;
  PseudoTerminal& operator=(const PseudoTerminal&) = delete;

  const std::string& name() const { return name_; }

  void exchange(Hx8k& board) {
    std::array<std::uint8_t, 256> characters{};
    const ssize_t n = ::read(main_, characters.data(), characters.size());
    for (ssize_t i = 0; i < n; ++i) board.send(characters[static_cast<std::size_t>(i)]);
    const auto answer = board.take_received();
    if (!answer.empty() && ::write(main_, answer.data(), answer.size()) < 0)
      fail("write to " + name_);
  }

 private:
  [[noreturn]] static void fail(const std::string& what) {
    throw std::runtime_error(fmt::format("cannot {}: {}", what, std::strerror(errno)));
  }

  int main_, host_ = -1;
  std::string name_;
};

/// One way, with so many steps of delay.
class Wire {
 public:
  explicit Wire(unsigned delay) : levels_(delay + 1, false) {}
  bool pass(bool level) {
    levels_.push_back(level);
    const bool out = levels_.front();
    levels_.pop_front();
    return out;
  }

 private:
  std::deque<bool> levels_;
};

struct Desk {
  struct Place {
    std::unique_ptr<Hx8k> board = std::make_unique<Hx8k>();
    std::unique_ptr<PseudoTerminal> line = std::make_unique<PseudoTerminal>();
    Wire to_a, to_b;
  };
  std::vector<Place> places;
  bool plugged = true;

  void step() {
    const std::size_t n = places.size();
    std::array<bool, 2> to_a{}, to_b{};
    for (std::size_t i = 0; i < n; ++i) {
      const Hx8k& other = *places[n - 1 - i].board;
      to_a[i] = places[i].to_a.pass(n == 1 ? other.b_out() : other.a_out()) && plugged;
      to_b[i] = places[i].to_b.pass(n == 1 ? other.a_out() : other.b_out()) && plugged;
    }
    for (std::size_t i = 0; i < n; ++i) places[i].board->step(to_a[i], to_b[i]);
  }
};

/// False at the end of standard input.
bool obey(Desk& desk, std::string& pending) {
  pollfd input{STDIN_FILENO, POLLIN, 0};
  if (::poll(&input, 1, 0) <= 0) return true;
  std::array<char, 256> text{};
  const ssize_t n = ::read(STDIN_FILENO, text.data(), text.size());
  if (n <= 0) return false;
  pending.append(text.data(), static_cast<std::size_t>(n));
  for (std::size_t end; (end = pending.find('\n')) != std::string::npos;
       pending.erase(0, end + 1)) {
    const std::string line = pending.substr(0, end);
    if (line == "plug" || line == "unplug")
      desk.plugged = line == "plug";
    else
      fmt::print(stderr, "board_hx8k: \"{}\" is neither plug nor unplug\n", line);
  }
  return true;
}

void run(unsigned boards, unsigned delay) {
  Desk desk;
  for (unsigned i = 0; i < boards; ++i)
    desk.places.push_back({.to_a = Wire(delay), .to_b = Wire(delay)});
  for (const auto& place : desk.places) fmt::print("port {}\n", place.line->name());
  std::fflush(stdout);
  std::string pending;
  while (obey(desk, pending)) {
    for (int i = 0; i < Hx8k::steps_a_character; ++i) desk.step();
    for (const auto& place : desk.places) place.line->exchange(*place.board);
  }
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("HX8K boards behind pseudo-terminals");
  unsigned boards = 1, delay = 5;
  app.add_option("--boards", boards, "on the desk")->check(CLI::Range(1, 2));
  app.add_option("--delay", delay, "of a cable, in half periods of the sampling clock")
      ->check(CLI::Range(0, 200));
  try {
    app.parse(argc, argv);
    run(boards, delay);
  } catch (const CLI::ParseError& e) {
    return app.exit(e) == 0 ? 0 : 2;
  } catch (const std::exception& e) {
    fmt::print(stderr, "board_hx8k: {}\n", e.what());
    return 12;
  }
  return 0;
}
