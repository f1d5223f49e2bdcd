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

// What follows has other names and arguments from one Verilator to another. Its types are deduced
// from the functions that take them, since not every Verilator has them.

// A bus of `bits` bits that is no port, as Verilator 5.006 declares it.
template <class File, class Direction, class Kind>
void declare_bus(File& file,
                 void (File::*bus)(std::uint32_t, const char*, int, Direction, Kind, bool, int, int,
                                   int),
                 std::uint32_t code, const char* name, int type, int bits) {
  (file.*bus)(code, name, type, Direction::FST_VD_IMPLICIT, Kind::FST_VT_VCD_WIRE, false, -1,
              bits - 1, 0);
}

// The same of 5.48.
template <class File, class Direction, class Kind, class Type>
void declare_bus(File& file,
                 void (File::*bus)(std::uint32_t, const char*, int, Direction, Kind, Type, int,
                                   int),
                 std::uint32_t code, const char* name, int type, int bits) {
  (file.*bus)(code, name, type, Direction::NONE, Kind::WIRE, Type::LOGIC, bits - 1, 0);
}

template <class File, class Kind>
void push_module(File& file, void (File::*push)(const char*, Kind, int, int), const char* scope) {
  (file.*push)(scope, Kind::SCOPE_MODULE, 0, 0);
}

template <class File>
void enter_scope(File& file, const std::string& scope) {
  if constexpr (requires { file.pushNamePrefix(scope); })
    file.pushNamePrefix(scope + ' ');
  else
    push_module(file, &File::pushPrefix, scope.c_str());
}

template <class File>
void leave_scope(File& file) {
  if constexpr (requires { file.popNamePrefix(); })
    file.popNamePrefix();
  else
    file.popPrefix();
}

// What separates the scopes of a name, where Verilator has to be told.
template <class File>
void separate_scopes_by(File& file, char separator) {
  if constexpr (requires { file.scopeEscape(separator); }) file.scopeEscape(separator);
}

// The file calls these with `self`: when it is opened, for `codes` signals that take no more than
// 32 bits each; for all values; and for those that changed.
template <class File, class Declare, class Write>
void add_callbacks(File& file, void* self, const std::string& name, std::uint32_t codes,
                   Declare declare, Write write_all, Write write_changes) {
  if constexpr (requires { file.addInitCb(declare, self); }) {
    file.addInitCb(declare, self);
    file.addFullCb(write_all, self);
    file.addChgCb(write_changes, self);
  } else {
    constexpr bool of_library = false;
    constexpr std::uint32_t thread = 0;
    file.addInitCb(declare, self, name, of_library, codes);
    file.addFullCb(write_all, thread, self);
    file.addChgCb(write_changes, thread, self);
  }
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
    separate_scopes_by(*file, ' ');
    enter_scope(*file, d.node_);
    for (const int link : d.links_) {
      enter_scope(*file, d.scope(link));
      for (const Signal& s : d.layout_.signals)
        declare_bus(*file, &VerilatedFst::declBus, code++, s.name, type_of(s.enumeration), s.bits);
      leave_scope(*file);
    }
    leave_scope(*file);
    separate_scopes_by(*file, '.');
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
  const auto codes = static_cast<std::uint32_t>(links_.size() * layout_.signals.size());
  add_callbacks(file, this, node_, codes, &Callbacks::declare, &Callbacks::write_all,
                &Callbacks::write_changes);
}

}  // namespace ht::machine
