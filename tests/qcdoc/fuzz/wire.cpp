// SPDX-License-Identifier: Apache-2.0
// What reads bytes and bits of a QCDOC link: any of them, and good frames among them. What is taken
// is to the bit what a sender makes of it, and a frame is taken by a reader in step.
#include <array>
#include <vector>

#include "tests/fuzz/property.hpp"
#include "verif/model/qcdoc/reader.hpp"

using namespace ht;
using namespace ht::fuzz;
using namespace ht::model::qcdoc;

namespace {

using Event = ByteReader::Event;

std::uint8_t header_of(Header header, std::uint64_t payload) {
  header.parity = header.kind == Kind::Data ? parity_of_word(payload)
                  : header.kind == Kind::Supervisor
                      ? parity_of_supervisor(payload)
                      : parity_of_interrupt(static_cast<std::uint8_t>(payload));
  const auto byte = encode(header);
  require(byte.has_value(), "a header has no byte");
  return *byte;
}

std::vector<std::uint8_t> frame(const Header& header, std::uint64_t payload) {
  std::vector<std::uint8_t> bytes{header_of(header, payload)};
  const unsigned length = header.kind == Kind::Interrupt ? 1 : 8;
  for (unsigned i = 0; i < length; ++i)
    bytes.push_back(static_cast<std::uint8_t>(payload >> (8 * i)));
  if (header.kind == Kind::Supervisor) bytes.push_back(check_of_supervisor(bytes[0], payload));
  if (header.kind == Kind::Interrupt)
    bytes.push_back(check_of_interrupt(bytes[0], static_cast<std::uint8_t>(payload)));
  return bytes;
}

Header frame_header(Draw& draw) {
  Header h;
  h.kind = static_cast<Kind>(draw.below(3));
  const bool data = h.kind == Kind::Data;
  h.acknowledges = data ? static_cast<Acknowledges>(draw.below(3)) : Acknowledges::Data;
  if (h.acknowledges == Acknowledges::Data) h.number = static_cast<std::uint8_t>(draw.below(4));
  if (!data || h.acknowledges != Acknowledges::Data)
    h.sequence = static_cast<std::uint8_t>(draw.below(2));
  return h;
}

// A reader, the bytes it has seen, and the bits of them to a reader that looks for the boundary.
class Line {
 public:
  Event push(std::uint8_t byte, bool refused = false) {
    bytes_.push_back(byte);
    const bool was_in_step = reader_.in_step();
    const Event e = reader_.push(byte, refused);
    require(e.error == (e.anomaly != ByteReader::Anomaly::None), "an error without a kind");
    require(!(e.error && reader_.in_step()), "out of order, and in step");
    require(!(e.start && e.ok), "a frame of one byte");
    require(was_in_step || !e.ok, "a frame out of step");
    if (e.ok) {
      const auto sent = frame(*e.header, e.payload);
      require(
          bytes_.size() >= sent.size() && std::equal(sent.rbegin(), sent.rend(), bytes_.rbegin()),
          "a frame is not what was sent");
    }
    if (e.record) {
      require(e.bytes == 5, "a record of other than five bytes");
      const auto sent = encode_record(*e.record);
      require(sent && std::equal(sent->rbegin(), sent->rend(), bytes_.rbegin()),
              "a record is not what was sent");
    }
    for (int bit = 7; bit >= 0; --bit) aligned_.push(((byte >> bit) & 1) != 0);
    return e;
  }
  Event push_all(std::span<const std::uint8_t> bytes) {
    Event last;
    for (const std::uint8_t byte : bytes) last = push(byte);
    return last;
  }
  void push_bit(bool bit) { aligned_.push(bit); }
  bool takes_frames() const { return reader_.at_header() && !reader_.unsure(); }

 private:
  ByteReader reader_;
  SenderReader aligned_;
  std::vector<std::uint8_t> bytes_;
};

void resume(Line& line, Draw& draw) {
  Record record;
  record.next = static_cast<std::uint8_t>(draw.below(64));
  record.lost = draw.below(2) != 0;
  record.expected = static_cast<std::uint8_t>(draw.below(64));
  record.waiting = static_cast<std::uint8_t>(draw.below(4));
  const auto bytes = encode_record(record);
  require(bytes.has_value(), "a record has no bytes");
  // More than enough: the first may be a payload's, or a record's.
  const std::vector<std::uint8_t> marks(kMarks + 10, kMark);
  line.push_all(marks);
  require(line.push_all(*bytes).record == record, "a good record is not taken");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Draw draw({data, size});
  Line line;
  while (!draw.empty()) {
    switch (draw.below(6)) {
      case 0:
        line.push(draw.number());
        break;
      case 1:
        line.push(draw.number(), true);
        break;
      case 2:
        line.push_bit(draw.below(2) != 0);
        break;
      case 3:
        resume(line, draw);
        break;
      case 4: {
        const std::uint8_t status = draw.number();
        line.push_all(std::array{kTrain0, kTrain1, status, static_cast<std::uint8_t>(~status)});
        break;
      }
      default: {
        const Header header = frame_header(draw);
        const auto payload = header.kind == Kind::Interrupt ? draw.number<std::uint8_t>()
                                                            : draw.number<std::uint64_t>();
        const bool ready = line.takes_frames();
        const Event e = line.push_all(frame(header, payload));
        require(
            !ready || (e.ok && e.payload == payload && e.header->kind == header.kind &&
                       e.header->number == header.number && e.header->sequence == header.sequence),
            "a good frame is not taken");
      }
    }
  }
  return 0;
}
