// SPDX-License-Identifier: Apache-2.0
// Drives a target where it is not libFuzzer that does: runs all seeds, then inputs made of them.
//   fuzz_NAME CORPUS [--executions N] [--first I]    CORPUS: a folder of seeds; CORPUS.dict: words
//   fuzz_NAME FILE                                   one input, as it is
// An input that ends the process, or takes longer than 20 s, is written to fuzz-NAME.input in the
// current folder.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "tests/fuzz/mutator.hpp"
#include "tests/fuzz/property.hpp"

// Of a sanitizer's runtime, where there is one: it ends the process without a signal.
extern "C" __attribute__((weak)) void __sanitizer_set_death_callback(void (*callback)());

namespace {

namespace fs = std::filesystem;

constexpr unsigned longest_seconds = 20;

// Signal handlers can reach nothing but static objects.
std::string current, reproducer, program;

void print(const std::string& text) {
  if (write(STDERR_FILENO, text.data(), text.size()) < 0) return;
}

void keep_input() {
  const int file = open(reproducer.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (file < 0 || write(file, current.data(), current.size()) < 0)
    print("finding: the input cannot be written\n");
  print("finding: ");
  print(reproducer);
  print("\nrun it again: ");
  print(program);
  print(" ");
  print(reproducer);
  print("\n");
}

void on_signal(int signal) {
  if (signal == SIGALRM) print("an input takes too long\n");
  keep_input();
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

std::string content(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

void run(std::string input) {
  current = std::move(input);
  alarm(longest_seconds);
  // On the heap and as long as it is: a byte behind it is not the input's.
  const std::vector<std::uint8_t> bytes(current.begin(), current.end());
  LLVMFuzzerTestOneInput(bytes.data(), bytes.size());
}

std::uint64_t number(const char* text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text, text + std::strlen(text), value);
  if (error != std::errc{} || *end != '\0') {
    std::fprintf(stderr, "%s: no number\n", text);
    std::exit(2);
  }
  return value;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2 || argc % 2 != 0) {
    std::fprintf(stderr, "usage: %s CORPUS|FILE [--executions N] [--first I]\n", argv[0]);
    return 2;
  }
  std::uint64_t executions = 0, first = 0;
  for (int i = 2; i < argc; i += 2)
    (std::strcmp(argv[i], "--first") == 0 ? first : executions) = number(argv[i + 1]);
  const fs::path corpus = argv[1];
  program = fs::absolute(argv[0]).string();
  reproducer = (fs::current_path() / (fs::path(argv[0]).filename().string() + ".input")).string();
  for (const int signal : {SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGALRM}) {
    // A sanitizer's own handler knows more.
    struct sigaction before {};
    sigaction(signal, nullptr, &before);
    if (before.sa_handler == SIG_DFL) std::signal(signal, on_signal);
  }
  if (__sanitizer_set_death_callback != nullptr) __sanitizer_set_death_callback(keep_input);

  std::vector<fs::path> files;
  if (fs::is_regular_file(corpus)) files.push_back(corpus);
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(corpus, error)) files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  std::vector<std::string> seeds;
  for (const fs::path& file : files) {
    seeds.push_back(content(file));
    run(seeds.back());
  }
  if (seeds.empty()) {
    std::fprintf(stderr, "%s: no seeds\n", argv[1]);
    return 2;
  }
  const ht::fuzz::Mutator mutator(seeds, ht::fuzz::dictionary(content(corpus.string() + ".dict")));
  for (std::uint64_t i = first; i < first + executions; ++i) run(mutator.input(i));
  std::fprintf(stderr, "%zu seeds and %llu inputs made of them: no finding\n", seeds.size(),
               static_cast<unsigned long long>(executions));
}
