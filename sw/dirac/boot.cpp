// SPDX-License-Identifier: Apache-2.0
#include "sw/dirac/boot.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <zlib.h>

#include <bit>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <sstream>

#include "sw/host/errors.hpp"

namespace ht::dirac {
namespace {

constexpr const char* first_line = "hypertorus boot block 2\n";
constexpr std::size_t link_numbers = 4 * 3 * 3 * 2;

std::uint32_t crc_of(const void* data, std::size_t bytes) {
  return static_cast<std::uint32_t>(
      crc32(0, static_cast<const Bytef*>(data), static_cast<uInt>(bytes)));
}

// The words after each key.
class Values {
 public:
  explicit Values(std::string_view text) {
    std::istringstream lines{std::string(text)};
    for (std::string line; std::getline(lines, line);) {
      const std::size_t space = line.find(' ');
      const std::string key = line.substr(0, space);
      const std::string value = space == std::string::npos ? "" : line.substr(space + 1);
      if (!values_.emplace(key, value).second)
        throw DataError(fmt::format("boot block: {} stands in it twice", key));
    }
  }

  std::string text(const char* key) {
    const auto found = values_.find(key);
    if (found == values_.end()) throw DataError(fmt::format("boot block: {} is missing", key));
    std::string value = found->second;
    values_.erase(found);
    return value;
  }
  template <std::size_t N>
  std::array<double, N> numbers(const char* key) {
    std::array<double, N> out{};
    const std::string value = text(key);
    const char* at = value.c_str();
    for (double& x : out) {
      char* end = nullptr;
      x = std::strtod(at, &end);
      if (end == at) throw DataError(fmt::format("boot block: {} {}: {} numbers", key, value, N));
      at = end;
    }
    if (*at != 0) throw DataError(fmt::format("boot block: {} {}: {} numbers", key, value, N));
    return out;
  }
  /// Any number of them.
  std::vector<double> list(const char* key) {
    std::vector<double> out;
    const std::string value = text(key);
    const char* at = value.c_str();
    while (*at != 0) {
      char* end = nullptr;
      out.push_back(std::strtod(at, &end));
      if (end == at) throw DataError(fmt::format("boot block: {} {}: numbers", key, value));
      at = end;
    }
    return out;
  }
  double number(const char* key) { return numbers<1>(key)[0]; }
  int whole(const char* key) { return static_cast<int>(number(key)); }
  Coordinates place(const char* key) {
    const auto n = numbers<4>(key);
    return {static_cast<int>(n[0]), static_cast<int>(n[1]), static_cast<int>(n[2]),
            static_cast<int>(n[3])};
  }
  void require_nothing_more() const {
    if (!values_.empty())
      throw DataError(fmt::format("boot block: {} is unknown", values_.begin()->first));
  }

