// SPDX-License-Identifier: Apache-2.0
// A simulated node's window: one file a node, in memory that two processes share. At its beginning
// lies a letter box for register accesses, behind it the node's memory.
//
// Both processes move in turn: while the program runs, simulated time stands still at its node;
// while it waits for an answer, it runs. So a program over a window sees the same times, to the
// picosecond, however its process is scheduled.
#pragma once
#include <semaphore.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>

#include "sw/axi/board.hpp"

namespace ht::axi {

/// What a program asks of its node.
enum class Ask : std::uint32_t { Read, Write, Pause, Linger, End };
/// Ok; the bus refused it; the simulation has ended, and `text` says why.
enum class Answer : std::uint32_t { Ok, Refused, Closed };

/// What lies at the beginning of the file.
struct WindowHeader {
  static constexpr std::uint64_t letters = 0x3157'4452'414f'4248;  // "HBOARDW1"
  static constexpr std::size_t bytes = 4096;

  std::uint64_t mark;
  std::uint64_t memory_address, memory_bytes;
  sem_t asked, answered;
  Ask ask;
  Answer answer;
  std::uint32_t address, value;
  std::uint32_t interrupt;
  Picoseconds duration, now;
  std::atomic<std::uint32_t> opened;  ///< by a program: a second one is refused, even later
  std::atomic<std::uint32_t> ended;   ///< programs of all nodes
  char text[1024];
};
static_assert(sizeof(WindowHeader) <= WindowHeader::bytes);

/// A file of a window, mapped. The process that made it and the one that opened it each hold a lock
/// in it, by which the other sees that it is gone, whatever ended it.
class WindowFile {
 public:
  /// The simulator's side; a window that its simulator left behind is made anew. Throws DataError
  /// if the file cannot be made.
  WindowFile(const std::filesystem::path& path, std::uint64_t memory_address,
             std::uint64_t memory_bytes);
  /// The program's. Throws DataError, naming the file, for what is no window, and UsageError for
  /// one that a process has opened before or that nobody simulates.
  explicit WindowFile(const std::filesystem::path& path);
  ~WindowFile();
  WindowFile(const WindowFile&) = delete;
  WindowFile& operator=(const WindowFile&) = delete;

  WindowHeader& header() { return *header_; }
  std::span<std::byte> memory() { return memory_; }
  const std::string& name() const { return name_; }
  /// The other side holds its lock.
  bool peer_lives() const;
  /// Waits for `semaphore`; false if the other side ended before.
  bool wait(sem_t& semaphore) const;

 private:
  void make(std::size_t bytes);
  void map(std::size_t bytes);
  void close();
  bool lock(std::size_t byte) const;
  bool locked(std::size_t byte) const;

  std::string name_;
  int file_ = -1;
  bool simulator_;
  void* base_ = nullptr;
  std::size_t bytes_ = 0;
  WindowHeader* header_ = nullptr;
  std::span<std::byte> memory_;
};

/// The program's side of a simulated node.
class WindowBoard final : public Board {
 public:
  /// As WindowFile().
  explicit WindowBoard(const std::filesystem::path& path) : file_(path) {}
  /// Says that the program has ended, unless end() did.
  ~WindowBoard() override;

  std::uint32_t read(std::uint32_t address) override;
  void write(std::uint32_t address, std::uint32_t value) override;
  std::span<std::byte> memory() override { return file_.memory(); }
  std::uint64_t memory_address() const override { return address_; }
  Picoseconds now() override { return now_; }
  void pause(Picoseconds duration) override;
  void compute(Picoseconds duration) override { pause(duration); }
  bool interrupt() override { return interrupt_; }
  bool job_ended() override;

  /// The last thing that is asked.
  void end();

 private:
  Answer ask(Ask what);
  void set_address(std::uint32_t address);

  WindowFile file_;
  std::uint64_t address_ = file_.header().memory_address;
  Picoseconds now_ = 0;
  bool interrupt_ = false, lingers_ = false, over_ = false;
};

/// The simulator's side.
class WindowServer {
 public:
  /// `patience`: a program must open it within so many seconds after next() asked for it; 0: at any
  /// time.
  WindowServer(const std::filesystem::path& path, std::uint64_t memory_address,
               std::uint64_t memory_bytes, double patience = 0)
      : file_(path, memory_address, memory_bytes), patience_(patience) {}
  /// Whoever waits for an answer gets Closed.
  ~WindowServer() { close("the simulation has ended"); }

  std::span<std::byte> memory() { return file_.memory(); }

  struct Request {
    Ask what;
    std::uint32_t address, value;
    Picoseconds duration;
  };
  /// Waits for the program. Throws ProtocolError if its process ended without Ask::End, and
  /// TimeoutError if none came in time.
  Request next();
  void answer(Answer how, std::uint32_t value, Picoseconds now, bool interrupt);
  /// The simulation goes no further, because of `why`: for whoever asks something.
  void close(const std::string& why);
  /// To all that look whether the job has ended.
  void job_ended() { file_.header().ended = 1; }

 private:
  WindowFile file_;
  double patience_;  ///< s
  bool opened_ = false, over_ = false;
};

}  // namespace ht::axi
