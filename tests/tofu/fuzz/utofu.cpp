// SPDX-License-Identifier: Apache-2.0
// Sequences of one-sided uTofu calls from node 0 to node 1 of a machine without hardware, with
// lengths, addresses and prepared commands out of the input. What ends well has done to memory what
// a model of it says; nothing ever changes beside the memory that is registered.
#include <algorithm>
#include <array>
#include <cstring>
#include <span>
#include <vector>

#include "sw/tofu/utofu/utofu_prepared.hpp"
#include "tests/fuzz/property.hpp"
#include "tests/tofu/sw/functional_ranks.hpp"

using namespace ht;
using namespace ht::fuzz;

namespace {

constexpr tofu::Shape two{{2, 1, 1, 1, 1, 1}};
constexpr std::size_t guard = 256, registered = 512, whole = 2 * guard + registered;
constexpr unsigned stag = 3;
constexpr Picoseconds settled = 50'000'000;
constexpr int most_calls = 12;
constexpr unsigned long notices =
    UTOFU_ONESIDED_FLAG_TCQ_NOTICE | UTOFU_ONESIDED_FLAG_LOCAL_MRQ_NOTICE;

using Memory = std::array<std::uint8_t, whole>;

Memory initial(int node) {
  Memory m;
  for (std::size_t i = 0; i < whole; ++i) m[i] = static_cast<std::uint8_t>(i * 37 + 91 * node);
  return m;
}

class Caller {
 public:
  Caller(Draw draw, tofu::Transport& transport, std::uint8_t* here, std::uint8_t* there,
         utofu_vcq_hdl_t vcq, utofu_vcq_id_t other, utofu_stadd_t here_at, utofu_stadd_t there_at)
      : draw_(draw),
        transport_(transport),
        memory_{here, there},
        model_{initial(0), initial(1)},
        vcq_(vcq),
        other_(other),
        here_(here_at),
        there_(there_at) {}

  void run() {
    for (int calls = 0; calls < most_calls && !draw_.empty(); ++calls) {
      switch (draw_.below(7)) {
        case 0:
          move(false);
          break;
        case 1:
          move(true);
          break;
        case 2:
          piggyback();
          break;
        case 3:
          atomic();
          break;
        case 4:
          blocks();
          break;
        case 5:
          prepared();
          break;
        default:
          wrong();
      }
    }
  }

 private:
  // In the registered part, and a little beyond its end. No bytes fit anywhere.
  std::size_t offset() { return draw_.number<std::uint16_t>() % (registered + 32); }
  static bool fits(std::size_t at, std::size_t length) {
    return length == 0 || at + length <= registered;
  }
  std::uint8_t* in_model(std::size_t node, std::size_t at) { return &model_[node][guard + at]; }

  // Whether what was commanded, with this answer, ended well.
  bool ended_well(int answer) {
    if (answer != UTOFU_SUCCESS) return false;
    transport_.runtime().advance(settled);
    bool good = true;
    int ends = 0, rc = 0;
    void* cbdata = nullptr;
    while ((rc = utofu_poll_tcq(vcq_, 0, &cbdata)) != UTOFU_ERR_NOT_FOUND && ++ends < 100)
      good = good && rc == UTOFU_SUCCESS;
    require(ends > 0 && ends < 100, "a command without an end, or with too many");
    while ((rc = utofu_poll_mrq(vcq_, 0, &notice_)) != UTOFU_ERR_NOT_FOUND && ++ends < 300)
      good = good && rc == UTOFU_SUCCESS;
    require(ends < 300, "notices without end");
    return good;
  }
  void compare() {
    for (std::size_t node = 0; node < 2; ++node)
      require(std::equal(model_[node].begin(), model_[node].end(), memory_[node]),
              "memory is not what the calls make of it");
  }
  // What did not end well may have done a part of it, within the registered memory.
  void accept() {
    for (std::size_t node = 0; node < 2; ++node)
      std::copy_n(memory_[node] + guard, registered, in_model(node, 0));
    compare();
  }

  void move(bool get) {
    const std::size_t a = offset(), b = offset(), length = draw_.number<std::uint8_t>();
    const std::uint64_t edata = draw_.number();
    const int answer =
        get ? utofu_get(vcq_, other_, here_ + a, there_ + b, length, edata, notices, nullptr)
            : utofu_put(vcq_, other_, here_ + a, there_ + b, length, edata, notices, nullptr);
    if (!ended_well(answer)) return accept();
    require(fits(a, length) && fits(b, length), "more than is registered was moved");
    if (get) {
      std::copy_n(in_model(1, b), length, in_model(0, a));
    } else {
      std::copy_n(in_model(0, a), length, in_model(1, b));
    }
    compare();
  }

