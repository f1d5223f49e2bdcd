// SPDX-License-Identifier: Apache-2.0
#include "sim/board/desk.hpp"

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

namespace ht::board {
namespace {

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

  void exchange(Board& board) {
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
    std::unique_ptr<Board> board;
    std::unique_ptr<PseudoTerminal> line;
    std::vector<Wire> wires;  ///< to each of its ends
    std::uint32_t in = 0;
  };
  std::vector<Place> places;
  bool plugged = true;

  void step() {
    const std::size_t n = places.size();
    for (std::size_t i = 0; i < n; ++i) {
      Place& place = places[i];
      const std::uint32_t from = places[n - 1 - i].board->out();
      place.in = 0;
      // Of one board the ends of a pair are cabled, of two each end to the same one of the other.
      for (unsigned end = 0; end < place.wires.size(); ++end)
        if (place.wires[end].pass((from >> (n == 1 ? place.board->partner(end) : end) & 1) != 0) &&
            plugged)
          place.in |= 1U << end;
    }
    for (Place& place : places) place.board->step(place.in);
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
      fmt::print(stderr, "board: \"{}\" is neither plug nor unplug\n", line);
  }
  return true;
}

void run(const MakeBoard& make, unsigned boards, unsigned delay) {
  Desk desk;
  for (unsigned i = 0; i < boards; ++i) {
    auto board = make();
    std::vector<Wire> wires(board->shape().ends, Wire(delay));
    desk.places.push_back({std::move(board), std::make_unique<PseudoTerminal>(), std::move(wires)});
  }
  // A board in reset answers nothing; a real one has left it before its host has seen the port.
  for (unsigned i = 0; i < desk.places[0].board->shape().reset_steps; ++i) desk.step();
  for (const auto& place : desk.places) fmt::print("port {}\n", place.line->name());
  std::fflush(stdout);
  std::string pending;
  while (obey(desk, pending)) {
    for (int i = 0; i < desk.places[0].board->steps_a_character(); ++i) desk.step();
    for (const auto& place : desk.places) place.line->exchange(*place.board);
  }
}

}  // namespace

int desk_main(int argc, char** argv, const std::string& title, const MakeBoard& make) {
  CLI::App app(title + " behind pseudo-terminals");
  unsigned boards = 1, delay = 5;
  app.add_option("--boards", boards, "on the desk")->check(CLI::Range(1, 2));
  app.add_option("--delay", delay, "of a cable, in half periods of the sampling clock")
      ->check(CLI::Range(0, 200));
  try {
    app.parse(argc, argv);
    run(make, boards, delay);
  } catch (const CLI::ParseError& e) {
    return app.exit(e) == 0 ? 0 : 2;
  } catch (const std::exception& e) {
    fmt::print(stderr, "{}: {}\n", title, e.what());
    return 12;
  }
  return 0;
}

}  // namespace ht::board
