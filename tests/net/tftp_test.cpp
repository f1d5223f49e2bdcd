// SPDX-License-Identifier: Apache-2.0
// Both ends of TFTP over a wire that loses, doubles and damages frames; frames by hand.
#include <catch2/catch.hpp>
#include <deque>
#include <random>

#include "sw/host/errors.hpp"
#include "sw/net/tftp_client.hpp"
#include "sw/net/tftp_server.hpp"

namespace {

using namespace ht;
using namespace ht::net;

const Endpoint client{{2, 0, 0, 0, 0, 1}, 0x0A000001, 50000};
const Endpoint server_end{{2, 0, 0, 0, 0, 9}, 0x0A000009, tftp_port};

// A server at the other end of a wire; time passes when nobody speaks.
class Wire final : public Interface {
 public:
  explicit Wire(FileSource files) : server_(std::move(files)) {}
  Picoseconds now() const override { return now_; }
  void send(std::span<const std::uint8_t> frame) override {
    ++sent;
    Bytes b(frame.begin(), frame.end());
    for (int copies = draw(b); copies > 0; --copies) {
      if (const auto d = parse(b)) {
        std::vector<Datagram> out;
        server_.receive(*d, now_, out);
        answer(out);
      }
    }
  }
  std::optional<Bytes> receive(Picoseconds deadline) override {
    while (queue_.empty()) {
      const auto timer = server_.next_timer();
      if (!timer || *timer > deadline) {
        now_ = std::max(now_, deadline);
        return std::nullopt;
      }
      now_ = std::max(now_, *timer);
      std::vector<Datagram> out;
      server_.timer(now_, out);
      answer(out);
    }
    now_ += 70'000'000;
    Bytes b = queue_.front();
    queue_.pop_front();
    return b;
  }
  double trouble = 0;
  int sent = 0;
  std::vector<Datagram> heard;