 private:
  std::map<std::string, std::string> values_;
};

}  // namespace

std::string to_boot_block(const JobSpec& s) {
  std::string text = first_line;
  const auto line = [&](const char* key, const std::string& value) {
    text += fmt::format("{} {}\n", key, value);
  };
  line("lattice", fmt::format("{}", fmt::join(s.lattice, " ")));
  line("grid", fmt::format("{}", fmt::join(s.node_grid, " ")));
  line("field", s.gauge ? s.gauge->description : describe(s.field, s.seed));
  line("operator", std::string(to_string(s.fermions.kind)));
  line("kappa", fmt::format("{:a}", s.fermions.kappa));
  line("csw", fmt::format("{:a}", s.fermions.csw));
  line("mass", fmt::format("{:a}", s.fermions.mass));
  line("u0", fmt::format("{:a}", s.fermions.u0));
  line("length", std::to_string(s.fermions.length));
  line("height", fmt::format("{:a}", s.fermions.m5));
  line("boundary", fmt::format("{:a}", fmt::join(s.boundary, " ")));
  line("gaussian", s.source.gaussian ? "1" : "0");
  line("position", fmt::format("{}", fmt::join(s.source.position, " ")));
  line("width", fmt::format("{:a}", s.source.width));
  line("smearing", std::to_string(s.source.iterations));
  line("columns", std::to_string(s.columns));
  line("single", s.precision == Precision::Single ? "1" : "0");
  line("solver", std::to_string(static_cast<int>(s.solver)));
  line("shifts", fmt::format("{:a}", fmt::join(s.shifts, " ")));
  line("tolerance", fmt::format("{:a}", s.tolerance));
  line("iterations", std::to_string(s.max_iterations));
  line("fast", s.sum == SumKind::Fast ? "1" : "0");
  return text + fmt::format("end {:08x}\n", crc_of(text.data(), text.size()));
}

JobSpec from_boot_block(std::string_view text) {
  const std::size_t end = text.rfind("end ");
  if (!text.starts_with(first_line) || end == std::string_view::npos)
    throw DataError("boot block: does not begin or end like one of version 2");
  if (text.substr(end) != fmt::format("end {:08x}\n", crc_of(text.data(), end)))
    throw DataError("boot block: damaged, its CRC is wrong");
  const std::size_t begin = std::string_view(first_line).size();
  Values values(text.substr(begin, end - begin));
  JobSpec s;
  s.lattice = values.place("lattice");
  std::istringstream grid(values.text("grid"));
  for (int n = 0; grid >> n;) s.node_grid.push_back(n);
  s.description = values.text("field");
  const std::string name = values.text("operator");
  const auto kind = parse_operator(name);
  if (!kind) throw DataError(fmt::format("boot block: there is no operator {}", name));
  s.fermions.kind = *kind;
  s.fermions.kappa = values.number("kappa");
  s.fermions.csw = values.number("csw");
  s.fermions.mass = values.number("mass");
  s.fermions.u0 = values.number("u0");
  s.fermions.length = values.whole("length");
  s.fermions.m5 = values.number("height");
  s.boundary = values.numbers<4>("boundary");
  s.source.gaussian = values.whole("gaussian") != 0;
  s.source.position = values.place("position");
  s.source.width = values.number("width");
  s.source.iterations = values.whole("smearing");
  s.columns = values.whole("columns");
  s.precision = values.whole("single") != 0 ? Precision::Single : Precision::Double;
  const int solver = values.whole("solver");
  if (solver < 0 || solver > static_cast<int>(SolverKind::Mixed))
    throw DataError(fmt::format("boot block: there is no solver {}", solver));
  s.solver = static_cast<SolverKind>(solver);
  s.shifts = values.list("shifts");
  s.tolerance = values.number("tolerance");
  s.max_iterations = values.whole("iterations");
  s.sum = values.whole("fast") != 0 ? SumKind::Fast : SumKind::Reproducible;
  values.require_nothing_more();
  return s;
}

std::string box_name(const Box& box) {
  return fmt::format("gauge/{}/{}", fmt::join(box.origin, ","), fmt::join(box.extents, "x"));
}

std::optional<Box> parse_box_name(std::string_view name) {
  Box b;
  const std::string text(name);
  auto& [o, e] = b;
  if (std::sscanf(text.c_str(), "gauge/%d,%d,%d,%d/%dx%dx%dx%d", &o[0], &o[1], &o[2], &o[3], &e[0],
                  &e[1], &e[2], &e[3]) != 8 ||
      box_name(b) != text)
    return std::nullopt;
  return b;
}

std::vector<std::uint8_t> encode_box(const GlobalGauge& gauge, const Box& box) {
  std::vector<std::uint8_t> bytes;
  const std::int64_t sites = volume_of(box.extents);
  bytes.reserve(static_cast<std::size_t>(sites) * link_numbers * 8 + 4);
  const auto put = [&](std::uint64_t value, int count) {
    for (int i = count; i-- > 0;) bytes.push_back(static_cast<std::uint8_t>(value >> (8 * i)));
  };
  for (std::int64_t i = 0; i < sites; ++i) {
    Coordinates x = coordinates_of(i, box.extents);
    for (std::size_t mu = 0; mu < 4; ++mu) x[mu] += box.origin[mu];
    for (const Link& link : gauge.at(x)) {
      for (const auto& row : link.e) {
        for (const auto& z : row) {
          for (const double part : z) put(std::bit_cast<std::uint64_t>(part), 8);
        }
      }
    }
  }
  put(crc_of(bytes.data(), bytes.size()), 4);
  return bytes;
}

std::vector<SiteLinks> decode_box(std::span<const std::uint8_t> bytes, const Box& box) {
  const auto sites = static_cast<std::size_t>(volume_of(box.extents));
  if (bytes.size() != sites * link_numbers * 8 + 4)
    throw DataError(fmt::format("{}: {} bytes; {} sites take {}", box_name(box), bytes.size(),
                                sites, sites * link_numbers * 8 + 4));
  std::size_t at = 0;
  const auto take = [&](int count) {
    std::uint64_t value = 0;
    while (count-- > 0) value = value << 8 | bytes[at++];
    return value;
  };
  std::vector<SiteLinks> links(sites);
  for (SiteLinks& site : links) {
    for (Link& link : site) {
      for (auto& row : link.e) {
        for (auto& z : row) {
          for (double& part : z) part = std::bit_cast<double>(take(8));
        }
      }
    }
  }
  if (take(4) != crc_of(bytes.data(), bytes.size() - 4))
    throw DataError(fmt::format("{}: damaged on its way, its CRC is wrong", box_name(box)));
  return links;
}

}  // namespace ht::dirac
