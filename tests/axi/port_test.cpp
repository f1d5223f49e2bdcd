// SPDX-License-Identifier: Apache-2.0
// A driver's port on a board's processor, over registers that a model stands for; windows; devices.
#include <array>
#include <catch2/catch.hpp>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <thread>
#include <vector>

#include "sw/axi/mapped.hpp"
#include "sw/axi/port.hpp"
#include "sw/axi/window.hpp"
#include "sw/bus/registers.hpp"
#include "sw/host/errors.hpp"
#include "tests/support/scratch_folder.hpp"

using namespace ht;
using axi::BoardPort;
using Catch::Matchers::Contains;
namespace control = bus::registers::control;
namespace puts_map = bus::registers::puts;

namespace {

/// Registers as rtl/bus/README.md has them; puts take a pause each.
class ModelBoard final : public axi::Board {
 public:
  static constexpr std::uint32_t buses = 0x4000;

  std::uint32_t read(std::uint32_t address) override {
    const std::uint32_t reg = (address - buses) / 4;
    if (reg == control::control && time < busy_until)
      return control::control_hold.mask | control::control_busy.mask;
    if (reg == control::control && stuck) return control::control_hold.mask;
    return registers[reg];
  }
  void write(std::uint32_t address, std::uint32_t value) override {
    const std::uint32_t reg = (address - buses) / 4;
    const bool memory_register =
        reg == control::base_low || reg == control::base_high || reg == control::pages;
    // It takes some time until all that was under way is finished.
    if (memory_register && (registers[control::control] == 0 || time < busy_until))
      throw HardwareError("written while the node runs");
    if (reg == control::control && value != 0) {
      ++holds;
      busy_until = time + 3'000'000;
    }
    if (reg == control::error) value = registers[reg] & ~value;
    for (std::uint32_t queue = 0; queue < puts_map::queues; ++queue) {
      if (reg < puts_map::source(queue) || reg > puts_map::lines(queue)) continue;
      if (registers[puts_map::lines(queue)] != 0) throw HardwareError("the queue is busy");
      if (reg == puts_map::lines(queue))
        puts.push_back(
            {queue, registers[puts_map::source(queue)], registers[puts_map::target(queue)], value});
    }
    registers[reg] = value;
  }
  std::span<std::byte> memory() override { return place; }
  std::uint64_t memory_address() const override { return address; }
  Picoseconds now() override { return time; }
  void pause(Picoseconds duration) override {
    time += duration;
    for (std::uint32_t queue = 0; queue < puts_map::queues; ++queue)
      registers[puts_map::lines(queue)] = 0;
  }
  bool interrupt() override { return interrupts; }

  struct Put {
    std::uint32_t queue, source, target, lines;
    bool operator==(const Put&) const = default;
  };
  std::map<std::uint32_t, std::uint32_t> registers{{control::version, 0x48544158}};
  std::vector<Put> puts;
  std::vector<std::byte> place{std::size_t{16} << 20};
  std::uint64_t address = 0x3'0000'1000;
  Picoseconds time = 0, busy_until = 0;
  int holds = 0;
  bool stuck = false, interrupts = false;
};

axi::PortOptions with_puts() {
  axi::PortOptions options;
  options.puts = true;
  return options;
}

}  // namespace

TEST_CASE("a port says where memory is, and lets the node out of reset") {
  ModelBoard board;
  board.registers[control::error] = control::error_read_range.mask;  // of who was here before
  {
    BoardPort port(board, {});
    CHECK(board.registers[control::base_low] == 0x1000);
    CHECK(board.registers[control::base_high] == 3);
    CHECK(board.registers[control::pages] == 4096);
    CHECK(board.registers[control::control] == 0);
    CHECK(board.holds == 1);
    CHECK_NOTHROW(port.check_errors());
    CHECK(port.memory().size() == board.place.size());
    CHECK_THROWS_AS(port.post_write(0, 0, 0, 128), std::logic_error);
  }
  CHECK(board.registers[control::control] == 0);  // what it was given is still to be sent
}

TEST_CASE("what is no node behind AXI is refused") {
  ModelBoard board;
  board.registers[control::version] = 0x12345678;
  CHECK_THROWS_WITH(BoardPort(board, {}), Contains("reads 0x12345678, not 0x48544158"));
  board.registers[control::version] = 0x48544158;
  board.address = 0x1008;
  CHECK_THROWS_WITH(BoardPort(board, {}), Contains("whole pages of 4096 bytes"));
  board.address = 0x1000;
  board.stuck = true;
  CHECK_THROWS_WITH(BoardPort(board, {}), Contains("did not leave reset within 1 ms"));
}

