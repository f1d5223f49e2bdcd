// SPDX-License-Identifier: Apache-2.0
#include "sw/program/program_file.hpp"

#include <cxxabi.h>
#include <elf.h>
#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <span>

#include "sw/host/errors.hpp"
#include "sw/host/nearest.hpp"
#include "sw/program/source_line.hpp"

namespace ht::program {
namespace {

constexpr const char* entry_symbol = "hypertorus_program_4";
constexpr const char* any_entry_symbol = "hypertorus_program_";
#if defined(__x86_64__)
constexpr Elf64_Half this_machine = EM_X86_64;
#elif defined(__aarch64__)
constexpr Elf64_Half this_machine = EM_AARCH64;
#else
constexpr Elf64_Half this_machine = EM_NONE;
#endif

// Views of a file that may end anywhere.
class Bytes {
 public:
  Bytes(const std::vector<char>& content, const std::string& path)
      : content_(content), path_(path) {}

  template <typename T>
  std::vector<T> table(std::uint64_t offset, std::uint64_t count) const {
    if (offset > content_.size() || count > (content_.size() - offset) / sizeof(T))
      throw DataError(fmt::format("{}: truncated; link it again", path_));
    std::vector<T> entries(count);
    std::memcpy(entries.data(), content_.data() + offset, count * sizeof(T));
    return entries;
  }

  std::string text(std::uint64_t offset) const {
    if (offset >= content_.size()) return {};
    const char* begin = content_.data() + offset;
    return {begin, strnlen(begin, content_.size() - offset)};
  }

 private:
  const std::vector<char>& content_;
  const std::string& path_;
};

// "i" is a function of C, and would be a type's name.
std::string demangled(const std::string& name) {
  if (!name.starts_with("_Z")) return name + "()";
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(
      abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status), &std::free);
  return status == 0 && text ? std::string(text.get()) : name + "()";
}

}  // namespace

ProgramFile::ProgramFile(std::string path) : path_(std::move(path)) {
  std::error_code error;
  if (!std::filesystem::exists(path_, error))
    throw DataError(
        fmt::format("{}: there is no such program{}", path_, host::did_you_mean_file(path_)));
  std::ifstream in(path_, std::ios::binary);
  if (!std::filesystem::is_regular_file(path_, error) || !in)
    throw DataError(fmt::format("{}: not a file that can be read", path_));
  const std::vector<char> content{std::istreambuf_iterator<char>(in), {}};
  crc32_ = static_cast<std::uint32_t>(
      ::crc32_z(0, reinterpret_cast<const Bytef*>(content.data()), content.size()));
  read(content);
}

void ProgramFile::read(const std::vector<char>& content) {
  const auto foreign = [this](const std::string& why) {
    return DataError(
        fmt::format("{}: {}; compile and link it with hypertorus-cc (hypertorus-c++)", path_, why));
  };
  const Bytes bytes(content, path_);
  if (content.size() < SELFMAG || std::memcmp(content.data(), ELFMAG, SELFMAG) != 0)
    throw foreign("not a compiled program");
  const Elf64_Ehdr header = bytes.table<Elf64_Ehdr>(0, 1).front();
  if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_machine != this_machine)
    throw foreign("compiled for another kind of computer");
  if (header.e_type == ET_REL) throw foreign("an object file, not yet linked");

  for (const auto& segment : bytes.table<Elf64_Phdr>(header.e_phoff, header.e_phnum)) {
    if (segment.p_type != PT_LOAD) continue;
    image_bytes_ = std::max(image_bytes_, segment.p_vaddr + segment.p_memsz);
    bytes.table<char>(segment.p_offset, segment.p_filesz);  // or it is truncated
  }
  bool ours = false, other_version = false;
  const auto sections = bytes.table<Elf64_Shdr>(header.e_shoff, header.e_shnum);
  for (const Elf64_Shdr& section : sections) {
    if (section.sh_type != SHT_DYNSYM && section.sh_type != SHT_SYMTAB) continue;
    if (section.sh_link >= sections.size()) throw foreign("a damaged file");
    const std::uint64_t names = sections[section.sh_link].sh_offset;
    for (const auto& symbol :
         bytes.table<Elf64_Sym>(section.sh_offset, section.sh_size / sizeof(Elf64_Sym))) {
      if (symbol.st_shndx == SHN_UNDEF) continue;
      const std::string name = bytes.text(names + symbol.st_name);
      if (section.sh_type == SHT_DYNSYM) {
        ours = ours || name == entry_symbol;
        other_version = other_version || name.starts_with(any_entry_symbol);
      } else if (ELF64_ST_TYPE(symbol.st_info) == STT_FUNC) {
        functions_.push_back({symbol.st_value, symbol.st_size, name});
      }
    }
  }
  if (!ours && other_version) throw foreign("linked by another version of hypertorus-cc");
  if (!ours || header.e_type != ET_DYN) throw foreign("not a program built for hypertorus");
  std::sort(functions_.begin(), functions_.end(),
            [](const Function& a, const Function& b) { return a.begin < b.begin; });
}

const ProgramFile::Function* ProgramFile::find(std::uint64_t offset) const {
  const auto next = std::upper_bound(
      functions_.begin(), functions_.end(), offset,
      [](std::uint64_t value, const Function& function) { return value < function.begin; });
  if (next == functions_.begin()) return nullptr;
  const Function& last = *(next - 1);
  return offset < last.begin + last.bytes ? &last : nullptr;
}

std::string ProgramFile::function_at(std::uint64_t offset) const {
  const Function* const function = find(offset);
  return function != nullptr ? demangled(function->name) : fmt::format("offset {:#x}", offset);
}

bool ProgramFile::between_functions(std::uint64_t offset) const {
  return !functions_.empty() && find(offset) == nullptr;
}

std::string ProgramFile::line_at(std::uint64_t offset) const {
  const std::lock_guard lock(lines_mutex_);
  const auto [line, is_new] = lines_.try_emplace(offset);
  if (is_new) line->second = source_line(path_, offset);
  return line->second;
}

}  // namespace ht::program
