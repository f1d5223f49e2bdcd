// SPDX-License-Identifier: Apache-2.0
#include "sim/machine/decoded_signals.hpp"

#include <fmt/format.h>
#include <verilated_fst_c.h>

namespace ht::machine {
namespace {

void declare_names(VerilatedFst& file, int type, const DecodedSignals::Enumeration& e) {
  std::vector<std::string> values;
  for (std::size_t i = 0; i < e.values.size(); ++i)
    values.push_back(fmt::format("{:0{}b}", i, e.bits));
  std::vector<const char*> names(e.values.begin(), e.values.end()), value_pointers;
  for (const std::string& v : values) value_pointers.push_back(v.c_str());
  file.declDTypeEnum(type, e.name, static_cast<std::uint32_t>(names.size()),
                     static_cast<unsigned>(e.bits), names.data(), value_pointers.data());
}

// Numbers of types in the file; 0 is none.
constexpr int type_of(int enumeration) {
  return enumeration < 0 ? -1 : enumeration + 1;
}

}  // namespace

DecodedSignals::DecodedSignals(std::string node, std::vector<int> links, const Layout& layout)
    : node_(std::move(node)),
      links_(std::move(links)),
      layout_(layout),
      values_(layout.signals.size()) {}

std::string DecodedSignals::scope(int link) const {
  return {link % 2 == 0 ? 'p' : 'm', "xyztuv"[link / 2]};
}

std::vector<std::string> DecodedSignals::names_of(int link, bool enumerations) const {
  std::vector<std::string> names;
  for (const Signal& s : layout_.signals) {
    if ((s.enumeration >= 0) == enumerations)
      names.push_back(fmt::format("{}.{}.{}[{}:0]", node_, scope(link), s.name, s.bits - 1));
  }
  return names;
}

struct DecodedSignals::Callbacks {
  static void declare(void* self, VerilatedFst* file, std::uint32_t code) {
    auto& d = *static_cast<DecodedSignals*>(self);
    d.base_ = code;
    int number = 0;
    for (const Enumeration& e : d.layout_.enumerations) declare_names(*file, type_of(number++), e);
    file->scopeEscape(' ');
    file->pushNamePrefix(d.node_ + ' ');
    for (const int link : d.links_) {
      file->pushNamePrefix(d.scope(link) + ' ');
      for (const Signal& s : d.layout_.signals)
        file->declBus(code++, s.name, type_of(s.enumeration), FST_VD_IMPLICIT, FST_VT_VCD_WIRE,
                      false, -1, s.bits - 1, 0);
      file->popNamePrefix();
    }
    file->popNamePrefix();
    file->scopeEscape('.');
  }

  template <typename Write>
  static void write(void* self, VerilatedFst::Buffer* buffer, Write&& write) {
    auto& d = *static_cast<DecodedSignals*>(self);
    std::uint32_t* old = buffer->oldp(d.base_);
    for (const int link : d.links_) {
      d.read(link, d.values_);
      for (std::size_t i = 0; i < d.values_.size(); ++i)
        write(old++, d.values_[i], d.layout_.signals[i].bits);
    }
  }

  static void write_all(void* self, VerilatedFst::Buffer* buffer) {
    write(self, buffer, [&](std::uint32_t* old, std::uint8_t value, int bits) {
      buffer->fullCData(old, value, bits);
    });
  }

  static void write_changes(void* self, VerilatedFst::Buffer* buffer) {
    write(self, buffer, [&](std::uint32_t* old, std::uint8_t value, int bits) {
      buffer->chgCData(old, value, bits);
    });
  }
};

void DecodedSignals::attach(VerilatedFst& file) {
  file.addInitCb(&Callbacks::declare, this);
  file.addFullCb(&Callbacks::write_all, this);
  file.addChgCb(&Callbacks::write_changes, this);
}

}  // namespace ht::machine