  void piggyback() {
    const std::size_t b = offset(), length = draw_.below(48);
    std::array<std::uint8_t, 48> data{};
    const Bytes some = draw_.take(length);
    std::copy(some.begin(), some.end(), data.begin());
    if (!ended_well(utofu_put_piggyback(vcq_, other_, data.data(), there_ + b, length, 1, notices,
                                        nullptr)))
      return accept();
    require(fits(b, length), "more than is registered was written");
    std::copy_n(data.begin(), length, in_model(1, b));
    compare();
  }

  void atomic() {
    const std::size_t b = offset() & ~std::size_t{draw_.below(8)};
    const bool wide = draw_.below(2) != 0, swap = draw_.below(4) == 0;
    const std::size_t bytes = wide ? 8 : 4;
    const auto value = draw_.number<std::uint64_t>();
    const auto op = static_cast<utofu_armw_op>(1 + draw_.below(6));
    std::uint64_t before = 0;
    if (fits(b, bytes)) std::memcpy(&before, in_model(1, b), bytes);
    const std::uint64_t expected = draw_.below(2) == 0 ? before : value + 1;
    int answer = 0;
    if (swap) {
      answer =
          wide ? utofu_cswap8(vcq_, other_, expected, value, there_ + b, 1, notices, nullptr)
               : utofu_cswap4(vcq_, other_, static_cast<std::uint32_t>(expected),
                              static_cast<std::uint32_t>(value), there_ + b, 1, notices, nullptr);
    } else {
      answer = wide ? utofu_armw8(vcq_, other_, op, value, there_ + b, 1, notices, nullptr)
                    : utofu_armw4(vcq_, other_, op, static_cast<std::uint32_t>(value), there_ + b,
                                  1, notices, nullptr);
    }
    if (!ended_well(answer)) return accept();
    require(fits(b, bytes) && b % bytes == 0 && (swap || op <= UTOFU_ARMW_OP_OR),
            "an atomic operation that cannot be");
    const std::uint64_t mask = wide ? ~std::uint64_t{0} : 0xffffffffU;
    require(notice_.rmt_value == before, "what was there before is not what it was");
    std::uint64_t after = value & mask;
    if (swap) {
      after = before == (expected & mask) ? after : before;
    } else if (op == UTOFU_ARMW_OP_ADD) {
      after = before + value;
    } else if (op == UTOFU_ARMW_OP_XOR) {
      after = before ^ value;
    } else if (op == UTOFU_ARMW_OP_AND) {
      after = before & value;
    } else if (op == UTOFU_ARMW_OP_OR) {
      after = before | value;
    }
    after &= mask;
    std::memcpy(in_model(1, b), &after, bytes);
    compare();
  }

  void blocks() {
    const std::size_t a = offset(), b = offset(), length = draw_.below(40),
                      stride = draw_.below(80), count = draw_.below(12);
    const bool get = draw_.below(2) != 0;
    const auto call = get ? utofu_get_stride : utofu_put_stride;
    if (!ended_well(
            call(vcq_, other_, here_ + a, there_ + b, length, stride, count, 1, notices, nullptr)))
      return accept();
    require(count > 0 && fits(a + (count - 1) * stride, length) &&
                fits(b + (count - 1) * stride, length),
            "more than is registered was moved in blocks");
    for (std::size_t i = 0; length > 0 && i < count; ++i) {
      if (get) {
        std::copy_n(in_model(1, b + i * stride), length, in_model(0, a + i * stride));
      } else {
        std::copy_n(in_model(0, a + i * stride), length, in_model(1, b + i * stride));
      }
    }
    compare();
  }

  // Commands that were prepared, and what somebody made of them.
  void prepared() {
    std::vector<std::uint8_t> commands;
    for (unsigned i = draw_.below(3); i > 0; --i) {
      std::array<std::uint8_t, 64> desc{};
      std::size_t size = 0;
      const std::size_t a = offset(), b = offset(), length = draw_.below(200);
      const int answer = draw_.below(2) == 0
                             ? utofu_prepare_put(vcq_, other_, here_ + a, there_ + b, length, 1,
                                                 notices, desc.data(), &size)
                             : utofu_prepare_armw8(vcq_, other_, UTOFU_ARMW_OP_ADD, length,
                                                   there_ + b, 1, notices, desc.data(), &size);
      if (answer == UTOFU_SUCCESS)
        commands.insert(commands.end(), desc.begin(),
                        desc.begin() + static_cast<std::ptrdiff_t>(size));
    }
    for (unsigned i = draw_.below(4); i > 0 && !commands.empty(); --i)
      commands[draw_.number<std::uint16_t>() % commands.size()] = draw_.number();
    const Bytes raw = draw_.take(draw_.below(3) == 0 ? 64 : 0);
    commands.insert(commands.end(), raw.begin(), raw.end());
    // A thousand million blocks are many, not wrong.
    for (std::size_t at = tofu::prepared_blocks + 1; at + 3 <= commands.size();
         at += tofu::prepared_bytes)
      std::fill_n(commands.begin() + static_cast<std::ptrdiff_t>(at), 3, std::uint8_t{0});
    // On the heap, to the byte.
    const std::vector<std::uint8_t> exact(commands);
    const std::size_t size = exact.size() - std::min<std::size_t>(draw_.below(3), exact.size());
    const int answer = utofu_post_toq(vcq_, const_cast<std::uint8_t*>(exact.data()), size, nullptr);
    if (answer == UTOFU_SUCCESS) settle();
    accept();
  }

