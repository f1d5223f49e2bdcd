// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/mutator.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace ht::fuzz {
namespace {

constexpr std::size_t longest = 1 << 14;

// Not a distribution of the library: those differ between libraries.
std::size_t below(std::mt19937_64& random, std::size_t count) {
  return static_cast<std::size_t>(random() % count);
}

std::ptrdiff_t place(std::mt19937_64& random, const std::string& text) {
  return static_cast<std::ptrdiff_t>(below(random, text.size() + 1));
}

std::string piece(std::mt19937_64& random, const std::string& text) {
  const std::size_t at = below(random, text.size() + 1);
  return text.substr(at, below(random, text.size() - at + 1));
}

unsigned digit(char c) {
  return static_cast<unsigned>(c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10);
}

}  // namespace

Mutator::Mutator(std::vector<std::string> seeds, std::vector<std::string> words)
    : seeds_(std::move(seeds)), words_(std::move(words)) {}

std::string Mutator::input(std::uint64_t number) const {
  std::mt19937_64 random(number);
  std::string text = seeds_[below(random, seeds_.size())];
  // Mostly one change: a checked format refuses at the first.
  for (std::size_t left = std::size_t{1} << below(random, 4); left > 0; --left)
    change(text, random);
  text.resize(std::min(text.size(), longest));
  return text;
}

void Mutator::change(std::string& text, std::mt19937_64& random) const {
  static constexpr char edges[] = {'\0', '\1', '\x7f', '\x80', '\xff', '0', '9', '-', ' ', '\n'};
  const std::size_t kind = below(random, 9);
  if (text.empty() || kind == 0) {
    const std::string& other = seeds_[below(random, seeds_.size())];
    text.insert(static_cast<std::size_t>(place(random, text)), piece(random, other));
    return;
  }
  const std::size_t at = below(random, text.size());
  switch (kind) {
    case 1:
    case 2:
      text[at] = static_cast<char>(text[at] ^ static_cast<char>(1U << below(random, 8)));
      break;
    case 3:
      text[at] = static_cast<char>(random());
      break;
    case 4:
      text[at] = edges[below(random, sizeof edges)];
      break;
    case 5:
      text.erase(at, std::size_t{1} << below(random, 8));
      break;
    case 6:
      text.insert(at, piece(random, text));
      break;
    case 7: {
      const std::string& other = seeds_[below(random, seeds_.size())];
      text = text.substr(0, at) + other.substr(std::min(at, other.size()));
      break;
    }
    default: {
      const std::string word = words_.empty() ? std::string(1 + below(random, 8), '\xff')
                                              : words_[below(random, words_.size())];
      if (below(random, 2) == 0) text.erase(at, word.size());
      text.insert(std::min(at, text.size()), word);
    }
  }
}

std::vector<std::string> dictionary(const std::string& text) {
  std::vector<std::string> words;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string line = text.substr(at, end - at);
    at = end + 1;
    const std::size_t open = line.find('"'), close = line.rfind('"');
    if (line.starts_with('#') || open == close) continue;
    std::string word;
    for (std::size_t i = open + 1; i < close; ++i) {
      if (line[i] != '\\') {
        word += line[i];
      } else if (line[++i] != 'x') {
        word += line[i];
      } else {
        word += static_cast<char>(digit(line[i + 1]) * 16 + digit(line[i + 2]));
        i += 2;
      }
    }
    words.push_back(word);
  }
  return words;
}

}  // namespace ht::fuzz