TEST_CASE("what the buses refused is named") {
  ModelBoard board;
  BoardPort port(board, {});
  CHECK_NOTHROW(port.check_errors());
  board.registers[control::error] =
      control::error_read_range.mask | control::error_write_refused.mask;
  board.registers[control::error_low] = 0x2000;
  board.registers[control::error_high] = 1;
  board.registers[control::error_port] = 2;
  CHECK_THROWS_WITH(
      port.check_errors(),
      Contains("READ_RANGE, WRITE_REFUSED: port 2 of its memory, offset 0x100002000"));
  // Who waits hears of it.
  CHECK_NOTHROW(port.wait("data"));
  board.interrupts = true;
  CHECK_THROWS_WITH(port.wait("data"), Contains("READ_RANGE"));
  CHECK_THROWS_WITH(port.advance(1000), Contains("READ_RANGE"));
  board.registers[control::error] = 0;  // the node's own: its driver's business
  CHECK_NOTHROW(port.wait("data"));
}

TEST_CASE("puts of a queue go one after the other, and long ones in parts") {
  ModelBoard board;
  BoardPort port(board, with_puts());
  const std::uint64_t long_one = port.post_write(2, 0x0400'0080, 0x1000, 70'000 * 128);
  const std::uint64_t next = port.post_write(2, 0x0480'0000, 0x2000, 256);
  const std::uint64_t other = port.post_write(5, 0x0A00'0000, 0x80, 128);
  CHECK(board.puts ==
        std::vector<ModelBoard::Put>{{2, 0x20, 0x0400'0080, 65'535}, {5, 1, 0x0A00'0000, 1}});
  CHECK_FALSE(port.posted_done(2, long_one));
  port.wait("puts");  // time passes, then the queues are looked at
  port.wait("puts");
  CHECK(port.posted_done(5, other));
  CHECK_FALSE(port.posted_done(2, long_one));
  CHECK(board.puts.back() == ModelBoard::Put{2, 0x20 + 65'535, 0x0400'0080 + 65'535 * 128, 4'465});
  port.wait("puts");
  CHECK(port.posted_done(2, long_one));
  CHECK_FALSE(port.posted_done(2, next));
  port.wait("puts");
  CHECK(port.posted_done(2, next));
  // Who has come to its end stays until all is on its way.
  port.post_write(1, 0x0200'0000, 0, 128);
  port.post_write(1, 0x0200'0080, 128, 128);
  int served = 0;
  port.linger([&] { ++served; });
  CHECK(served == 3);
  CHECK(board.puts.back() == ModelBoard::Put{1, 1, 0x0200'0080, 1});
  CHECK(board.registers[puts_map::lines(1)] == 0);
  CHECK_THROWS_WITH(port.post_write(6, 0, 0, 128), Contains("one of 6 queues"));
  CHECK_THROWS_WITH(port.post_write(0, 0x40, 0, 128), Contains("to 0x40 "));
  CHECK_THROWS_WITH(port.post_write(0, 0x1'0000'0000, 0, 128), Contains("to 0x100000000 "));
  CHECK_THROWS_WITH(port.post_write(0, 0, 64, 128), Contains("whole lines of 128 bytes"));
  CHECK_THROWS_WITH(port.post_write(0, 0, board.place.size(), 128), Contains("inside"));
  CHECK_THROWS_WITH(port.post_write(0, 0, 128, board.place.size()), Contains("inside"));
}

// ---------------------------------------------------------------------------------------------
// Windows

TEST_CASE("a window is opened once, by one program, while somebody simulates its node") {
  const test::ScratchFolder folder;
  const std::string path = folder.file("node0"), copy = folder.file("copy");
  {
    axi::WindowServer server(path, 0x1000, 8192);
    CHECK_THROWS_WITH(axi::WindowServer(path, 0, 4096), Contains("cannot be made: File exists"));
    std::filesystem::copy_file(path, copy);
    CHECK_THROWS_WITH(axi::WindowBoard(copy), Contains("nobody simulates this node any more"));
    std::thread simulator([&] {
      for (;;) {
        const auto asked = server.next();
        server.answer(asked.address == 0x20 ? axi::Answer::Refused : axi::Answer::Ok,
                      asked.address + 1, 1234, true);
        if (asked.what == axi::Ask::End) return;
      }
    });
    {
      axi::WindowBoard board(path);
      CHECK_THROWS_WITH(axi::WindowBoard(path), Contains("another process has opened it"));
      CHECK(board.read(0x10) == 0x11);
      CHECK(board.now() == 1234);
      CHECK(board.interrupt());
      CHECK(board.memory().size() == 8192);
      CHECK(board.memory_address() == 0x1000);
      CHECK_THROWS_WITH(board.read(0x20), Contains("reading byte 0x20 was refused"));
      CHECK_THROWS_WITH(board.write(0x20, 0), Contains("writing byte 0x20 was refused"));
      CHECK_THROWS_WITH(board.read(0x11), Contains("no register at byte 0x11"));
      board.memory()[8191] = std::byte{7};
    }
    simulator.join();
    // What one asked, another is not to have answered.
    CHECK_THROWS_WITH(axi::WindowBoard(path), Contains("a process has opened it before"));
    CHECK(server.memory()[8191] == std::byte{7});
  }
  CHECK_FALSE(std::filesystem::exists(path));
  CHECK_THROWS_WITH(axi::WindowBoard(path), Contains("cannot be opened"));
  // What a simulator that was killed left behind is no obstacle; a file of somebody else's is.
  CHECK_NOTHROW(axi::WindowServer(copy, 0, 4096));
  std::ofstream(copy) << std::string(5000, 'x');
  CHECK_THROWS_WITH(axi::WindowServer(copy, 0, 4096), Contains("cannot be made: File exists"));
  CHECK_THROWS_WITH(axi::WindowServer(copy + "2", 0, std::uint64_t{1} << 60),
                    Contains("no room for"));
  CHECK_FALSE(std::filesystem::exists(copy + "2"));
  std::ofstream(path) << std::string(5000, 'x');
  // Nobody holds it, whatever it is.
  CHECK_THROWS_AS(axi::WindowBoard(path), UsageError);
  std::ofstream(path, std::ios::trunc) << "short";
  CHECK_THROWS_WITH(axi::WindowBoard(path), Contains("is no window of a simulated node"));
}

TEST_CASE("who waits at a window hears that the other side is gone") {
  const test::ScratchFolder folder;
  axi::WindowServer nobody(folder.file("nobody"), 0, 4096, 0.05);
  CHECK_THROWS_WITH(nobody.next(), Contains("no program opened this node within 0.05 s"));

  auto server = std::make_unique<axi::WindowServer>(folder.file("node0"), 0, 4096);
  axi::WindowBoard board(folder.file("node0"));
  server->close("a node stood still");
  CHECK_THROWS_WITH(board.read(0), Contains("node0: a node stood still"));
  CHECK_THROWS_WITH(board.read(0), Contains("nothing answers any more"));

  server = std::make_unique<axi::WindowServer>(folder.file("node1"), 0, 4096);
  auto program = std::make_unique<axi::WindowFile>(folder.file("node1"));
  ::sem_post(&program->header().asked);
  program->header().ask = axi::Ask::Read;
  CHECK_NOTHROW(server->next());
  program.reset();  // as a process that is killed
  CHECK_THROWS_WITH(server->next(), Contains("ended without saying so"));
}

// ---------------------------------------------------------------------------------------------
// Devices

TEST_CASE("registers and memory of a board are mapped from what Linux has") {
  const test::ScratchFolder folder;
  std::ofstream(folder.file("registers")) << std::string(0x9000, '\0');
  std::ofstream(folder.file("memory")) << std::string(0x4000, '\0');
  axi::MappedOptions options;
  options.registers = folder.file("registers");
  options.register_offset = 0x1000;
  options.memory = folder.file("memory");
  options.memory_address = 0x4000'0000;
  options.memory_bytes = 0x4000;
  {
    axi::MappedBoard board(options);
    board.write(0x4004, 0xCAFE0001);
    CHECK(board.read(0x4004) == 0xCAFE0001);
    CHECK(board.memory_address() == 0x4000'0000);
    CHECK(board.memory().size() == 0x4000);
    board.memory()[5] = std::byte{9};
    CHECK_FALSE(board.interrupt());
    const Picoseconds begin = board.now();
    board.pause(2'000'000'000);
    board.pause(3'000'000);
    CHECK(board.now() - begin >= 2'003'000'000);
    CHECK_THROWS_WITH(board.read(0x8000), Contains("no register at byte 0x8000"));
    CHECK_THROWS_WITH(board.read(0xFFFF'FFFC), Contains("no register at byte 0xfffffffc"));
    CHECK_THROWS_WITH(board.write(0x6, 0), Contains("no register at byte 0x6"));
  }
  std::uint32_t word = 0;
  std::ifstream(folder.file("registers")).seekg(0x5004).read(reinterpret_cast<char*>(&word), 4);
  CHECK(word == 0xCAFE0001);
  CHECK(std::ifstream(folder.file("memory")).seekg(5).get() == 9);

  // A buffer, of which the kernel tells the address.
  std::filesystem::create_directories(folder.path() / "class/udmabuf0");
  options.buffers = folder.path() / "class";
  options.buffer = "udmabuf0";
  options.memory_bytes = 0;
  CHECK_THROWS_WITH(axi::MappedBoard(options), Contains("udmabuf0/phys_addr: no number there"));
  std::ofstream(folder.path() / "class/udmabuf0/phys_addr") << "-4096\n";
  CHECK_THROWS_WITH(axi::MappedBoard(options), Contains("udmabuf0/phys_addr: no number there"));
  std::ofstream(folder.path() / "class/udmabuf0/phys_addr") << "0x70000000\n";
  std::ofstream(folder.path() / "class/udmabuf0/size") << "16384\n";
  CHECK(axi::MappedBoard(options).memory_address() == 0x7000'0000);
  options.registers = folder.file("nothing");
  CHECK_THROWS_WITH(axi::MappedBoard(options), Contains("nothing: cannot be opened"));
}
