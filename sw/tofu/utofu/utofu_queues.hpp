// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "sw/host/memory.hpp"
#include "sw/tofu/network_interface.hpp"
#include "sw/tofu/profile.hpp"
#include "sw/tofu/ranks/paths.hpp"
#include "sw/tofu/utofu/utofu.h"

namespace ht::tofu {

/// What a VCQ's id says, of whatever node:
///
///     63:61 interface (TNI)  59 C  58:57 B  56 A  55:48 Z  47:40 Y  39:32 X  31 always 1
///     24 path given  23:20 path  18:16 component  5:0 queue
struct Vcq {
  Coordinates node;
  int tni = 0, queue = 0, component = 0;
  std::optional<Path> path;

  utofu_vcq_id_t id() const;
  /// Nothing if it is no id this library makes.
  static std::optional<Vcq> from(utofu_vcq_id_t id);
};

/// A network address: tag of the memory's queue and offset; bit 62 is always 1.
utofu_stadd_t to_stadd(const TaggedAddress& address);
std::optional<TaggedAddress> from_stadd(utofu_stadd_t stadd);

/// What a program's one-sided commands of uTofu act on.
struct UtofuNetwork {
  Profile profile;
  std::vector<NetworkInterface*> interfaces;  ///< as many as the profile has, or none
  Coordinates here;
  Shape machine;
  std::vector<Coordinates> failed;
  int queues = queues_per_interface;  ///< of each interface that are the program's: 0 on
};

/// A node's VCQs and the memory that is registered with them: what utofu.h documents, behind its
/// checks of pointers. Functions return its codes; after an error nothing has changed or been sent.
class UtofuQueues {
 public:
  static constexpr unsigned components = 8, reserved_tags = 256;
  static constexpr std::size_t edata_bytes = 2;
  static constexpr std::uint32_t packet_bytes = 1920;  ///< of a message, at most
  static constexpr std::uint64_t gap_limit = 255;

  explicit UtofuQueues(UtofuNetwork network);

  int interfaces() const { return static_cast<int>(network_.interfaces.size()); }

  int create(int tni, int component, utofu_vcq_hdl_t& handle);
  int free(utofu_vcq_hdl_t handle);
  int id(utofu_vcq_hdl_t handle, utofu_vcq_id_t& id);
  /// UTOFU_ERR_INVALID_VCQ_ID if there can be no such VCQ.
  int query(utofu_vcq_id_t id, Vcq& vcq) const;
  int construct(const Vcq& vcq, utofu_vcq_id_t& id) const;
  int set_path(utofu_vcq_id_t& id, const std::uint8_t* coordinates) const;
  int path_id(utofu_vcq_id_t vcq, const std::uint8_t* coordinates, utofu_path_id_t& id) const;
  int path_coordinates(utofu_vcq_id_t vcq, utofu_path_id_t id, std::uint8_t* coordinates) const;

  int enroll(utofu_vcq_hdl_t handle, void* memory, std::size_t bytes,
             std::optional<unsigned> chosen, unsigned long flags, utofu_stadd_t& stadd);
  int discharge(utofu_vcq_hdl_t handle, utofu_stadd_t stadd);
  int address(utofu_vcq_id_t vcq, unsigned chosen, utofu_stadd_t& stadd) const;

  /// A command of the program's; the hardware may need several for it. Of `command`, its kind,
  /// length, operation and data; `local` and `remote` are STADDs where the kind has them.
  struct Request {
    Descriptor command;
    utofu_vcq_id_t vcq = 0;
    utofu_stadd_t local = 0, remote = 0;
    /// Blocks of command.length bytes, at both ends `stride` bytes from one's begin to the next's.
    std::uint64_t blocks = 1, stride = 0;
    /// Bytes of a packet, at most; eighths of a packet's time that pass after it.
    std::uint64_t mtu = packet_bytes, gap = 0;
    std::uint64_t edata = 0;
    unsigned long flags = 0;
    void* cbdata = nullptr;
  };
  /// Commands of one VCQ, in this order: all of them, or none.
  int submit(utofu_vcq_hdl_t handle, std::span<Request> requests);
  int submit(utofu_vcq_hdl_t handle, Request request) { return submit(handle, {&request, 1}); }
  /// One command for each handle, of which none comes twice: all of them, or none.
  int submit(std::span<const utofu_vcq_hdl_t> handles, std::span<Request> requests);
  /// What submit() would say of a command but for room.
  int check(utofu_vcq_hdl_t handle, const Request& request);
  /// Paths for the parts of a put to one node, that share no link as far as there are such.
  /// UTOFU_ERR_INVALID_VCQ_ID if the VCQs are not all of one node.
  int spread(std::span<utofu_vcq_id_t> vcqs) const;

