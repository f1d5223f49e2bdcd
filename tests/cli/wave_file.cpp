// SPDX-License-Identifier: Apache-2.0
#include "tests/cli/wave_file.hpp"

#include <catch2/catch.hpp>
#include <cstring>
#include <fstream>
#include <sstream>
#include <stdexcept>

#if __has_include(<gtkwave/fstapi.h>)
#include <gtkwave/fstapi.h>
#endif

namespace ht::test {

#if __has_include(<gtkwave/fstapi.h>)
WaveFile::WaveFile(const std::string& file) {
  void* reader = fstReaderOpen(file.c_str());
  if (reader == nullptr) throw std::runtime_error("no wave file: " + file);
  std::uint32_t pending = 0;  // number of the enumeration that the next signal has
  std::vector<std::string> scopes;
  while (const fstHier* h = fstReaderIterateHier(reader)) {
    if (h->htyp == FST_HT_SCOPE) {
      scopes.emplace_back(h->u.scope.name);
    } else if (h->htyp == FST_HT_UPSCOPE) {
      scopes.pop_back();
    } else if (h->htyp == FST_HT_ATTRBEGIN && h->u.attr.subtype == FST_MT_ENUMTABLE) {
      if (h->u.attr.name_length == 0) {
        pending = static_cast<std::uint32_t>(h->u.attr.arg);
        continue;
      }
      // name, count, names, values
      std::istringstream words(h->u.attr.name);
      std::string name, word;
      std::size_t count = 0;
      words >> name >> count;
      auto& names = enumerations_[static_cast<std::uint32_t>(h->u.attr.arg)];
      while (names.size() < count && words >> word) names.push_back(word);
    } else if (h->htyp == FST_HT_VAR) {
      std::string full;
      for (const std::string& s : scopes) full += s + '.';
      for (const char* c = h->u.var.name; *c != 0; ++c) {
        if (*c != ' ') full += *c;  // viewers write name[1:0] for the file's "name [1:0]"
      }
      handles_[full] = h->u.var.handle;
      if (pending != 0) enumeration_of_[full] = pending;
      pending = 0;
    }
  }
  first_ = fstReaderGetStartTime(reader);
  last_ = fstReaderGetEndTime(reader);
  fstReaderSetFacProcessMaskAll(reader);
  fstReaderIterBlocks(reader, &WaveFile::note, this, nullptr);
  fstReaderClose(reader);
}
#else
WaveFile::WaveFile(const std::string&) {
  throw std::runtime_error("SKIPPED: no library that reads FST files (Debian: verilator has it)");
}
#endif

void WaveFile::note(void* self, std::uint64_t time, std::uint32_t handle,
                    const unsigned char* value) {
  const char* bits = reinterpret_cast<const char*>(value);
  if (std::strlen(bits) > 64) return;
  std::uint64_t number = 0;
  for (; *bits != 0; ++bits) number = number << 1 | (*bits == '1' ? 1U : 0U);
  static_cast<WaveFile*>(self)->changes_[handle].push_back({time, number});
}

std::set<std::string> WaveFile::names() const {
  std::set<std::string> all;
  for (const auto& [name, handle] : handles_) all.insert(name);
  return all;
}

std::vector<std::string> WaveFile::enumeration(const std::string& signal) const {
  const auto found = enumeration_of_.find(signal);
  if (found == enumeration_of_.end()) return {};
  return enumerations_.at(found->second);
}

const std::vector<WaveFile::Change>& WaveFile::changes(const std::string& signal) const {
  const auto found = handles_.find(signal);
  if (found == handles_.end()) throw std::runtime_error("no signal " + signal);
  return changes_.at(found->second);
}

std::vector<std::string> WaveFile::named_values(const std::string& signal) const {
  const auto names = enumeration(signal);
  std::vector<std::string> values;
  for (const Change& c : changes(signal)) values.push_back(names.at(c.value));
  return values;
}

std::map<std::string, int> WaveFile::named_counts(const std::string& signal) const {
  std::map<std::string, int> counts;
  for (const std::string& name : named_values(signal)) ++counts[name];
  return counts;
}

std::set<std::string> names_checked(const std::string& stem) {
  const auto names = WaveFile(stem + ".fst").names();
  std::ifstream save(stem + ".gtkw");
  unsigned shown = 0;
  for (std::string line; std::getline(save, line);) {
    if (line.empty() || std::string("@-[*").find(line[0]) != std::string::npos) continue;
    INFO(line);
    CHECK(names.count(line) == 1);
    ++shown;
  }
  CHECK(shown > 20);
  return names;
}

}  // namespace ht::test
