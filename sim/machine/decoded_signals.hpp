// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "verif/model/word.hpp"

class VerilatedFst;
class Vqpace_nwp;

namespace ht::machine {

/// What a word on a link's wire is, for people.
enum class WordKind : std::uint8_t {
  Idle,
  Packet,     ///< header of a data packet
  Payload,    ///< of one
  Check,      ///< the CRC at a packet's or hello's end
  Withdrawn,  ///< end of a packet given up by its sender
  Ack,
  Nack,
  Busy,
  Ready,
  Hello,     ///< first word of a hello
  Identity,  ///< the words after it
  Damaged    ///< none of these
};
constexpr std::size_t kWordKinds = 12;
/// "PACKET" and so on, as waves show it.
const char* name(WordKind kind);

/// Follows the words of one direction of a link and says what each is.
class WordReader {
 public:
  void step(const model::Word& word);
  WordKind kind() const { return kind_; }
  /// Of the last header or command: its sequence number.
  std::uint8_t sequence() const { return sequence_; }

 private:
  WordKind kind_ = WordKind::Idle;
  std::uint8_t sequence_ = 0;
  unsigned left_ = 0;  ///< words until the frame's end
  bool hello_ = false;
};

/// Signals a wave file has besides those of the Verilog: in scope `<node>.<link>`, what goes over
/// the wire and the state of the link, as enumerations whose names are stored in the file itself.
class DecodedSignals {
 public:
  DecodedSignals(const Vqpace_nwp& top, std::string node, std::vector<int> links);

  /// Before the file is opened. `this` must outlive the file.
  void attach(VerilatedFst& file);
  /// After every rising edge of link_clk.
  void step();

  /// Names of its signals for `link` as wave viewers write them, enumerations first.
  static std::vector<std::string> enumerations(const std::string& node, int link);
  static std::vector<std::string> numbers(const std::string& node, int link);

 private:
  struct Callbacks;  // what Verilator's trace calls
  std::vector<std::uint8_t> values() const;

  const Vqpace_nwp& top_;
  std::string node_;
  std::vector<int> links_;
  std::uint32_t base_ = 0;  ///< code of the first signal
  std::array<WordReader, 6> sent_, received_;
};

/// Scope of a link's decoded signals: "px" for +x.
std::string scope_name(int link);

}  // namespace ht::machine
