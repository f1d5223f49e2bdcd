// SPDX-License-Identifier: Apache-2.0
#include "tests/tofu/sw/random_calls.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <random>
#include <span>

#include "sw/qmp/capabilities.hpp"
#include "sw/tofu/utofu/utofu_pattern.hpp"
#include "tests/tofu/sw/random_commands.hpp"

namespace ht::test {
namespace {

using U64 = std::uint64_t;

// Memory that is registered with each VCQ: what is sent from and read by others, which changes
// between rounds only; and where puts of every sender and call, and one's own gets, land.
constexpr std::size_t slot = 1024, calls_a_round = 12, out_bytes = calls_a_round * slot;
constexpr unsigned memory_stag = 3, read_only_stag = 4, no_stag = 77;
constexpr std::size_t queues = 2;
// Within it everything that was commanded is done, on any network.
constexpr Picoseconds settled = 100'000'000;
// A counter, and behind it what nobody writes.
constexpr std::size_t counter_bytes = 16, end_bytes = 64;

class RandomCalls {
 public:
  RandomCalls(qmp::Transport& transport, RandomCallsBoard& board, unsigned seed)
      : transport_(transport),
        board_(board),
        common_(seed),
        random_(seed * 1'000 + static_cast<unsigned>(transport.rank())),
        rank_(static_cast<std::size_t>(transport.rank())),
        nodes_(board.vcqs.size()),
        bytes_(out_bytes + (nodes_ + 1) * calls_a_round * slot + counter_bytes + end_bytes) {}

  std::vector<std::string> run(int rounds) {
    ask();
    open();
    for (int i = 0; i < rounds; ++i) {
      command_round();
      gate_round();
    }
    close();
    return std::move(log_);
  }

 private:
  struct Queue {
    utofu_vcq_hdl_t vcq = 0;
    std::byte* memory = nullptr;
    utofu_stadd_t stadd = 0, read_only = 0;
  };

  std::size_t pick(std::size_t n) { return static_cast<std::size_t>(random_() % n); }
  bool one_in(std::size_t n) { return pick(n) == 0; }
  template <class... Args>
  void note(fmt::format_string<Args...> format, Args&&... args) {
    log_.push_back(fmt::format(format, std::forward<Args>(args)...));
  }
  void barrier() { transport_.global_signals()->signal_barrier(); }
  void settle() {
    barrier();
    transport_.runtime().advance(settled);
    barrier();
  }
  std::size_t landing(std::size_t sender, std::size_t call) const {
    return out_bytes + (sender * calls_a_round + call) * slot;
  }
  utofu_vcq_id_t vcq_of(std::size_t rank, std::size_t queue) const {
    return board_.vcqs[rank][queue];
  }

  // What the machine says of itself, and of ids that are right or wrong.
  void ask() {
    utofu_tni_id_t* tnis = nullptr;
    std::size_t count = 0;
    note("onesided tnis {}", utofu_get_onesided_tnis(&tnis, &count));
    note("  {}", fmt::join(std::span(tnis, count), ","));
    std::free(tnis);
    note("barrier tnis {}", utofu_get_barrier_tnis(&tnis, &count));
    note("  {}", fmt::join(std::span(tnis, count), ","));
    std::free(tnis);
    for (const utofu_tni_id_t tni : {utofu_tni_id_t{0}, utofu_tni_id_t{3}, utofu_tni_id_t{9}}) {
      utofu_onesided_caps* c = nullptr;
      utofu_barrier_caps* b = nullptr;
      const int rc = utofu_query_onesided_caps(tni, &c), brc = utofu_query_barrier_caps(tni, &b);
      note("caps of {}: {} {}", tni, rc, brc);
      if (rc == 0)
        note("  {} {} {} {} {} {} {} {} {} {} {} {}", c->flags, c->armw_ops, c->num_cmp_ids,
             c->num_reserved_stags, c->cache_line_size, c->stag_address_alignment,
             c->max_toq_desc_size, c->max_putget_size, c->max_piggyback_size, c->max_edata_size,
             c->max_mtu, c->max_gap);
      if (brc == 0)
        note("  {} {} {} {}", b->flags, b->reduce_ops, b->max_uint64_reduction,
             b->max_double_reduction);
    }
    int major = 0, minor = 0;
    utofu_query_tofu_version(&major, &minor);
    note("version {}.{}", major, minor);
    std::array<std::uint8_t, 6> at{};
    note("coordinates {}", utofu_query_my_coords(at.data()));
    note("  {}", fmt::join(at, ","));
    for (int i = 0; i < 8; ++i) {
      for (std::uint8_t& c : at) c = static_cast<std::uint8_t>(one_in(3) ? pick(3) : 0);
      const auto tni = static_cast<utofu_tni_id_t>(pick(6)),
                 cq = static_cast<utofu_cq_id_t>(pick(10)),
                 cmp = static_cast<utofu_cmp_id_t>(pick(10));
      utofu_vcq_id_t id = 0;
      note("construct {},{},{},{}: {}", fmt::join(at, ","), tni, cq, cmp,
           utofu_construct_vcq_id(at.data(), tni, cq, cmp, &id));
      std::array<std::uint8_t, 3> path{static_cast<std::uint8_t>(pick(2)),
                                       static_cast<std::uint8_t>(pick(3)),
                                       static_cast<std::uint8_t>(pick(2))};
      utofu_path_id_t path_id = 0;
      const int rc = utofu_get_path_id(id, path.data(), &path_id);
      note("  id {:x}, path {}: {} {} {}", id, fmt::join(path, ","), rc, path_id,
           utofu_set_vcq_id_path(&id, one_in(3) ? nullptr : path.data()));
      note("  with path {:x}: {}", id,
           utofu_get_path_coords(id, static_cast<utofu_path_id_t>(pick(18)), path.data()));
      note("  {}: {}", fmt::join(path, ","),
           utofu_query_vcq_info(id ^ (one_in(4) ? U64{1} << pick(64) : 0), at.data(), nullptr,
                                nullptr, nullptr));
    }
  }

  void open() {
    board_.vcqs[rank_].resize(queues);
    for (std::size_t q = 0; q < queues; ++q) {
      Queue& queue = queues_[q];
      const auto tni = static_cast<utofu_tni_id_t>((common_() + q) % 4);
      utofu_vcq_hdl_t none = 0;
      note("create {} {} {}", utofu_create_vcq(static_cast<utofu_tni_id_t>(4 + pick(9)), 0, &none),
           utofu_create_vcq(tni, U64{1} << (5 + pick(20)), &none),
           utofu_create_vcq_with_cmp_id(tni, static_cast<utofu_cmp_id_t>(q), 0, &queue.vcq));
      note("  id {} {:x}", utofu_query_vcq_id(queue.vcq, &board_.vcqs[rank_][q]),
           board_.vcqs[rank_][q]);
      // The network's own memory, and the program's.
      queue.memory = static_cast<std::byte*>(q == 0 ? transport_.allocate(bytes_, 4096)
                                                    : std::aligned_alloc(4096, rounded(bytes_)));
      std::memset(queue.memory, 0, bytes_);
      fill(queue);
      note("  register {} {}",
           utofu_reg_mem_with_stag(queue.vcq, queue.memory, bytes_, memory_stag, 0, &queue.stadd),
           utofu_reg_mem_with_stag(queue.vcq, queue.memory, out_bytes, read_only_stag,
                                   UTOFU_REG_MEM_FLAG_READ_ONLY, &queue.read_only));
      register_more(queue);
    }
    barrier();
  }

  static std::size_t rounded(std::size_t bytes) { return (bytes + 4095) / 4096 * 4096; }

  void fill(Queue& queue) {
    for (std::size_t i = 0; i < out_bytes; ++i) queue.memory[i] = static_cast<std::byte>(random_());
  }

  // Registrations, right and wrong, that last no longer than this.
  void register_more(Queue& queue) {
    for (int i = 0; i < 4; ++i) {
      utofu_stadd_t stadd = 0;
      const std::size_t from = 16 * pick(8) + (one_in(4) ? 1 + pick(15) : 0),
                        size = one_in(5) ? 0 : 1 + pick(500);
      const unsigned long flags = one_in(5) ? U64{1} << (1 + pick(30)) : pick(2);
      int rc = 0;
      if (one_in(2)) {
        const auto stag = static_cast<unsigned>(one_in(4) ? pick(600) : pick(8));
        rc = utofu_reg_mem_with_stag(queue.vcq, queue.memory + from, size, stag, flags, &stadd);
      } else {
        rc = utofu_reg_mem(queue.vcq, queue.memory + from, size, flags, &stadd);
      }
      note("  register {} bytes, flags {:x}: {}, {:x}; away {} {} {}", size, flags, rc, stadd,
           rc != 0 ? 0 : utofu_dereg_mem(queue.vcq, stadd, one_in(4) ? 1 : 0),
           rc != 0 ? 0 : utofu_dereg_mem(queue.vcq, stadd, 0),
           utofu_dereg_mem(queue.vcq, stadd ^ 0x1234'0000'0000ULL, 0));
    }
  }

  // ---- Commands

  void command_round() {
    for (std::size_t q = 0; q < queues; ++q) {
      for (std::size_t call = 0; call < calls_a_round; ++call) make_call(q, call);
    }
    settle();
    for (std::size_t q = 0; q < queues; ++q) {
      take_notices(queues_[q]);
      U64 hash = 0xcbf2'9ce4'8422'2325;
      for (std::size_t i = 0; i < bytes_; ++i)
        hash = (hash ^ static_cast<U64>(queues_[q].memory[i])) * 0x100'0000'01b3;
      note("memory {:x}", hash);
    }
    barrier();
    for (Queue& queue : queues_) {
      if (one_in(2)) fill(queue);
    }
    barrier();
  }

  void make_call(std::size_t q, std::size_t call) {
    const Queue& queue = queues_[q];
    const std::size_t to = pick(nodes_), to_queue = pick(queues);
    RandomCommand c;
    c.kind = pick(RandomCommand::kinds);
    c.vcq = queue.vcq;
    c.remote = vcq_of(to, to_queue);
    utofu_query_stadd(c.remote, memory_stag, &c.there);
    c.number = rank_ << 8 | q << 4 | call;
    c.length = 1 + pick(slot / 4);
    c.stride = pick(slot / 4);
    c.blocks = 1 + pick(3);
    c.mtu = 128 + pick(1'800);
    c.gap = pick(12);
    c.operation = static_cast<utofu_armw_op>(1 + pick(5));
    c.value = random_();
    c.expected = one_in(2) ? 0 : random_();
    c.edata = pick(256);
    c.flags = (pick(2) != 0 ? UTOFU_ONESIDED_FLAG_TCQ_NOTICE : 0) |
              (pick(2) != 0 ? UTOFU_ONESIDED_FLAG_LOCAL_MRQ_NOTICE : 0) |
              (pick(2) != 0 ? UTOFU_ONESIDED_FLAG_REMOTE_MRQ_NOTICE : 0) |
              (one_in(6) ? UTOFU_ONESIDED_FLAG_STRONG_ORDER : 0);
    if (c.gets()) {
      // From what the other side sends from, into a place of this call.
      c.here = queue.stadd + landing(nodes_, call);
      if (one_in(4)) {
        // To the last byte, and one byte beyond it.
        c.length = 1 + pick(end_bytes - 1);
        c.blocks = 1;
        c.there += bytes_ - c.length + pick(2);
      } else {
        c.there += pick(out_bytes - slot);
      }
    } else {
      c.here = queue.stadd + pick(out_bytes - slot);
      // Two queues of a sender share a landing place: each has half of it.
      c.there += landing(rank_, call) + (q == 0 ? 0 : slot / 2);
      c.length = std::min(c.length, slot / 8);
      c.stride = std::min(c.stride, slot / 8);
    }
    if (one_in(8)) {
      // All draw from one counter; who gets which number is the network's matter.
      c.kind = RandomCommand::add;
      c.operation = UTOFU_ARMW_OP_ADD;
      c.value = 1;
      c.edata = RandomCommand::shared_edata;
      utofu_query_stadd(c.remote, memory_stag, &c.there);
      c.there += bytes_ - end_bytes - counter_bytes;
    } else if (one_in(4)) {
      spoil(c, queue, to, to_queue);
    }
    note("{} to {}.{}: {}", c.name(), to, to_queue, one_in(3) ? c.post(pick(8)) : c.execute());
  }

  void spoil(RandomCommand& c, const Queue& queue, std::size_t to, std::size_t to_queue) {
    switch (pick(13)) {
      case 0:
        c.vcq ^= 0xff00;
        break;
      case 1:
        c.remote ^= U64{1} << (32 + pick(32));
        break;
      case 2: {
        // A queue that is not there, of a node that is.
        std::array<std::uint8_t, 6> at{};
        utofu_query_vcq_info(c.remote, at.data(), nullptr, nullptr, nullptr);
        utofu_construct_vcq_id(at.data(), 3, 6, 0, &c.remote);
        utofu_query_stadd(c.remote, memory_stag, &c.there);
        break;
      }
      case 3:
        utofu_query_stadd(vcq_of(to, to_queue), no_stag, &c.there);
        break;
      case 4:
        utofu_query_stadd(vcq_of(to, to_queue), read_only_stag, &c.there);
        break;
      case 5:
        c.there += bytes_;
        break;
      case 6:
        c.here += bytes_;
        break;
      case 7:
        c.here = vcq_of(rank_, 0) ^ pick(1'000);
        break;
      case 8:
        c.length = one_in(2) ? 0 : U64{1} << 24;
        break;
      case 9:
        c.edata = 1 << 20;
        break;
      case 10:
        c.flags |= U64{1} << (one_in(2) ? 10 + pick(4) : 16 + pick(8));
        break;
      case 11:
        c.flags |= UTOFU_ONESIDED_FLAG_PATH(1 + pick(40));
        break;
      default:
        c.blocks = c.mtu = c.gap = one_in(2) ? 0 : 5'000;
        c.operation = static_cast<utofu_armw_op>(one_in(2) ? 0 : 7);
        c.here = one_in(2) ? c.here : queue.read_only;
    }
  }

  void take_notices(Queue& queue) {
    std::size_t tcq = 0, mrq = 0;
    note("unread {} {}", utofu_query_num_unread_tcq(queue.vcq, &tcq),
         utofu_query_num_unread_mrq(queue.vcq, &mrq));
    note("  {} {}", tcq, mrq);
    std::vector<std::string> taken;
    for (;;) {
      void* data = nullptr;
      const int rc = utofu_poll_tcq(queue.vcq, 0, &data);
      if (rc == UTOFU_ERR_NOT_FOUND) break;
      taken.push_back(fmt::format("  tcq {} {:x}", rc, reinterpret_cast<std::uintptr_t>(data)));
    }
    for (;;) {
      utofu_mrq_notice n{};
      const int rc = utofu_poll_mrq(queue.vcq, 0, &n);
      if (rc == UTOFU_ERR_NOT_FOUND) break;
      const bool drawn =
          n.edata == RandomCommand::shared_edata && n.notice_type == UTOFU_MRQ_TYPE_LCL_ARMW;
      taken.push_back(fmt::format("  mrq {} {} {:x} {:x} {:x} {:x} {:x}", rc, n.notice_type,
                                  n.vcq_id, n.edata, drawn ? 0 : n.rmt_value, n.lcl_stadd,
                                  n.rmt_stadd));
    }
    // Commands to different nodes end in any order.
    std::ranges::sort(taken);
    log_.insert(log_.end(), taken.begin(), taken.end());
  }

  // ---- Gates

  void gate_round() {
    constexpr std::array algorithms{tofu::Algorithm::RecursiveDoubling, tofu::Algorithm::Tree};
    const tofu::BarrierPattern pattern(algorithms[common_() % algorithms.size()],
                                       static_cast<int>(nodes_));
    const std::size_t gates = pattern.gates(static_cast<int>(rank_)).size();
    auto& ids = board_.gates[rank_];
    ids.assign(gates, 0);
    std::array<utofu_vbg_id_t, 64> many{};
    note("allocate {} {} {} {}", utofu_alloc_vbg(0, gates, 0, ids.data()),
         utofu_alloc_vbg(static_cast<utofu_tni_id_t>(4 + pick(9)), 1, 0, many.data()),
         utofu_alloc_vbg(0, one_in(2) ? 0 : 64, 0, many.data()),
         utofu_alloc_vbg(0, 1, U64{1} << (1 + pick(20)), many.data()));
    for (const utofu_vbg_id_t id : ids) {
      std::array<std::uint8_t, 6> at{};
      utofu_tni_id_t tni = 0;
      utofu_bg_id_t gate = 0;
      const int rc = utofu_query_vbg_info(id, at.data(), &tni, &gate, nullptr);
      note("  gate {:x}: {} {} {} {}", id, rc, fmt::join(at, ","), tni, gate);
    }
    barrier();
    auto wiring = tofu::settings(pattern, static_cast<int>(rank_), board_.gates);
    note("start unwired {}", utofu_barrier(ids[0], 0));
    for (int i = 0; i < 2; ++i) {
      auto wrong = wiring;
      auto& s = wrong[pick(wrong.size())];
      std::array ends{&s.vbg_id, &s.src_lcl_vbg_id, &s.src_rmt_vbg_id, &s.dst_lcl_vbg_id,
                      &s.dst_rmt_vbg_id};
      *ends[pick(ends.size())] ^= one_in(2) ? U64{1} << pick(64) : ids[0] ^ ids[pick(ids.size())];
      note("wire wrongly {}", utofu_set_vbg(wrong.data(), wrong.size()));
    }
    note("wire {}", utofu_set_vbg(wiring.data(), wiring.size()));
    barrier();
    for (int i = 0; i < 3; ++i) operate(ids[0]);
    barrier();
    note("free {} {} {}", utofu_free_vbg(ids.data(), ids.size()),
         utofu_free_vbg(ids.data(), ids.size()), utofu_free_vbg(many.data(), 0));
    barrier();
  }

  void operate(utofu_vbg_id_t id) {
    const auto choice = common_() % 9;
    const bool refused = choice == 4;  // MAXLOC
    const bool mismatch = common_() % 5 == 0 && !refused;
    const auto op = static_cast<utofu_reduce_op>(mismatch && rank_ == 0 ? 2 : 2 + choice % 6);
    U64 word = random_();
    // Of any magnitude: the order-independent sum's bits are all that is compared.
    double real = std::bit_cast<double>(random_() & ~(U64{1} << 62));
    int rc = 0;
    if (choice == 8) {
      rc = mismatch && rank_ == 0 ? utofu_reduce_uint64(id, UTOFU_REDUCE_OP_SUM, &word, 1, 0)
                                  : utofu_barrier(id, 0);
    } else if (choice >= 6) {
      rc = utofu_reduce_double(id, UTOFU_REDUCE_OP_BFPSUM, &real, 1, 0);
    } else {
      rc = utofu_reduce_uint64(id, op, &word, 1, 0);
    }
    note("start {}: {}", choice, rc);
    if (rc == UTOFU_SUCCESS)
      note("  wrong {} {} {}", utofu_barrier(id ^ 0xff, 0),
           utofu_reduce_double(id, one_in(2) ? op : UTOFU_REDUCE_OP_BFPSUM, &real, 1 + pick(5), 0),
           utofu_reduce_uint64(id, op, &word, pick(9), pick(2)));
    U64 result = 0;
    double sum = 0;
    int ended = UTOFU_ERR_NOT_COMPLETED;
    while (ended == UTOFU_ERR_NOT_COMPLETED) {
      if (rc != UTOFU_SUCCESS || choice == 8)
        ended = utofu_poll_barrier(id, 0);
      else if (choice >= 6)
        ended = utofu_poll_reduce_double(id, 0, &sum);
      else
        ended = utofu_poll_reduce_uint64(id, 0, &result);
      // Another kind than this node started: it has ended when everybody has.
      if (ended == UTOFU_ERR_INVALID_OP) {
        note("  another kind {}", ended);
        ended = UTOFU_ERR_NOT_COMPLETED;
        while (ended == UTOFU_ERR_NOT_COMPLETED) ended = utofu_poll_reduce_uint64(id, 0, &result);
      }
    }
    note("  ended {}: {:x} {:x}; again {}", ended, result, std::bit_cast<U64>(sum),
         utofu_poll_barrier(id, 0));
    barrier();
  }

  void close() {
    settle();
    for (std::size_t q = 0; q < queues; ++q) {
      note("free {} {}", utofu_free_vcq(queues_[q].vcq), utofu_free_vcq(queues_[q].vcq));
      if (q == 0)
        transport_.release(queues_[q].memory);
      else
        std::free(queues_[q].memory);
    }
  }

  qmp::Transport& transport_;
  RandomCallsBoard& board_;
  std::mt19937_64 common_, random_;  ///< all nodes draw the same; its own
  std::size_t rank_, nodes_, bytes_;
  std::array<Queue, queues> queues_;
  std::vector<std::string> log_;
};

}  // namespace

std::vector<std::string> random_calls(qmp::Transport& transport, RandomCallsBoard& board,
                                      unsigned seed, int rounds) {
  return RandomCalls(transport, board, seed).run(rounds);
}

}  // namespace ht::test
