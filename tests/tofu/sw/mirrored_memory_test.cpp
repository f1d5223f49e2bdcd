// SPDX-License-Identifier: Apache-2.0
// Pages that are exchanged while other threads use what lies beside the program's memory.
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <catch2/catch.hpp>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <thread>
#include <vector>

#include "sw/host/memory.hpp"
#include "sw/tofu/functional/mirrored_memory.hpp"

using namespace ht;

namespace {

const std::size_t page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));

/// Fresh pages, as malloc() may get them.
class Pages {
 public:
  explicit Pages(std::size_t n)
      : bytes_(n * page),
        memory_(static_cast<std::byte*>(
            ::mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0))) {
    REQUIRE(memory_ != MAP_FAILED);
  }
  ~Pages() { ::munmap(memory_, bytes_); }
  Pages(const Pages&) = delete;
  Pages& operator=(const Pages&) = delete;
  std::byte* operator[](std::size_t i) const { return memory_ + i * page; }

 private:
  std::size_t bytes_;
  std::byte* memory_;
};

/// On a thread of its own counts in the last word of the page that is its turn, and looks whether
/// what it wrote is still there.
class Neighbour {
 public:
  explicit Neighbour(const Pages& pages) : pages_(pages), thread_([this] { run(); }) {}
  ~Neighbour() {
    end_ = true;
    thread_.join();
  }
  Neighbour(const Neighbour&) = delete;
  Neighbour& operator=(const Neighbour&) = delete;
  /// Returns when it counts there.
  void go_to(std::size_t i) {
    turn_ = i;
    while (at_ != i) std::this_thread::yield();
  }
  std::uint64_t lost() const { return lost_; }

 private:
  void run() {
    std::uint64_t written = 0;
    for (std::size_t i = none; !end_; at_ = i) {
      const std::size_t turn = turn_;
      if (turn == none) continue;
      if (i != turn) written = 0;
      i = turn;
      auto* const word =
          reinterpret_cast<volatile std::uint64_t*>(pages_[i] + page - sizeof(std::uint64_t));
      for (unsigned n = 0; n < 64; ++n) {
        if (*word != written) ++lost_;
        *word = ++written;
      }
    }
  }

  static constexpr std::size_t none = ~std::size_t{0};
  const Pages& pages_;
  std::atomic<std::size_t> turn_{none}, at_{none};
  std::atomic<bool> end_{false};
  std::atomic<std::uint64_t> lost_{0};
  std::thread thread_;
};

}  // namespace

TEST_CASE("registered memory: what another thread writes beside it is not lost") {
  constexpr std::size_t exchanges = 400;
  const Pages pages(exchanges);
  host::NodeMemory memory((exchanges + 1) * page);
  Neighbour neighbour(pages);
  std::vector<std::unique_ptr<tofu::MirroredMemory>> mirrors;
  for (std::size_t i = 0; i < exchanges; ++i) {
    neighbour.go_to(i);
    mirrors.push_back(std::make_unique<tofu::MirroredMemory>(memory, pages[i] + 64, 128));
  }
  CHECK(neighbour.lost() == 0);
}

TEST_CASE("registered memory: two threads register their parts of a page at once") {
  constexpr std::size_t exchanges = 500;
  const Pages pages(exchanges);
  std::atomic<unsigned> ready{0};
  const auto register_all = [&](std::size_t offset, std::size_t& wrong) {
    host::NodeMemory memory((exchanges + 1) * page);
    std::vector<std::unique_ptr<tofu::MirroredMemory>> mirrors;
    ++ready;
    while (ready < 2) std::this_thread::yield();
    for (std::size_t i = 0; i < exchanges; ++i)
      mirrors.push_back(std::make_unique<tofu::MirroredMemory>(memory, pages[i] + offset, 64));
    ++ready;
    while (ready < 4) std::this_thread::yield();
    // From here on what the program writes is there for the hardware, without a call.
    for (std::size_t i = 0; i < exchanges; ++i) {
      std::memset(pages[i] + offset, static_cast<int>(1 + i % 255), 64);
      if (std::memcmp(mirrors[i]->image(), pages[i] + offset, 64) != 0) ++wrong;
    }
  };
  std::size_t wrong[2] = {};
  std::thread other([&] { register_all(1024, wrong[1]); });
  register_all(0, wrong[0]);
  other.join();
  CHECK(wrong[0] == 0);
  CHECK(wrong[1] == 0);
}

namespace {
std::atomic<unsigned> faults{0};
void make_writable(int, siginfo_t* info, void*) {
  ++faults;
  if (info->si_code <= 0) return;  // raised
  const auto address = reinterpret_cast<std::uintptr_t>(info->si_addr);
  ::mprotect(reinterpret_cast<void*>(address / page * page), page, PROT_READ | PROT_WRITE);
}
}  // namespace

TEST_CASE("registered memory: a fault that is not ours goes to the handler that was there") {
  struct sigaction theirs {
  }, before{};
  theirs.sa_sigaction = make_writable;
  theirs.sa_flags = SA_SIGINFO;
  REQUIRE(::sigaction(SIGSEGV, &theirs, &before) == 0);
  const Pages pages(3);
  host::NodeMemory memory(8 * page);
  for (std::size_t i = 0; i < 2; ++i) {
    const tofu::MirroredMemory mirror(memory, pages[i], page);
    faults = 0;
    REQUIRE(::raise(SIGSEGV) == 0);
    CHECK(faults == 1);
    REQUIRE(::mprotect(pages[2], page, PROT_READ) == 0);
    *static_cast<volatile std::byte*>(pages[2]) = std::byte{1};
    CHECK(faults == 2);
  }
  REQUIRE(::sigaction(SIGSEGV, &before, nullptr) == 0);
}
