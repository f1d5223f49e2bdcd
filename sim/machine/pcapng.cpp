// SPDX-License-Identifier: Apache-2.0
#include "sim/machine/pcapng.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <string_view>

#include "sw/host/errors.hpp"

namespace ht::machine {
namespace {

constexpr std::uint32_t section_header = 0x0A0D0D0A, interface_description = 1, enhanced_packet = 6;
constexpr std::uint32_t byte_order_magic = 0x1A2B3C4D;
// Options. Numbers are little-endian, as the section's magic says.
constexpr std::uint16_t comment_option = 1, application_option = 4;
constexpr std::uint16_t name_option = 2, description_option = 3, resolution_option = 9;
constexpr std::uint16_t fcs_length_option = 13;
constexpr std::uint16_t flags_option = 2;
constexpr char nanoseconds = 9, fcs_length = 4;

}  // namespace

// A block's body, in the making.
class PcapngFile::Block {
 public:
  explicit Block(std::uint32_t type) : type_(type) {}

  void u16(std::uint16_t v) {
    for (int i = 0; i < 2; ++i) body_.push_back(static_cast<char>(v >> (8 * i)));
  }
  void u32(std::uint32_t v) {
    for (int i = 0; i < 4; ++i) body_.push_back(static_cast<char>(v >> (8 * i)));
  }
  void bytes(std::string_view data) {
    body_.append(data);
    body_.append((4 - data.size() % 4) % 4, '\0');
  }
  void option(std::uint16_t code, std::string_view value) {
    u16(code);
    u16(static_cast<std::uint16_t>(value.size()));
    bytes(value);
  }
  void end_of_options() { u32(0); }

  std::uint32_t type() const { return type_; }
  const std::string& body() const { return body_; }

 private:
  std::uint32_t type_;
  std::string body_;
};

std::string PcapngFile::unwritten() const {
  return fmt::format(
      "cannot write {}: is the disk full, a limit of file sizes reached, or has its reader gone?",
      name_);
}

void PcapngFile::put(const Block& block) {
  const auto length = static_cast<std::uint32_t>(block.body().size() + 12);
  Block framed(0);
  framed.u32(block.type());
  framed.u32(length);
  framed.bytes(block.body());
  framed.u32(length);
  out_.write(framed.body().data(), static_cast<std::streamsize>(framed.body().size()));
  if (!out_) throw DataError(unwritten());
}

PcapngFile::PcapngFile(const std::string& file, const std::string& application)
    : name_(file), held_(file, "run") {
  held_.hold();
  out_.open(file, std::ios::binary);
  if (!out_)
    throw DataError(fmt::format(
        "cannot write the packets {}: does its folder exist, and is it writable?", file));
  held_.hold();
  Block section(section_header);
  section.u32(byte_order_magic);
  section.u16(1);  // version 1.0
  section.u16(0);
  section.u32(0xFFFFFFFF);  // length not given
  section.u32(0xFFFFFFFF);
  section.option(application_option, application);
  section.end_of_options();
  put(section);
}

std::uint32_t PcapngFile::add_interface(const std::string& name, const std::string& description,
                                        LinkType type) {
  Block block(interface_description);
  block.u16(type);
  block.u16(0);
  block.u32(0);  // packets are whole
  block.option(name_option, name);
  block.option(description_option, description);
  block.option(resolution_option, {&nanoseconds, 1});
  if (type == Ethernet) block.option(fcs_length_option, {&fcs_length, 1});
  block.end_of_options();
  put(block);
  return interfaces_++;
}

void PcapngFile::write(std::uint32_t interface, Picoseconds time, Direction direction,
                       const std::vector<std::uint8_t>& data, const std::string& comment) {
  const auto ns = static_cast<std::uint64_t>(time / 1000);
  const auto length = static_cast<std::uint32_t>(data.size());
  Block block(enhanced_packet);
  block.u32(interface);
  block.u32(static_cast<std::uint32_t>(ns >> 32));
  block.u32(static_cast<std::uint32_t>(ns));
  block.u32(length);
  block.u32(length);
  block.bytes({reinterpret_cast<const char*>(data.data()), data.size()});
  block.u16(flags_option);
  block.u16(4);
  block.u32(static_cast<std::uint32_t>(direction));
  if (!comment.empty()) block.option(comment_option, comment);
  block.end_of_options();
  put(block);
}

void PcapngFile::flush() {
  if (!out_.flush()) throw DataError(unwritten());
}

}  // namespace ht::machine