 private:
  int draw(Bytes& b) {
    const double u = std::uniform_real_distribution<>(0, 1)(random_);
    if (u < trouble) return 0;
    if (u < 1.5 * trouble) return 2;
    if (u < 2 * trouble) b[random_() % b.size()] ^= 0x10;
    return 1;
  }
  void answer(const std::vector<Datagram>& out) {
    for (const Datagram& d : out) {
      heard.push_back(d);
      Bytes b = build(d);
      for (int copies = draw(b); copies > 0; --copies) queue_.push_back(b);
    }
  }
  TftpServer server_;
  std::mt19937 random_{1};
  std::deque<Bytes> queue_;
  Picoseconds now_ = 0;
};

Bytes pattern(std::size_t n) {
  std::mt19937 random(static_cast<unsigned>(n));
  Bytes b(n);
  for (auto& x : b) x = static_cast<std::uint8_t>(random());
  return b;
}

FileSource one_file(const std::string& name, Bytes data) {
  auto kept = std::make_shared<const Bytes>(std::move(data));
  return [=](const std::string& n) { return n == name ? kept : nullptr; };
}

TEST_CASE("a datagram is laid out as RFC 791 and 768 say") {
  // All but the two checksums byte by byte; these by the rule that all 16-bit words add up to FFFF.
  const Bytes frame = build({client, server_end, {'a', 'b', 'c'}});
  const Bytes expected{2,  0, 0,  0, 0,    9,    2, 0,  0,  0,  0, 1,  8,   0,   0x45,
                       0,  0, 31, 0, 0,    0x40, 0, 64, 17, 0,  0, 10, 0,   0,   1,
                       10, 0, 0,  9, 0xC3, 0x50, 0, 69, 0,  11, 0, 0,  'a', 'b', 'c'};
  REQUIRE(frame.size() == expected.size());
  const auto sum = [&](std::size_t from, std::size_t to, std::uint32_t s) {
    for (std::size_t i = from; i < to; i += 2)
      s += static_cast<std::uint32_t>(frame[i] << 8 | (i + 1 < to ? frame[i + 1] : 0));
    while (s > 0xFFFF) s = (s & 0xFFFF) + (s >> 16);
    return s;
  };
  CHECK(std::equal(frame.begin(), frame.begin() + 24, expected.begin()));
  CHECK(std::equal(frame.begin() + 26, frame.begin() + 40, expected.begin() + 26));
  CHECK(sum(14, 34, 0) == 0xFFFF);
  CHECK(sum(34, 45, 0x0A00 + 0x0001 + 0x0A00 + 0x0009 + 17 + 11) == 0xFFFF);
  const auto back = parse(frame);
  REQUIRE(back);
  CHECK(back->from == client);
  CHECK(back->to == server_end);
  CHECK(back->payload == Bytes{'a', 'b', 'c'});
}

TEST_CASE("a frame with any bit of headers or payload inverted is not the datagram it was") {
  const Datagram d{client, server_end, pattern(33)};
  const Bytes frame = build(d);
  for (std::size_t bit = 8 * 14; bit < 8 * frame.size(); ++bit) {
    Bytes b = frame;
    b[bit / 8] = static_cast<std::uint8_t>(b[bit / 8] ^ 1U << bit % 8);
    CHECK_FALSE(parse(b));
  }
  Bytes padded = frame;
  padded.resize(200);
  CHECK(parse(padded)->payload == d.payload);
  for (std::size_t n = 0; n < frame.size(); ++n) CHECK_FALSE(parse(std::span(frame).first(n)));
}

TEST_CASE("files of any length arrive, in blocks of the size agreed on") {
  for (const std::size_t n : {0U, 1U, 511U, 512U, 513U, 8191U, 8192U, 8193U, 16384U, 100000U}) {
    for (const std::size_t block : {512U, 1428U, 8192U}) {
      Wire wire(one_file("f", pattern(n)));
      const TftpTransfer t = tftp_read(wire, client, server_end, "f", {.block_bytes = block});
      CHECK(t.data == pattern(n));
      CHECK(t.blocks == static_cast<int>(n / block) + 1);
      CHECK(t.repeats == 0);
      CHECK(wire.sent == t.blocks + 2);
    }
  }
}

TEST_CASE("lost, doubled and damaged frames are made up for") {
  int repeats = 0;
  for (const double trouble : {0.05, 0.2}) {
    Wire wire(one_file("f", pattern(300000)));
    wire.trouble = trouble;
    const TftpTransfer t = tftp_read(wire, client, server_end, "f");
    CHECK(t.data == pattern(300000));
    repeats += t.repeats;
  }
  CHECK(repeats > 5);
}

TEST_CASE("a repeated acknowledgement does not double the blocks that follow") {
  TftpServer server(one_file("f", pattern(5000)));
  std::vector<Datagram> out;
  TftpMessage m;
  m.operation = TftpMessage::Operation::ReadRequest;
  m.file = "f";
  m.mode = "octet";
  server.receive({client, server_end, encode(m)}, 0, out);
  REQUIRE(out.size() == 1);
  const Endpoint end = out[0].from;
  CHECK(end.port != tftp_port);
  CHECK(decode(out[0].payload)->data.size() == 512);
  m.operation = TftpMessage::Operation::Acknowledge;
  m.block = 1;
  out.clear();
  for (int i = 0; i < 3; ++i) server.receive({client, end, encode(m)}, 0, out);
  CHECK(out.size() == 1);
  CHECK(decode(out[0].payload)->block == 2);
}

TEST_CASE("names and texts of the other end are shortened, and shown as what can be printed") {
  TftpServer server(one_file("f", pattern(10)));
  TftpMessage m;
  m.operation = TftpMessage::Operation::ReadRequest;
  m.file = std::string(max_payload - 10, '\x1b');
  m.mode = "octet";
  std::vector<Datagram> out;
  server.receive({client, server_end, encode(m)}, 0, out);
  REQUIRE(out.size() == 1);
  CHECK(parse(build(out[0])));  // it fits a frame
  CHECK(decode(out[0].payload)->text.size() < 400);

  // A server that answers anything by that message.
  struct Refusing final : Interface {
    Picoseconds now() const override { return 0; }
    void send(std::span<const std::uint8_t> /*frame*/) override {}
    std::optional<Bytes> receive(Picoseconds /*deadline*/) override {
      return build({server_end, client, encode(message)});
    }
    TftpMessage message;
  } wire;
  wire.message.operation = TftpMessage::Operation::Error;
  wire.message.text = "\x1b[2Jgone\n" + std::string(5000, 'x');
  CHECK_THROWS_WITH(tftp_read(wire, client, server_end, "f"),
                    Catch::StartsWith("reading f over Ethernet: \\x1b[2Jgone\\x0axx") &&
                        Catch::EndsWith("... (5009 bytes)"));
  wire.message = {};
  wire.message.operation = TftpMessage::Operation::OptionAcknowledge;
  wire.message.options = {{"blksize", "\x07"}};
  CHECK_THROWS_WITH(tftp_read(wire, client, server_end, "f"), Catch::EndsWith("\\x07"));
}

TEST_CASE("what goes wrong is said") {
  Wire wire(one_file("f", pattern(10)));
  CHECK_THROWS_AS(tftp_read(wire, client, server_end, "g"), DataError);
  Wire deaf(one_file("f", pattern(10)));
  deaf.trouble = 1;
  CHECK_THROWS_AS(tftp_read(deaf, client, server_end, "f"), TimeoutError);
  CHECK(deaf.sent == 20);
  CHECK(deaf.now() == 20 * Picoseconds{300'000'000});
  TftpServer server(one_file("f", pattern(10)));
  TftpMessage m;
  m.operation = TftpMessage::Operation::WriteRequest;
  m.file = "f";
  std::vector<Datagram> out;
  server.receive({client, server_end, encode(m)}, 0, out);
  REQUIRE(out.size() == 1);
  CHECK(decode(out[0].payload)->code == tftp_illegal);
}

}  // namespace
