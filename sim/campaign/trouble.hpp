// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <functional>
#include <vector>

#include "sim/cable/error_kinds.hpp"
#include "sim/cable/fault_plan.hpp"
#include "sim/campaign/draw.hpp"

namespace ht::campaign {

/// What may go wrong in a run; each draws its own numbers, lengths, rates and places. Kinds of
/// faults of lanes besides Stuck follow after the last one (trouble_of), each as long as Stuck, and
/// are drawn only where they are asked for.
enum class Trouble : std::uint8_t {
  Bits,       ///< inverted bits at one of several rates, on all cables or one
  Short,      ///< bursts of 2 to 10 coded bits
  Long,       ///< longer bursts, on a lane or all
  Lost,       ///< symbols lost
  Doubled,    ///< symbols doubled
  Stuck,      ///< a lane stuck at 0 or 1, 40 ns to 2 us
  Pulled,     ///< a cable pulled and put back after 50 ns to 4 us
  Silent,     ///< the same, while the PHY shows idle symbols
  Idle,       ///< damaged idle symbols
  Commands,   ///< damaged commands
  Hellos,     ///< damaged hellos, those of the first training too
  Headers,    ///< damaged packet headers
  Unplugged,  ///< a cable pulled permanently, or until both ends have given it up
  Stopped,    ///< a node that stops and comes back: all its cables, and its processor
  Upsets      ///< a bit that flips where no code is, and nothing else; only where it is asked for
};
/// All of them.
std::vector<Trouble> troubles();
/// What links of packets are made to detect: from Bits to Headers.
std::vector<Trouble> packet_troubles();
const char* name(Trouble trouble);
/// Of a kind of faults of lanes.
Trouble trouble_of(sim::ErrorKind kind);
/// Lanes that a machine's cables must have for it.
unsigned least_lanes(Trouble trouble);

/// Whether it is aimed at a certain word, so that cables of lanes have none: they carry bits.
bool looks_for_words(Trouble trouble);

/// What a machine's lines are like, and when a run does what.
struct TroubleLimits {
  int links = 0;                   ///< of a node
  unsigned lanes = 1, bits = 1;    ///< of the line code
  std::vector<double> rates;       ///< of inverted bits
  int longest_burst = 0;           ///< coded bits
  unsigned idle = 1, command = 1;  ///< an aimed error hits one of so many symbols
  unsigned hello = 1, header = 1;
  bool sees_silence = true;  ///< a cable that shows idle loses nothing that is not noticed
  Picoseconds first_error = 0, last_error = 0, longest_outage = 0;
  Picoseconds links_up = 0, busy_until = 0;   ///< between them there is traffic, mostly
  Picoseconds unplugged = 1'000'000'000'000;  ///< permanently: longer than any run
  Picoseconds unplugged_from = 0;             ///< not before
  Picoseconds last_hello = 0;                 ///< of the first training; 0: links_up
  std::function<int(int node, int link)> neighbour;
  /// The neighbour's link that a link's cable is plugged into.
  std::function<int(int link)> far_link = [](int link) { return link ^ 1; };
};

/// Something that goes from node to node.
struct Route {
  int from = 0, to = 0, link = 0;  ///< the sender's link
};

/// Draws faults into the plans of a machine's cables, by sender's number * links + link.
class TroubleDraw {
 public:
  /// `routes`: where there is traffic, at least one; `cables`: numbers of those in use.
  TroubleDraw(Draw draw, TroubleLimits limits, std::vector<Route> routes,
              std::vector<std::size_t> cables, std::vector<sim::FaultPlan>& plans);

  void add(Trouble trouble);
  Draw& draw() { return draw_; }

  struct Stop {
    int node;
    Picoseconds from, length;
  };
  /// Of processors: those of nodes that stop.
  const std::vector<Stop>& stops() const { return stops_; }

 private:
  std::size_t cable();
  sim::FaultPlan& plan();
  Picoseconds time();
  unsigned lane();
  void bits();
  void bursts(int shortest, int longest);
  void slips(bool doubled);
  void lane_faults(sim::ErrorKind kind);
  void pull(bool silent);
  void pull_one(bool silent, bool for_good);
  void stop_node();
  void aim(sim::Target target, unsigned symbols, int most);
  Picoseconds duration(Picoseconds shortest, Picoseconds longest);

  Draw draw_;
  TroubleLimits limits_;
  std::vector<Route> routes_;
  std::vector<std::size_t> cables_;
  std::vector<sim::FaultPlan>& plans_;
  std::vector<Stop> stops_;
};

/// One to three sorts of trouble out of `choice`, now and then all of them, so many `rounds`; adds
/// them. Each is returned once.
std::vector<Trouble> draw_troubles(Draw draw, std::vector<Trouble> choice, TroubleDraw& into,
                                   int rounds = 1);

}  // namespace ht::campaign
