// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstdint>
#include <fstream>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/machine/frame_source.hpp"
#include "sim/machine/machine.hpp"
#include "sw/host/held_file.hpp"
#include "sw/qmp/call_profile.hpp"

namespace ht::machine {

/// Writes what nodes and cables do to a file of trace events (JSON Array Format of Chromium's
/// "Trace Event Format"), which Perfetto and chrome://tracing open: for each node its phases and
/// calls of the network, and for each cable that leaves it the packets (words), what was sent again
/// and the injected errors with their fate. An arrow leads from an error that damaged a packet to
/// the sending again that followed. Times are in us of simulated time.
///
/// Where several processes simulate the machine, each knows what its nodes do and what arrives at
/// them, and the first writes all.
///
/// Events are written as windows end; of the errors and arrows what is kept in memory is bounded by
/// `most_events`, at which the file stops, and says so. See sim/machine/README.md.
class Timeline {
 public:
  /// Throws DataError if the file cannot be written, or another process writes it. `machine` must
  /// outlive this; before its first run. Listens to every cable: a PacketCapture cannot at the same
  /// time.
  Timeline(Machine& machine, const std::string& file, std::uint64_t most_events);
  /// In a single process, ends the file; that it could not be written is reported by finish() only.
  ~Timeline();
  Timeline(const Timeline&) = delete;
  Timeline& operator=(const Timeline&) = delete;

  /// What one node's program does; called on its fibre. Kept until the window's end.
  class Node {
   public:
    /// "compute", "halo" or "sum"; ps.
    void add_phase(std::string_view name, Picoseconds begin, Picoseconds end) {
      spans_.push_back({std::string(name), begin, end, false});
    }
    /// A call of the network, by the function's name.
    void add_call(std::string_view name, Picoseconds begin, Picoseconds end) {
      spans_.push_back({std::string(name), begin, end, true});
    }

   private:
    friend class Timeline;
    struct Span {
      std::string name;
      Picoseconds begin, end;
      bool call;
    };
    std::vector<Span> spans_;
  };
  Node& node(int number) { return nodes_[static_cast<std::size_t>(number)]; }

  /// Adds the calls of a node's program, as `profile` hears of them; both must outlive the program.
  void listen_to_calls(qmp::CallProfile& profile, int number);

  /// At a window's end: writes what is complete.
  void collect();

  /// Writes everything that is left, with the errors; their fates are known after
  /// Machine::close_ledgers(). Throws DataError if that fails. In every process.
  void finish();

  /// One line: events, and how many were left out.
  std::string summary() const;

 private:
  struct Span {
    Picoseconds begin, end;
  };
  struct Direction {
    int node, link;
    std::unique_ptr<FrameSource> frames;
    std::optional<Span> damaged;  ///< the first damaged packet since something was sent again
  };
  struct Arrow {
    std::size_t direction;
    Span packet;
    Picoseconds resent;
  };
  /// What happened since the last window that had something, as processes tell it one another.
  struct News {
    std::vector<std::vector<Node::Span>> spans;             ///< by node
    std::vector<std::vector<CapturedFrame>> frames;         ///< by direction
    std::vector<std::vector<ProgramNode::Resend>> resends;  ///< by node
  };
  /// What a cable's ledger says.
  struct Errors {
    sim::ErrorTotals totals;
    std::vector<sim::InjectedError> list;
  };
  /// Of what the cables did, whether or not it fitted into the file.
  struct Counts {
    std::uint64_t packets = 0, given_up = 0, damaged = 0, retransmissions = 0, replays = 0,
                  arrows = 0;
  };

  void name_rows();
  News empty_news() const;
  void take_news();
  void exchange_news();
  void process_news();
  void process_frames(Direction& direction, const std::vector<CapturedFrame>& frames);
  void process_resends(Direction& direction, std::size_t number);
  std::vector<Errors> gather_errors() const;
  void write_errors(const Direction& direction, std::size_t number, const Errors& errors);
  void write_arrow(const Arrow& arrow, const sim::InjectedError& error);
  bool put(const nlohmann::ordered_json& event);
  void write(const nlohmann::ordered_json& event);

  Machine& machine_;
  std::string name_;
  const bool writes_;  ///< else another process does
  host::HeldFile held_;
  std::ofstream out_;
  std::uint64_t most_events_, events_ = 0, left_out_ = 0;
  Picoseconds complete_until_ = sim::kNever;  ///< when the first event was left out
  bool first_ = true, finished_ = false;
  std::vector<Node> nodes_;
  std::vector<Direction> directions_;
  News news_;
  bool has_news_ = false;
  std::vector<Arrow> arrows_;
  Counts counts_;
  sim::ErrorTotals errors_;
};

}  // namespace ht::machine
