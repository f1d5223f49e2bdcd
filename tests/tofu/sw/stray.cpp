// SPDX-License-Identifier: Apache-2.0
#include "tests/tofu/sw/stray.hpp"

namespace ht::test {
using namespace tofu;

TniCause write_into(Transport& from, const Coordinates& victim) {
  constexpr int number = 1, queue = 0;
  NetworkInterface& i = from.interface(number);
  if (!i.is_open(queue)) i.open(queue);
  Descriptor d;
  d.command = TniCommand::PutImmediate;
  d.remote.node = victim;
  d.remote.interface = number;
  d.remote.queue = Transport::own_queue;
  d.remote.path = victim.address() >> 15;
  d.length = immediate_limit;
  d.far.tag = i.tag(Transport::own_queue, memory_tag);
  d.data.fill(std::byte{0xff});
  d.remote_notice = true;
  i.submit(queue, d);
  i.ring(queue);
  for (;;) {
    if (const auto c = i.take_completion(queue)) return c->cause;
    from.port().wait("the answer of another job's node");
  }
}

}  // namespace ht::test
