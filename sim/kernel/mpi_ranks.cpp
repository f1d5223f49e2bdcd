// SPDX-License-Identifier: Apache-2.0
#include "sim/kernel/mpi_ranks.hpp"

#define OMPI_SKIP_MPICXX 1  // the C interface only
#include <mpi.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <stdexcept>
#include <string>

namespace ht::sim {
namespace {

using Bytes = std::vector<std::byte>;

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

}  // namespace

struct MpiRanks::State {
  MPI_Comm comm = MPI_COMM_NULL;
  int rank = 0, ranks = 1;
};

MpiRanks::MpiRanks() : state_(std::make_unique<State>()) {
  int initialised = 0;
  check(MPI_Initialized(&initialised), "MPI_Initialized");
  if (initialised == 0) throw std::runtime_error("MPI was not initialised before its first use");
  // A communicator of our own: nobody else's messages match ours.
  check(MPI_Comm_dup(MPI_COMM_WORLD, &state_->comm), "MPI_Comm_dup");
  check(MPI_Comm_rank(state_->comm, &state_->rank), "MPI_Comm_rank");
  check(MPI_Comm_size(state_->comm, &state_->ranks), "MPI_Comm_size");
}

MpiRanks::~MpiRanks() {
  MPI_Comm_free(&state_->comm);
}

unsigned MpiRanks::rank() const {
  return static_cast<unsigned>(state_->rank);
}
unsigned MpiRanks::ranks() const {
  return static_cast<unsigned>(state_->ranks);
}

void MpiRanks::exchange(const std::vector<Crossing>& crossings) {
  // Crossings are in the same order on both sides, so a message needs no names.
  std::map<unsigned, Bytes> out;
  std::map<unsigned, std::vector<CableBase*>> in;
  for (const Crossing& c : crossings) {
    if (c.outgoing) {
      append(out[c.peer], c.cable->take_sent());
    } else {
      in[c.peer].push_back(c.cable);
    }
  }
  std::vector<MPI_Request> requests;
  for (const auto& [peer, bytes] : out) {
    requests.emplace_back();
    check(MPI_Isend(bytes.data(), static_cast<int>(bytes.size()), MPI_BYTE, static_cast<int>(peer),
                    0, state_->comm, &requests.back()),
          "MPI_Isend");
  }
  for (const auto& [peer, cables] : in) {
    MPI_Status status;
    int size = 0;
    check(MPI_Probe(static_cast<int>(peer), 0, state_->comm, &status), "MPI_Probe");
    check(MPI_Get_count(&status, MPI_BYTE, &size), "MPI_Get_count");
    Bytes bytes(static_cast<std::size_t>(size));
    check(MPI_Recv(bytes.data(), size, MPI_BYTE, static_cast<int>(peer), 0, state_->comm,
                   MPI_STATUS_IGNORE),
          "MPI_Recv");
    std::size_t at = 0;
    for (CableBase* cable : cables) cable->put_sent(next_part(bytes, at));
    if (at != bytes.size()) throw std::runtime_error("a rank sent more cables than this one has");
  }
  check(MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE),
        "MPI_Waitall");
}

WindowVote MpiRanks::combine(const WindowVote& mine) {
  std::array<std::uint64_t, 7> sums = {mine.unfinished, mine.progress, mine.in_flight, mine.stop,
                                       mine.failed,     mine.sent,     mine.restless};
  // A maximum is the minimum of the negatives.
  std::array<std::int64_t, 5> least = {mine.wake, mine.node_wake, mine.safe_window,
                                       -mine.computing_until, -mine.processor_ns};
  check(MPI_Allreduce(MPI_IN_PLACE, sums.data(), 7, MPI_UINT64_T, MPI_SUM, state_->comm),
        "MPI_Allreduce");
  check(MPI_Allreduce(MPI_IN_PLACE, least.data(), 5, MPI_INT64_T, MPI_MIN, state_->comm),
        "MPI_Allreduce");
  WindowVote v;
  v.unfinished = sums[0];
  v.progress = sums[1];
  v.in_flight = sums[2];
  v.stop = sums[3];
  v.failed = sums[4];
  v.sent = sums[5];
  v.restless = sums[6];
  v.wake = least[0];
  v.node_wake = least[1];
  v.safe_window = least[2];
  v.computing_until = -least[3];
  v.processor_ns = -least[4];
  return v;
}

void MpiRanks::merge(std::span<std::byte> bytes) {
  constexpr std::size_t most = std::size_t{1} << 30;  // MPI counts in int
  for (std::size_t at = 0; at < bytes.size(); at += most) {
    const auto count = static_cast<int>(std::min(most, bytes.size() - at));
    check(MPI_Allreduce(MPI_IN_PLACE, bytes.data() + at, count, MPI_BYTE, MPI_BOR, state_->comm),
          "MPI_Allreduce");
  }
}

}  // namespace ht::sim
