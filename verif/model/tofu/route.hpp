// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <string>

/// Where a Tofu packet goes: rtl/tofu/README.md, "Router"; [Tofu2012] section 3.3.
namespace ht::model::tofu {

/// In the order of the header's TO field.
enum Axis : unsigned { X, Y, Z, A, B, C };
/// Ports of a router: two each for X, Y, Z and B, one each for A and C, then the interfaces.
enum Port : unsigned { XPlus, XMinus, YPlus, YMinus, ZPlus, ZMinus, APort, BPlus, BMinus, CPort };
constexpr unsigned links = 10;
constexpr unsigned ports = 15;  ///< 10: the barrier interface, 11 to 14: network interfaces

/// A place in the torus, by axis.
using Coordinates = std::array<unsigned, 6>;

/// A torus. X, Y and Z are rings or meshes; B is a ring if it is 3 long; A and C need no ring.
struct Shape {
  Coordinates length{1, 1, 1, 1, 1, 1};
  std::array<bool, 3> ring{};  ///< X, Y, Z

  bool is_ring(unsigned axis) const { return axis == B ? length[B] >= 3 : axis < 3 && ring[axis]; }
  unsigned nodes() const;
  bool contains(const Coordinates& place) const;
  /// X counts fastest, then Y, Z, A, B, C.
  unsigned index(const Coordinates& place) const;
  Coordinates place(unsigned index) const;
  /// As the register SHAPE has it.
  std::uint32_t bits() const;
  bool operator==(const Shape&) const = default;
  /// "3x1x1x2x3x2", with an r after the length of each ring of X, Y, Z.
  std::string name() const;
};
/// Throws std::invalid_argument if the hardware does not offer it: X, Y, Z 1 to 32, A and C 1 or 2,
/// B 1 to 3.
void check(const Shape& shape);

/// As the header and the register COORDINATES have it, 19 bits.
std::uint32_t pack(const Coordinates& place);
/// Only A, B and C of `place`, as the header's PATH, 4 bits.
std::uint32_t pack_path(const Coordinates& place);

/// How virtual channels are chosen.
enum class Rule {
  Legs,          ///< the hardware's: first ABC leg 0, last 1, in X, Y and Z the dateline's
  DatelineAlone  ///< 0 up to an axis' wrap-around cable, 1 from there on, everywhere
};

/// What of a header the router reads and writes.
struct Journey {
  Coordinates from{}, to{};
  Coordinates path{};  ///< A, B and C of where the first leg leads; X, Y, Z do not count
  bool leg = false;    ///< the first leg is done
};

struct Hop {
  unsigned port = 0;     ///< 0 to 9
  unsigned channel = 0;  ///< routing channel, 0 or 1
  bool leg = false;      ///< as it stands in the header afterwards
};

/// One axis of a journey.
struct Step {
  bool plus = true;
  unsigned channel = 0;
};
/// The next hop from `here` to `to`, which differ, of a packet that began at `from`. The shorter
/// way round a ring; of two equal ones, in X, Y and Z that of the parity of the place, so that a
/// ring of four is used evenly.
Step axis_step(unsigned axis, unsigned length, bool ring, unsigned from, unsigned here, unsigned to,
               Rule rule = Rule::Legs);

/// The next hop, or nothing if the packet has arrived.
std::optional<Hop> next_hop(const Shape& shape, const Coordinates& here, const Journey& journey,
                            Rule rule = Rule::Legs);

/// Whether the router takes it: TO and PATH inside the torus, `interface` 0 to 4.
bool is_valid(const Shape& shape, const Journey& journey, unsigned interface);

/// The port that leads along an axis.
unsigned port_of(unsigned axis, bool plus);
unsigned axis_of(unsigned port);
/// Where a cable leads, or nothing if there is none: the end of a mesh, or an axis of length 1.
std::optional<Coordinates> neighbour(const Shape& shape, const Coordinates& here, unsigned port);
/// The port at the other end of a cable.
unsigned opposite(unsigned port);

}  // namespace ht::model::tofu