  int poll(utofu_vcq_hdl_t handle, void*& cbdata);
  int poll(utofu_vcq_hdl_t handle, utofu_mrq_notice& notice);
  int unread_tcq(utofu_vcq_hdl_t handle, std::size_t& count);
  int unread_mrq(utofu_vcq_hdl_t handle, std::size_t& count);

  /// What a program leaves behind at its end.
  struct Left {
    std::size_t under_way = 0;  ///< commands
    std::size_t failed = 0;     ///< notices of failures that it did not poll
    int code = UTOFU_SUCCESS;   ///< the first one's
  };
  /// Waits for commands that are under way, `patience` at most.
  Left left(Picoseconds patience);

 private:
  struct Region {
    bool read_only = false;
    std::uint64_t begin = 0, end = 0;            ///< offsets under the tag
    std::unique_ptr<host::MappedMemory> mapped;  ///< if it is not the node's own
  };
  /// A request that was taken and has not ended.
  struct Taken {
    unsigned long flags = 0;
    void* cbdata = nullptr;
    utofu_mrq_notice notice{};  ///< but for where a block ends
    TniCause cause = TniCause::Good;
    std::size_t under_way = 0;
    bool given = false;  ///< all of it, or all there will be, to the hardware
  };
  /// A command of the hardware's.
  struct Pending {
    std::shared_ptr<Taken> of;
    bool ends_block = false;
    utofu_stadd_t local_end = 0, remote_end = 0;  ///< of its block
    std::optional<std::uint32_t> local;
    utofu_vcq_id_t reads = 0;  ///< a get: of this VCQ, whatever its path
  };
  struct Ended {
    int code;
    void* cbdata;
  };
  struct Told {
    int code;
    utofu_mrq_notice notice;
  };
  struct Queue {
    bool open = false;
    int component = 0;
    std::map<std::uint32_t, Region> regions;   ///< by tag
    std::map<std::uint16_t, Pending> pending;  ///< by index of the command
    std::deque<Ended> tcq;
    std::deque<Told> mrq;
  };
  struct Found {
    NetworkInterface* interface = nullptr;
    int tni = 0, number = 0;
    Queue* queue = nullptr;
  };

  struct Batch {
    Found queue;
    std::span<Request> requests;
  };

  std::optional<Found> find(utofu_vcq_hdl_t handle);
  std::optional<Path> default_path(const Coordinates& node) const;
  std::optional<Path> checked_path(const std::uint8_t* coordinates) const;
  int check(const Found& from, Request& request) const;
  int aim(const Found& from, const Request& request, Descriptor& command) const;
  int check_local(const Found& from, const Request& request, Descriptor& command) const;
  int start(std::span<const Batch> batches);
  bool has_places(const Batch& batch) const;
  void give(const Batch& batch);
  void give(const Found& from, const Request& request);
  void give(const Found& from, const Request& request, std::uint64_t block, std::uint64_t offset,
            const std::shared_ptr<Taken>& taken);
  void collect(const Found& from);
  bool must_wait(const Found& from, const Request& request) const;
  void count_failures(const Queue& queue, Left& left) const;
  void end(const Found& from, const Taken& taken);
  void note(const Found& at, const Notice& notice);
  void wait_a_little(const Found& at);
  /// The first of a queue's entries; if there is none, a little time passes.
  template <typename Entry>
  std::optional<Entry> take(const Found& at, std::deque<Entry>& queue);

  UtofuNetwork network_;
  Left freed_;  ///< of VCQs that are no more
  std::array<std::array<Queue, queues_per_interface>, most_interfaces> queues_;
};

}  // namespace ht::tofu
