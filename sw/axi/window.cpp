// SPDX-License-Identifier: Apache-2.0
#include "sw/axi/window.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <new>

#include "sw/host/errors.hpp"

namespace ht::axi {
namespace {

constexpr std::size_t simulator_lock = 0, program_lock = 1;  // bytes of the file
constexpr long look_ns = 100'000'000;                        // whether the other side lives

struct flock lock_of(std::size_t byte) {
  struct flock range {};
  range.l_type = F_WRLCK;
  range.l_whence = SEEK_SET;
  range.l_start = static_cast<off_t>(byte);
  range.l_len = 1;
  return range;
}

}  // namespace

// ---------------------------------------------------------------------------------------------
// The file

WindowFile::WindowFile(const std::filesystem::path& path, std::uint64_t memory_address,
                       std::uint64_t memory_bytes)
    : name_(path.string()), simulator_(true) {
  const std::size_t bytes = WindowHeader::bytes + memory_bytes;
  make(bytes);
  header_ = new (base_) WindowHeader{};
  ::sem_init(&header_->asked, 1, 0);
  ::sem_init(&header_->answered, 1, 0);
  header_->memory_address = memory_address;
  header_->memory_bytes = memory_bytes;
  header_->mark = WindowHeader::letters;
}

void WindowFile::make(std::size_t bytes) {
  const auto create = [this] {
    return ::open(name_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  };
  file_ = create();
  if (file_ < 0 && errno == EEXIST) {
    // Of a simulator that was killed, perhaps.
    std::uint64_t mark = 0;
    file_ = ::open(name_.c_str(), O_RDWR | O_CLOEXEC);
    const bool left = file_ >= 0 && ::pread(file_, &mark, sizeof mark, 0) == sizeof mark &&
                      mark == WindowHeader::letters && !locked(simulator_lock);
    if (file_ >= 0) ::close(file_);
    if (left) ::unlink(name_.c_str());
    file_ = create();
  }
  if (file_ < 0)
    throw DataError(fmt::format("{}: cannot be made: {}", name_, std::strerror(errno)));
  lock(simulator_lock);
  // Room is taken now: later, who writes where there is none is killed.
  int error = ::posix_fallocate(file_, 0, static_cast<off_t>(bytes));
  if (error == 0) {
    try {
      map(bytes);
      return;
    } catch (const DataError&) {
      error = ENOMEM;
    }
  }
  close();
  throw DataError(fmt::format("{}: no room for {} bytes: {}", name_, bytes, std::strerror(error)));
}

WindowFile::WindowFile(const std::filesystem::path& path)
    : name_(path.string()), simulator_(false) {
  file_ = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
  if (file_ < 0)
    throw DataError(fmt::format("{}: cannot be opened: {}", name_, std::strerror(errno)));
  struct Closes {
    int* file;
    ~Closes() {
      if (file != nullptr) ::close(*file);
    }
  } closes{&file_};
  struct stat about {};
  if (::fstat(file_, &about) != 0 || about.st_size < static_cast<off_t>(WindowHeader::bytes))
    throw DataError(fmt::format("{}: is no window of a simulated node", name_));
  if (!locked(simulator_lock))
    throw UsageError(fmt::format("{}: nobody simulates this node any more", name_));
  if (!lock(program_lock))
    throw UsageError(fmt::format("{}: another process has opened it", name_));
  map(static_cast<std::size_t>(about.st_size));
  header_ = static_cast<WindowHeader*>(base_);
  if (header_->mark != WindowHeader::letters ||
      header_->memory_bytes != bytes_ - WindowHeader::bytes) {
    ::munmap(base_, bytes_);
    throw DataError(fmt::format("{}: is no window of a simulated node", name_));
  }
  if (header_->opened.exchange(1) != 0) {
    ::munmap(base_, bytes_);
    throw UsageError(fmt::format("{}: a process has opened it before, and ended", name_));
  }
  closes.file = nullptr;
}

WindowFile::~WindowFile() {
  ::munmap(base_, bytes_);
  close();
}

void WindowFile::close() {
  ::close(file_);
  if (simulator_) ::unlink(name_.c_str());
}

void WindowFile::map(std::size_t bytes) {
  base_ = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file_, 0);
  if (base_ == MAP_FAILED) {
    const std::string why = std::strerror(errno);
    throw DataError(fmt::format("{}: cannot be mapped: {}", name_, why));
  }
  bytes_ = bytes;
  memory_ =
      std::span(static_cast<std::byte*>(base_) + WindowHeader::bytes, bytes - WindowHeader::bytes);
}

// Locks of this open file: another one's, in this process too, are others.
bool WindowFile::lock(std::size_t byte) const {
  struct flock range = lock_of(byte);
  return ::fcntl(file_, F_OFD_SETLK, &range) == 0;
}

bool WindowFile::locked(std::size_t byte) const {
  struct flock range = lock_of(byte);
  return ::fcntl(file_, F_OFD_GETLK, &range) == 0 && range.l_type != F_UNLCK;
}

bool WindowFile::peer_lives() const {
  return locked(simulator_ ? program_lock : simulator_lock);
}

bool WindowFile::wait(sem_t& semaphore) const {
  for (;;) {
    const bool lives = peer_lives();  // before: what it left is still there
    timespec end{};
    ::clock_gettime(CLOCK_REALTIME, &end);
    end.tv_nsec += lives ? look_ns : 0;
    end.tv_sec += end.tv_nsec / 1'000'000'000;
    end.tv_nsec %= 1'000'000'000;
    if (::sem_timedwait(&semaphore, &end) == 0) return true;
    if (errno == ETIMEDOUT && !lives) return false;
  }
}

// ---------------------------------------------------------------------------------------------
// The program's side

Answer WindowBoard::ask(Ask what) {
  WindowHeader& h = file_.header();
  if (over_) throw ProtocolError(fmt::format("{}: nothing answers any more", file_.name()));
  h.ask = what;
  ::sem_post(&h.asked);
  if (!file_.wait(h.answered)) {
    over_ = true;
    throw ProtocolError(fmt::format("{}: the simulation of this node ended", file_.name()));
  }
  if (h.answer == Answer::Closed) {
    over_ = true;
    h.text[sizeof h.text - 1] = 0;
    throw ProtocolError(fmt::format("{}: {}", file_.name(), h.text));
  }
  now_ = h.now;
  interrupt_ = h.interrupt != 0;
  return h.answer;
}

// As on a board, where it is a fault of the processor's.
void WindowBoard::set_address(std::uint32_t address) {
  if (address % 4 != 0)
    throw UsageError(fmt::format("{}: no register at byte {:#x}", file_.name(), address));
  file_.header().address = address;
}

std::uint32_t WindowBoard::read(std::uint32_t address) {
  set_address(address);
  if (ask(Ask::Read) == Answer::Refused)
    throw HardwareError(fmt::format("{}: reading byte {:#x} was refused", file_.name(), address));
  return file_.header().value;
}

void WindowBoard::write(std::uint32_t address, std::uint32_t value) {
  set_address(address);
  file_.header().value = value;
  if (ask(Ask::Write) == Answer::Refused)
    throw HardwareError(fmt::format("{}: writing byte {:#x} was refused", file_.name(), address));
}

void WindowBoard::pause(Picoseconds duration) {
  file_.header().duration = std::max<Picoseconds>(duration, 0);
  ask(Ask::Pause);
}

// Who asks has come to its own end.
bool WindowBoard::job_ended() {
  if (!lingers_) ask(Ask::Linger);
  lingers_ = true;
  return file_.header().ended != 0;
}

void WindowBoard::end() {
  if (over_) return;
  ask(Ask::End);
  over_ = true;
}

WindowBoard::~WindowBoard() {
  try {
    end();
  } catch (const std::exception&) {
    // The simulation is gone: whoever asked it for something knows.
  }
}

// ---------------------------------------------------------------------------------------------
// The simulator's side

WindowServer::Request WindowServer::next() {
  WindowHeader& h = file_.header();
  // Until it is opened, nobody's lock is missed.
  constexpr double look_s = 0.001;
  for (double waited = 0; !opened_; waited += look_s) {
    opened_ = h.opened != 0;
    if (opened_) break;
    if (patience_ > 0 && waited > patience_)
      throw TimeoutError(
          fmt::format("{}: no program opened this node within {} s", file_.name(), patience_));
    const timespec pause{0, static_cast<long>(look_s * 1e9)};
    ::nanosleep(&pause, nullptr);
  }
  if (!file_.wait(h.asked))
    throw ProtocolError(fmt::format(
        "{}: the process that ran this node's program ended without saying so", file_.name()));
  return {h.ask, h.address, h.value, h.duration};
}

void WindowServer::answer(Answer how, std::uint32_t value, Picoseconds now, bool interrupt) {
  WindowHeader& h = file_.header();
  over_ = over_ || h.ask == Ask::End;
  h.answer = how;
  h.value = value;
  h.now = now;
  h.interrupt = interrupt ? 1 : 0;
  ::sem_post(&h.answered);
}

void WindowServer::close(const std::string& why) {
  if (over_) return;
  over_ = true;
  WindowHeader& h = file_.header();
  const std::size_t length = std::min(why.size(), sizeof h.text - 1);
  std::memcpy(h.text, why.data(), length);
  h.text[length] = 0;
  h.answer = Answer::Closed;
  ::sem_post(&h.answered);
}

}  // namespace ht::axi
