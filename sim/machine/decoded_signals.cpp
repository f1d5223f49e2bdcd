// SPDX-License-Identifier: Apache-2.0
#include "sim/machine/decoded_signals.hpp"

#include <Vqpace_nwp.h>
#include <fmt/format.h>
#include <verilated_fst_c.h>

#include "verif/model/qpace_wire.hpp"

namespace ht::machine {
namespace {

using namespace model::qpace;

constexpr const char* kind_names[kWordKinds] = {"IDLE",      "PACKET", "PAYLOAD",  "CHECK",
                                                "WITHDRAWN", "ACK",    "NACK",     "BUSY",
                                                "READY",     "HELLO",  "IDENTITY", "DAMAGED"};
constexpr const char* state_names[] = {"DOWN", "TRAIN", "UP"};

// The signals of one link, in this order.
struct Signal {
  const char* name;
  int bits;
  int type;  ///< number of its enumeration, or -1
};
constexpr int kind_type = 1, state_type = 2;
constexpr Signal signals[] = {{"state", 2, state_type},
                              {"tx_kind", 4, kind_type},
                              {"rx_kind", 4, kind_type},
                              {"tx_sequence", 6, -1},
                              {"rx_sequence", 6, -1}};
constexpr std::size_t signal_count = std::size(signals);

void declare_names(VerilatedFst& file, int type, const char* name, const char* const* names,
                   std::uint32_t count, unsigned bits) {
  std::vector<std::string> values;
  for (std::uint32_t i = 0; i < count; ++i) values.push_back(fmt::format("{:0{}b}", i, bits));
  std::vector<const char*> name_pointers(names, names + count), value_pointers;
  for (const std::string& v : values) value_pointers.push_back(v.c_str());
  file.declDTypeEnum(type, name, count, bits, name_pointers.data(), value_pointers.data());
}

std::vector<std::string> names_of(const std::string& node, int link, bool enumerations) {
  std::vector<std::string> names;
  for (const Signal& s : signals) {
    if ((s.type >= 0) == enumerations)
      names.push_back(fmt::format("{}.{}.{}[{}:0]", node, scope_name(link), s.name, s.bits - 1));
  }
  return names;
}

}  // namespace

const char* name(WordKind kind) {
  return kind_names[static_cast<std::size_t>(kind)];
}

std::string scope_name(int link) {
  return {link % 2 == 0 ? 'p' : 'm', static_cast<char>('x' + link / 2)};
}

void WordReader::step(const model::Word& word) {
  if (word == model::kIdleWord) {
    kind_ = WordKind::Idle;
  } else if (starts_with(word, kStart)) {
    kind_ = WordKind::Packet;
    sequence_ = static_cast<std::uint8_t>(word.data >> 23 & (kSequences - 1));
    left_ = kPacketWords - 1;
    hello_ = false;
  } else if (starts_with(word, kHello)) {
    kind_ = WordKind::Hello;
    left_ = kHelloWords - 1;
    hello_ = true;
  } else if (const auto command = Command::parse(word)) {
    kind_ =
        static_cast<WordKind>(static_cast<int>(WordKind::Ack) + static_cast<int>(command->type));
    sequence_ = command->sequence;
    left_ = 0;
  } else {
    const bool last = left_ == 1;
    const bool inside = left_ > 0;
    if (inside) --left_;
    if (inside && word.control == 0) {
      kind_ = last ? WordKind::Check : hello_ ? WordKind::Identity : WordKind::Payload;
    } else if (last && !hello_ && starts_with(word, kWithdrawn)) {
      kind_ = WordKind::Withdrawn;
    } else {
      kind_ = WordKind::Damaged;
    }
  }
}

DecodedSignals::DecodedSignals(const Vqpace_nwp& top, std::string node, std::vector<int> links)
    : top_(top), node_(std::move(node)), links_(std::move(links)) {}

void DecodedSignals::step() {
  const auto word = [](const auto& data, std::uint32_t control, int link) {
    return model::Word{data[static_cast<std::size_t>(link)],
                       static_cast<std::uint8_t>(control >> (4 * link) & 0xF)};
  };
  for (const int link : links_) {
    sent_[static_cast<std::size_t>(link)].step(word(top_.xgmii_txd, top_.xgmii_txc, link));
    received_[static_cast<std::size_t>(link)].step(word(top_.xgmii_rxd, top_.xgmii_rxc, link));
  }
}

// In the order of `signals`, link by link.
std::vector<std::uint8_t> DecodedSignals::values() const {
  std::vector<std::uint8_t> v;
  for (const int link : links_) {
    const WordReader& out = sent_[static_cast<std::size_t>(link)];
    const WordReader& in = received_[static_cast<std::size_t>(link)];
    v.push_back(static_cast<std::uint8_t>(top_.obs_state >> (4 * link) & 3));
    v.push_back(static_cast<std::uint8_t>(out.kind()));
    v.push_back(static_cast<std::uint8_t>(in.kind()));
    v.push_back(out.sequence());
    v.push_back(in.sequence());
  }
  return v;
}

struct DecodedSignals::Callbacks {
  static void declare(void* self, VerilatedFst* file, std::uint32_t code) {
    auto& d = *static_cast<DecodedSignals*>(self);
    d.base_ = code;
    declare_names(*file, kind_type, "word_kind", kind_names, kWordKinds, 4);
    declare_names(*file, state_type, "link_state", state_names, std::size(state_names), 2);
    file->scopeEscape(' ');
    file->pushNamePrefix(d.node_ + ' ');
    for (const int link : d.links_) {
      file->pushNamePrefix(scope_name(link) + ' ');
      for (const Signal& s : signals)
        file->declBus(code++, s.name, s.type, FST_VD_IMPLICIT, FST_VT_VCD_WIRE, false, -1,
                      s.bits - 1, 0);
      file->popNamePrefix();
    }
    file->popNamePrefix();
    file->scopeEscape('.');
  }

  static void write_all(void* self, VerilatedFst::Buffer* buffer) {
    const auto& d = *static_cast<DecodedSignals*>(self);
    std::uint32_t* old = buffer->oldp(d.base_);
    std::size_t i = 0;
    for (const std::uint8_t value : d.values())
      buffer->fullCData(old++, value, signals[i++ % signal_count].bits);
  }

  static void write_changes(void* self, VerilatedFst::Buffer* buffer) {
    const auto& d = *static_cast<DecodedSignals*>(self);
    std::uint32_t* old = buffer->oldp(d.base_);
    std::size_t i = 0;
    for (const std::uint8_t value : d.values())
      buffer->chgCData(old++, value, signals[i++ % signal_count].bits);
  }
};

void DecodedSignals::attach(VerilatedFst& file) {
  file.addInitCb(&Callbacks::declare, this);
  file.addFullCb(&Callbacks::write_all, this);
  file.addChgCb(&Callbacks::write_changes, this);
}

std::vector<std::string> DecodedSignals::enumerations(const std::string& node, int link) {
  return names_of(node, link, true);
}

std::vector<std::string> DecodedSignals::numbers(const std::string& node, int link) {
  return names_of(node, link, false);
}

}  // namespace ht::machine
