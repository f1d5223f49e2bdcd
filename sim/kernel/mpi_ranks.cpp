// SPDX-License-Identifier: Apache-2.0
#include "sim/kernel/mpi_ranks.hpp"

#define OMPI_SKIP_MPICXX 1  // the C interface only
#include <mpi.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <climits>
#include <cstring>
#include <map>
#include <stdexcept>
#include <string>
#include <thread>
#include <type_traits>

#include "sw/host/errors.hpp"

namespace ht::sim {
namespace {

using Bytes = std::vector<std::byte>;

// Kinds of messages.
constexpr int of_a_window = 0, outside_runs = 1;

void check(int code, const char* what) {
  if (code != MPI_SUCCESS) throw std::runtime_error(std::string("MPI failed: ") + what);
}

void append(Bytes& to, const Bytes& part) {
  const std::uint64_t size = part.size();
  const std::size_t at = to.size();
  to.resize(at + sizeof size + part.size());
  std::memcpy(to.data() + at, &size, sizeof size);
  if (!part.empty()) std::memcpy(to.data() + at + sizeof size, part.data(), part.size());
}

/// Cuts the next part off `from`, which starts at `at`.
std::span<const std::byte> next_part(const Bytes& from, std::size_t& at) {
  std::uint64_t size = 0;
  if (from.size() - at < sizeof size) throw std::runtime_error("a rank sent too few cables");
  std::memcpy(&size, from.data() + at, sizeof size);
  at += sizeof size;
  if (from.size() - at < size) throw std::runtime_error("a rank sent too few symbols");
  at += size;
  return std::span(from).subspan(at - size, size);
}

// MPI calls it with arrays of votes.
void add(void* in, void* inout, int* count, MPI_Datatype* /*type*/) {
  const auto* from = static_cast<const WindowVote*>(in);
  auto* to = static_cast<WindowVote*>(inout);
  for (int i = 0; i < *count; ++i) to[i] += from[i];
}

}  // namespace

struct MpiRanks::State {
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Datatype vote = MPI_DATATYPE_NULL;
  MPI_Op add_votes = MPI_OP_NULL;
  int rank = 0, ranks = 1;
  std::map<unsigned, Bytes> out;  ///< under way, by peer
  std::vector<MPI_Request> requests;
  std::uint64_t sent = 0;
  pid_t process = getpid();

  // MPI would take what a forked copy sends for ours.
  void end_copies() const {
    if (getpid() != process) _exit(static_cast<int>(ExitCode::Protocol));
  }
};

MpiRanks::MpiRanks() : state_(std::make_unique<State>()) {
  int initialised = 0;
  check(MPI_Initialized(&initialised), "MPI_Initialized");
  if (initialised == 0) throw std::runtime_error("MPI was not initialised before its first use");
  // A communicator of our own: nobody else's messages match ours.
  check(MPI_Comm_dup(MPI_COMM_WORLD, &state_->comm), "MPI_Comm_dup");
  check(MPI_Comm_rank(state_->comm, &state_->rank), "MPI_Comm_rank");
  check(MPI_Comm_size(state_->comm, &state_->ranks), "MPI_Comm_size");
  static_assert(std::is_trivially_copyable_v<WindowVote>);
  check(MPI_Type_contiguous(sizeof(WindowVote), MPI_BYTE, &state_->vote), "MPI_Type_contiguous");
  check(MPI_Type_commit(&state_->vote), "MPI_Type_commit");
  check(MPI_Op_create(add, 1, &state_->add_votes), "MPI_Op_create");
}

MpiRanks::~MpiRanks() {
  MPI_Op_free(&state_->add_votes);
  MPI_Type_free(&state_->vote);
  MPI_Comm_free(&state_->comm);
}

unsigned MpiRanks::rank() const {
  return static_cast<unsigned>(state_->rank);
}
unsigned MpiRanks::ranks() const {
  return static_cast<unsigned>(state_->ranks);
}

// Crossings are in the same order on both sides, so a message needs no names.
void MpiRanks::begin_exchange(const std::vector<Crossing>& crossings) {
  state_->end_copies();
  for (auto& [peer, bytes] : state_->out) bytes.clear();
  for (const Crossing& c : crossings) {
    if (c.outgoing) append(state_->out[c.peer], c.cable->take_sent());
  }
  for (const auto& [peer, bytes] : state_->out) {
    state_->sent += bytes.size();
    state_->requests.emplace_back();
    check(MPI_Isend(bytes.data(), static_cast<int>(bytes.size()), MPI_BYTE, static_cast<int>(peer),
                    of_a_window, state_->comm, &state_->requests.back()),
          "MPI_Isend");
  }
}

void MpiRanks::end_exchange(const std::vector<Crossing>& crossings) {
  std::map<unsigned, std::vector<CableBase*>> in;
  for (const Crossing& c : crossings) {
    if (!c.outgoing) in[c.peer].push_back(c.cable);
  }
  for (const auto& [peer, cables] : in) {
    MPI_Status status;
    int size = 0;
    check(MPI_Probe(static_cast<int>(peer), of_a_window, state_->comm, &status), "MPI_Probe");
    check(MPI_Get_count(&status, MPI_BYTE, &size), "MPI_Get_count");
    Bytes bytes(static_cast<std::size_t>(size));
    check(MPI_Recv(bytes.data(), size, MPI_BYTE, static_cast<int>(peer), of_a_window, state_->comm,
                   MPI_STATUS_IGNORE),
          "MPI_Recv");
    std::size_t at = 0;
    for (CableBase* cable : cables) cable->put_sent(next_part(bytes, at));
    if (at != bytes.size()) throw std::runtime_error("a rank sent more cables than this one has");
  }
  auto& requests = state_->requests;
  check(MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE),
        "MPI_Waitall");
  requests.clear();
}