  // Nothing of it is right, or only by chance.
  void wrong() {
    const auto vcq = draw_.below(2) == 0 ? vcq_ : draw_.number<std::uint64_t>();
    const auto other = draw_.below(2) == 0 ? other_ : draw_.number<std::uint64_t>();
    const auto a = draw_.below(2) == 0 ? here_ : draw_.number<std::uint64_t>();
    const auto b = draw_.below(2) == 0 ? there_ : draw_.number<std::uint64_t>();
    const auto length = draw_.below(2) == 0 ? draw_.below(64) : draw_.number<std::uint64_t>();
    const auto edata = draw_.number<std::uint16_t>();
    const auto flags = draw_.number<std::uint32_t>();
    const int answer = draw_.below(2) == 0
                           ? utofu_put(vcq, other, a, b, length, edata, flags, nullptr)
                           : utofu_get(vcq, other, a, b, length, edata, flags, nullptr);
    if (answer == UTOFU_SUCCESS) settle();
    accept();
  }

  // Until a command with any flags has done what it does: one that is to wait begins with the next.
  // There may be as many blocks under way as a VCQ takes, and then that has to be tried again.
  void settle() {
    const std::uint8_t nothing = 0;
    int answer = UTOFU_ERR_BUSY;
    for (int tries = 2; answer == UTOFU_ERR_BUSY && tries > 0; --tries) {
      answer = utofu_put_piggyback(vcq_, other_, const_cast<std::uint8_t*>(&nothing), there_, 0, 1,
                                   notices, nullptr);
      transport_.runtime().advance(settled);
      void* cbdata = nullptr;
      int left = 300;
      while (utofu_poll_tcq(vcq_, 0, &cbdata) != UTOFU_ERR_NOT_FOUND && left > 0) --left;
      while (utofu_poll_mrq(vcq_, 0, &notice_) != UTOFU_ERR_NOT_FOUND && left > 0) --left;
      require(left > 0, "notices without end");
    }
    require(answer == UTOFU_SUCCESS, "a put of nothing is refused");
  }

  Draw draw_;
  tofu::Transport& transport_;
  std::array<std::uint8_t*, 2> memory_;
  std::array<Memory, 2> model_;
  utofu_vcq_hdl_t vcq_;
  utofu_vcq_id_t other_;
  utofu_stadd_t here_, there_;
  utofu_mrq_notice notice_{};
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  tofu::FunctionalTofuOptions options;
  // Little to give back after each input.
  options.memory_bytes = 1 << 20;
  options.stack_bytes = 256 << 10;
  tofu::FunctionalTofu machine(two, options);
  std::array<std::uint8_t*, 2> memory{};
  const auto program = [&](tofu::Transport& transport) {
    const auto node = static_cast<std::size_t>(transport.rank());
    memory[node] = static_cast<std::uint8_t*>(transport.allocate(whole, 128));
    std::ranges::copy(initial(transport.rank()), memory[node]);
    utofu_vcq_hdl_t vcq = 0;
    utofu_vcq_id_t other = 0;
    utofu_stadd_t here = 0, there = 0;
    std::uint8_t coordinates[6] = {1, 0, 0, 0, 0, 0};
    require(utofu_create_vcq(0, 0, &vcq) == UTOFU_SUCCESS &&
                utofu_reg_mem_with_stag(vcq, memory[node] + guard, registered, stag, 0, &here) ==
                    UTOFU_SUCCESS &&
                utofu_construct_vcq_id(coordinates, 0, 0, 0, &other) == UTOFU_SUCCESS &&
                utofu_query_stadd(other, stag, &there) == UTOFU_SUCCESS,
            "a queue, or memory, is refused");
    transport.signal_barrier();
    if (node == 0)
      Caller(Draw({data, size}), transport, memory[0], memory[1], vcq, other, here, there).run();
    transport.signal_barrier();
  };
  // A command may be one that ends the program: a message of ours.
  takes([&] { test::run_utofu_ranks(machine, tofu::RankLayout::straight(two), program); });
  return 0;
}
