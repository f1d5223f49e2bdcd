// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "sw/host/hardware_port.hpp"
#include "sw/qmp/transport.hpp"

namespace ht::qmp {

/// What a driver keeps of any message that is declared; a machine's own message derives from it.
struct DriverMessage {
  bool send = false;
  bool started = false;         ///< and not known to be complete
  std::byte* buffer = nullptr;  ///< the caller's
  std::size_t bytes = 0;
  std::byte* bounce = nullptr;  ///< in the node's memory, or null if `buffer` will do
  bool guarded = false;         ///< bounced only so that ReceiveGuard can watch `buffer`
  std::uint64_t offset = 0;     ///< in the node's memory, of what the network reads or writes
  std::string far_end;          ///< "+x", "rank 3"
  std::string waiting_for;      ///< "sending 128 bytes to +x", for the watchdog and for errors
};

/// How a machine reaches its memory, and our assumptions about the software on its processor.
struct DriverSettings {
  std::size_t memory_unit = 8;   ///< bytes: allocations are whole units at multiples of it
  std::size_t message_unit = 8;  ///< bytes: what is not whole units at a multiple is bounced
  std::uint64_t most_bytes = ~std::uint64_t{0};  ///< of a message
  bool says_lengths = false;                     ///< Transport::says_lengths()
  Picoseconds start_cost = 0;                    ///< of starting a message
  Picoseconds poll_cost = 0;  ///< of looking once whether a message is complete, in vain
  std::int64_t copy_bytes_per_us = 12'800;  ///< of copies in memory
  /// Receives go through a ReceiveGuard: what arrives lies elsewhere until it is complete, which
  /// takes memory and no simulated time.
  bool guard_receives = false;
};

/// A Transport over a HardwarePort: the node's memory, and where messages lie in it.
class HardwareTransport : public Transport {
 public:
  host::Runtime& runtime() override { return port_; }
  void* allocate(std::size_t bytes, std::size_t alignment) override;
  void release(void* pointer) override;
  void charge_copy(std::size_t bytes) override;
  bool says_lengths() const override { return settings_.says_lengths; }
  Forwarder* forwarder() override { return forwarder_.get(); }
  void attend() override;
  void linger() override;
  ~HardwareTransport() override;

 protected:
  HardwareTransport(host::HardwarePort& port, DriverSettings settings);

  /// What errors begin with: "node 3".
  virtual std::string name() const = 0;

  /// `bytes` rounded up to what allocate() would reserve.
  std::size_t whole_units(std::size_t bytes) const;
  /// Settles where the message lies in the node's memory: at `buffer`, or in a bounce buffer whose
  /// padding is zero; nowhere, if it has no bytes. Throws UsageError for a message of too many
  /// bytes, or of none if nobody says so, std::bad_alloc.
  void lay_out(DriverMessage& message, std::byte* buffer, std::size_t bytes);
  /// A send that is about to start is copied to its bounce buffer, a receive that is complete from
  /// it; nothing if there is none. Throws ProtocolError if the buffer of a guarded receive was
  /// written meanwhile.
  void prepare(const DriverMessage& message);
  void conclude(const DriverMessage& message);
  void release_bounce(DriverMessage& message);
  /// Fills in `waiting_for`.
  static void describe(DriverMessage& message);

  /// Lets the hardware's state be seen, and does what can be done for messages under way.
  virtual void progress() {}

  /// Messages to any node go over these packets from now on.
  void forward_over(PacketPort* packets, std::size_t queue_packets);
  void stop_forwarding();
  /// Passes on what came for others; in every loop that waits, after progress(). True if it did
  /// anything: then what progress() sees may have changed meanwhile.
  bool serve();

  host::HardwarePort& port_;
  DriverSettings settings_;

 private:
  std::unique_ptr<Forwarder> forwarder_;
};

}  // namespace ht::qmp