WindowVote MpiRanks::combine(const WindowVote& mine) {
  state_->end_copies();
  WindowVote v = mine;
  check(MPI_Allreduce(MPI_IN_PLACE, &v, 1, state_->vote, state_->add_votes, state_->comm),
        "MPI_Allreduce");
  return v;
}

void MpiRanks::send(unsigned to, std::span<const std::byte> bytes) {
  check(MPI_Send(bytes.data(), static_cast<int>(bytes.size()), MPI_BYTE, static_cast<int>(to),
                 outside_runs, state_->comm),
        "MPI_Send");
}

bool MpiRanks::receive(unsigned from, std::span<std::byte> bytes, const std::atomic<bool>& stop) {
  // It may take long, and nobody else waits: no need to keep a core busy.
  constexpr std::chrono::milliseconds between_looks{1};
  for (int there = 0; there == 0;) {
    check(MPI_Iprobe(static_cast<int>(from), outside_runs, state_->comm, &there, MPI_STATUS_IGNORE),
          "MPI_Iprobe");
    if (there != 0) break;
    if (stop) return false;
    std::this_thread::sleep_for(between_looks);
  }
  check(MPI_Recv(bytes.data(), static_cast<int>(bytes.size()), MPI_BYTE, static_cast<int>(from),
                 outside_runs, state_->comm, MPI_STATUS_IGNORE),
        "MPI_Recv");
  return true;
}

std::uint64_t MpiRanks::bytes_sent() const {
  return state_->sent;
}

void MpiRanks::merge(std::span<std::byte> bytes) {
  state_->end_copies();
  constexpr std::size_t most = std::size_t{1} << 30;  // MPI counts in int
  for (std::size_t at = 0; at < bytes.size(); at += most) {
    const auto count = static_cast<int>(std::min(most, bytes.size() - at));
    check(MPI_Allreduce(MPI_IN_PLACE, bytes.data() + at, count, MPI_BYTE, MPI_BOR, state_->comm),
          "MPI_Allreduce");
  }
}

std::vector<std::string> MpiRanks::gather(const std::string& mine) {
  state_->end_copies();
  if (mine.size() > INT_MAX) throw std::runtime_error("a rank has more to say than MPI carries");
  const auto ranks = static_cast<std::size_t>(state_->ranks);
  const int size = static_cast<int>(mine.size());
  std::vector<int> sizes(ranks), begins(ranks);
  check(MPI_Allgather(&size, 1, MPI_INT, sizes.data(), 1, MPI_INT, state_->comm), "MPI_Allgather");
  std::int64_t total = 0;
  for (std::size_t r = 0; r < ranks; ++r) {
    begins[r] = static_cast<int>(total);
    total += sizes[r];
    if (total > INT_MAX) throw std::runtime_error("ranks have more to say than MPI carries");
  }
  std::string all(static_cast<std::size_t>(total), '\0');
  check(MPI_Allgatherv(mine.data(), size, MPI_CHAR, all.data(), sizes.data(), begins.data(),
                       MPI_CHAR, state_->comm),
        "MPI_Allgatherv");
  std::vector<std::string> texts;
  for (std::size_t r = 0; r < ranks; ++r)
    texts.push_back(
        all.substr(static_cast<std::size_t>(begins[r]), static_cast<std::size_t>(sizes[r])));
  return texts;
}

}  // namespace ht::sim
