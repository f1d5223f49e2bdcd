// SPDX-License-Identifier: Apache-2.0
#include "sw/net/tftp.hpp"

#include <algorithm>
#include <cctype>

namespace ht::net {
namespace {

using Operation = TftpMessage::Operation;

void put16(Bytes& b, unsigned v) {
  b.push_back(static_cast<std::uint8_t>(v >> 8));
  b.push_back(static_cast<std::uint8_t>(v));
}
void put_text(Bytes& b, const std::string& s) {
  b.insert(b.end(), s.begin(), s.end());
  b.push_back(0);
}

// Takes texts that end with a zero byte.
class Texts {
 public:
  explicit Texts(std::span<const std::uint8_t> bytes) : rest_(bytes) {}
  bool take(std::string& to) {
    const auto zero = std::find(rest_.begin(), rest_.end(), 0);
    if (zero == rest_.end()) return false;
    to.assign(rest_.begin(), zero);
    rest_ = rest_.subspan(to.size() + 1);
    return true;
  }
  bool empty() const { return rest_.empty(); }

 private:
  std::span<const std::uint8_t> rest_;
};

bool same_name(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](char x, char y) {
    return std::tolower(static_cast<unsigned char>(x)) ==
           std::tolower(static_cast<unsigned char>(y));
  });
}

bool take_options(Texts& texts, TftpMessage& m) {
  while (!texts.empty()) {
    std::pair<std::string, std::string> option;
    if (!texts.take(option.first) || !texts.take(option.second)) return false;
    m.options.push_back(std::move(option));
  }
  return true;
}

}  // namespace

std::optional<std::string> TftpMessage::option(std::string_view name) const {
  for (const auto& [n, value] : options) {
    if (same_name(n, name)) return value;
  }
  return std::nullopt;
}

Bytes encode(const TftpMessage& m) {
  Bytes b;
  put16(b, static_cast<unsigned>(m.operation));
  switch (m.operation) {
    case Operation::ReadRequest:
    case Operation::WriteRequest:
      put_text(b, m.file);
      put_text(b, m.mode);
      break;
    case Operation::Data:
      put16(b, m.block);
      b.insert(b.end(), m.data.begin(), m.data.end());
      return b;
    case Operation::Acknowledge:
      put16(b, m.block);
      return b;
    case Operation::Error:
      put16(b, m.code);
      put_text(b, m.text);
      return b;
    case Operation::OptionAcknowledge:
      break;
  }
  for (const auto& [name, value] : m.options) {
    put_text(b, name);
    put_text(b, value);
  }
  return b;
}

std::optional<TftpMessage> decode(std::span<const std::uint8_t> b) {
  if (b.size() < 2 || b[0] != 0 || b[1] < 1 || b[1] > 6) return std::nullopt;
  TftpMessage m;
  m.operation = static_cast<Operation>(b[1]);
  const auto rest = b.subspan(2);
  Texts texts(rest);
  switch (m.operation) {
    case Operation::ReadRequest:
    case Operation::WriteRequest:
      if (!texts.take(m.file) || !texts.take(m.mode) || !take_options(texts, m))
        return std::nullopt;
      return m;
    case Operation::OptionAcknowledge:
      if (!take_options(texts, m)) return std::nullopt;
      return m;
    default:
      break;
  }
  if (rest.size() < 2) return std::nullopt;
  const auto number = static_cast<std::uint16_t>(rest[0] << 8 | rest[1]);
  if (m.operation == Operation::Error) {
    Texts text(rest.subspan(2));
    m.code = number;
    if (!text.take(m.text)) return std::nullopt;
    return m;
  }
  m.block = number;
  if (m.operation == Operation::Data) m.data.assign(rest.begin() + 2, rest.end());
  return m;
}

}  // namespace ht::net
