// SPDX-License-Identifier: Apache-2.0
// Ethernet, IPv4, UDP and TFTP: a frame, a message, a server whose clients send what they like, a
// client whose server does.
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "sw/net/tftp_client.hpp"
#include "sw/net/tftp_server.hpp"
#include "tests/fuzz/property.hpp"

using namespace ht;
using namespace ht::net;
using fuzz::Draw;
using fuzz::require;

namespace {

const Endpoint client{{2, 0, 0, 0, 0, 1}, 0x0A000001, 50000};
const Endpoint server_end{{2, 0, 0, 0, 0, 9}, 0x0A000009, tftp_port};

void frame(fuzz::Bytes bytes) {
  const auto datagram = parse(bytes);
  if (!datagram) return;
  require(datagram->payload.size() + header_bytes <= bytes.size(), "a payload out of nowhere");
  if (datagram->payload.size() > max_payload) return;
  const auto again = parse(build(*datagram));
  require(again && again->from == datagram->from && again->to == datagram->to &&
              again->payload == datagram->payload,
          "a datagram changes on its way");
}

void message(fuzz::Bytes bytes) {
  const auto m = decode(bytes);
  if (!m) return;
  const Bytes once = encode(*m);
  const auto again = decode(once);
  require(again && encode(*again) == once && again->operation == m->operation,
          "a message changes on its way");
}

// Sent over a wire that nothing is lost on; so long a payload cannot be sent.
void answer(const std::vector<Datagram>& out) {
  for (const Datagram& d : out) {
    require(d.payload.size() <= max_payload, "an answer longer than a frame");
    require(parse(build(d)).has_value(), "an answer that is no datagram");
    require(decode(d.payload).has_value(), "an answer that is no message");
  }
}

// Requests and acknowledgements of a client or two; the rest of the input in one long one.
void server(Draw draw) {
  const auto file = std::make_shared<const net::Bytes>(3000, std::uint8_t{7});
  TftpServer server([&](const std::string& name) { return name == "f" ? file : nullptr; });
  Picoseconds now = 0;
  std::uint16_t port = 0;
  for (int turns = 0; !draw.empty() && turns < 200; ++turns) {
    std::vector<Datagram> out;
    const unsigned what = draw.below(6);
    Datagram d{client, server_end, {}};
    d.from.port = static_cast<std::uint16_t>(d.from.port + draw.below(2));
    if (what < 2) {
      if (port != 0 && what == 1) d.to.port = port;
      const auto payload = draw.take(draw.below(64));
      d.payload.assign(payload.begin(), payload.end());
    } else if (what == 2) {
      d.payload = {0, 1, 'f', 0, 'o', 0};
    } else if (what == 3) {
      d.to.port = port;
      const auto block = draw.number<std::uint8_t>();
      d.payload = {0, 4, 0, block};
    } else if (what == 4) {
      now += Picoseconds{draw.number<std::uint8_t>()} * 10'000'000;
      server.timer(now, out);
    } else {
      const auto payload = draw.take(max_payload);
      d.payload.assign(payload.begin(), payload.end());
    }
    if (!d.payload.empty()) server.receive(d, now, out);
    answer(out);
    if (!out.empty()) port = out.back().from.port;
    const auto due = server.next_timer();
    require(!due || *due <= now + Picoseconds{200'000'000}, "a timer beyond any");
  }
}

// A server that answers out of the input, and no more once that is used up.
class Answers final : public Interface {
 public:
  explicit Answers(Draw draw) : draw_(draw) {}
  Picoseconds now() const override { return now_; }
  void send(std::span<const std::uint8_t> frame) override {
    require(parse(frame).has_value(), "the client sends what is no datagram");
  }
  std::optional<net::Bytes> receive(Picoseconds deadline) override {
    require(deadline >= now_, "a deadline in the past");
    if (draw_.empty() || ++turns_ > 200) {
      now_ = deadline;
      return std::nullopt;
    }
    now_ += 1'000'000;
    Datagram d{server_end, client, {}};
    const unsigned what = draw_.below(8);
    d.from.port = what == 0 ? 1000 : 1001;
    const std::uint8_t operation = what < 4 ? 3 : what < 6 ? 6 : draw_.number<std::uint8_t>();
    d.payload.reserve(516);
    d.payload.push_back(0);
    d.payload.push_back(operation);
    if (operation == 3) {
      if (what != 1) ++block_;
      d.payload.push_back(0);
      d.payload.push_back(block_);
      data_ += 512;
    }
    const auto rest = draw_.take(draw_.below(64));
    d.payload.insert(d.payload.end(), rest.begin(), rest.end());
    if (operation == 3 && what == 2) d.payload.resize(516);
    return build(d);
  }
  std::size_t most_data() const { return data_; }

 private:
  Draw draw_;
  Picoseconds now_ = 0;
  std::uint8_t block_ = 0;
  std::size_t data_ = 0;
  int turns_ = 0;
};

void run_client(Draw draw) {
  Answers answers(draw);
  TftpClientOptions options;
  options.block_bytes = 512;
  TftpTransfer transfer;
  if (fuzz::takes([&] { transfer = tftp_read(answers, client, server_end, "f", options); }))
    require(transfer.data.size() <= answers.most_data(), "data out of nowhere");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Draw draw({data, size});
  const unsigned what = draw.below(4);
  if (what == 0) frame(draw.rest());
  if (what == 1) message(draw.rest());
  if (what == 2) server(draw);
  if (what == 3) run_client(draw);
  return 0;
}
