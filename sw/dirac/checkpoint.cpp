// SPDX-License-Identifier: Apache-2.0
#include "sw/dirac/checkpoint.hpp"

#include <fmt/format.h>
#include <zlib.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <type_traits>
#include <utility>

#include "sw/host/errors.hpp"
#include "sw/host/output_file.hpp"

namespace ht::dirac {
namespace {

constexpr std::string_view magic = "hypertorus checkpoint 1\n";

std::uint32_t crc_of(std::string_view bytes) {
  return static_cast<std::uint32_t>(
      crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

class Writer {
 public:
  template <class T>
  void number(const T& value) {
    static_assert(std::is_arithmetic_v<T>);
    bytes_.append(reinterpret_cast<const char*>(&value), sizeof value);
  }
  void text(std::string_view value) {
    number<std::uint64_t>(value.size());
    bytes_ += value;
  }
  void numbers(const std::vector<double>& values) {
    number<std::uint64_t>(values.size());
    for (const double v : values) number(v);
  }
  void field(const SiteBytes& field) {
    number<std::uint64_t>(field.size());
    for (const auto& [site, bytes] : field) {
      number(site);
      text({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
    }
  }
  std::string& bytes() { return bytes_; }

 private:
  std::string bytes_;
};

/// Reads what Writer wrote; lengths that the rest does not hold are damage.
class Reader {
 public:
  Reader(std::string_view bytes, const std::string& name) : rest_(bytes), name_(name) {}
  template <class T>
  T number() {
    T value{};
    std::memcpy(&value, take(sizeof value).data(), sizeof value);
    return value;
  }
  std::string_view text() { return take(number<std::uint64_t>()); }
  std::vector<double> numbers() {
    std::vector<double> values;
    for (auto n = number<std::uint64_t>(); n > 0; --n) values.push_back(number<double>());
    return values;
  }
  SiteBytes field() {
    SiteBytes field;
    for (auto n = number<std::uint64_t>(); n > 0; --n) {
      const auto site = number<std::int64_t>();
      const std::string_view bytes = text();
      const auto* const first = reinterpret_cast<const std::byte*>(bytes.data());
      field.emplace(site, std::vector(first, first + bytes.size()));
    }
    return field;
  }
  bool at_end() const { return rest_.empty(); }

 private:
  std::string_view take(std::uint64_t bytes) {
    if (bytes > rest_.size()) throw DataError(name_ + ": a checkpoint that ends too early");
    const std::string_view taken = rest_.substr(0, bytes);
    rest_.remove_prefix(bytes);
    return taken;
  }

  std::string_view rest_;
  const std::string& name_;
};

void put_column(Writer& w, const ColumnResult& c) {
  w.number(c.colour);
  w.number(c.spin);
  w.number(c.source_norm2);
  w.number(c.iterations);
  w.number(static_cast<int>(c.converged));
  w.number(c.true_residual);
  w.number(c.solver_residual);
  w.numbers(c.history);
}

ColumnResult get_column(Reader& r) {
  ColumnResult c;
  c.colour = r.number<int>();
  c.spin = r.number<int>();
  c.source_norm2 = r.number<double>();
  c.iterations = r.number<int>();
  c.converged = r.number<int>() != 0;
  c.true_residual = r.number<double>();
  c.solver_residual = r.number<double>();
  c.history = r.numbers();
  return c;
}

}  // namespace

std::string to_bytes(const NodeState& state, const std::string& job, int node, int nodes) {
  Writer w;
  w.bytes() = magic;
  w.text(job);
  w.number(node);
  w.number(nodes);
  w.number<std::uint64_t>(state.columns.size());
  for (std::size_t i = 0; i < state.columns.size(); ++i) {
    put_column(w, state.columns[i]);
    w.field(state.solutions[i]);
  }
  const SolverState& s = state.solver;
  w.number(s.column);
  w.number(s.residual);
  w.number(s.target);
  w.numbers(s.history);
  for (const SiteBytes* field : {&s.x, &s.r, &s.p}) w.field(*field);
  w.number(crc_of(w.bytes()));
  return std::move(w.bytes());
}

NodeState from_bytes(const std::string& bytes, const std::string& job, int node, int nodes,
                     const std::string& name) {
  constexpr std::size_t tail = sizeof(std::uint32_t);
  if (bytes.size() < magic.size() + tail || !bytes.starts_with(magic))
    throw DataError(name + ": no checkpoint of this program");
  const std::string_view body(bytes.data(), bytes.size() - tail);
  std::uint32_t crc = 0;
  std::memcpy(&crc, bytes.data() + body.size(), tail);
  if (crc != crc_of(body)) throw DataError(name + ": a checkpoint whose checksum is wrong");
  Reader r(body.substr(magic.size()), name);
  if (r.text() != job) throw DataError(name + ": a checkpoint of another job");
  if (r.number<int>() != node || r.number<int>() != nodes)
    throw DataError(name + ": a checkpoint of another node, or of more or fewer nodes");
  NodeState state;
  for (auto n = r.number<std::uint64_t>(); n > 0; --n) {
    state.columns.push_back(get_column(r));
    state.solutions.push_back(r.field());
  }
  SolverState& s = state.solver;
  s.column = r.number<int>();
  s.residual = r.number<double>();
  s.target = r.number<double>();
  s.history = r.numbers();
  for (SiteBytes* field : {&s.x, &s.r, &s.p}) *field = r.field();
  if (!r.at_end() || s.history.empty()) throw DataError(name + ": a checkpoint with more in it");
  return state;
}

Checkpoints::Checkpoints(std::string stem, int every, std::string job)
    : stem_(std::move(stem)), every_(every), job_(std::move(job)) {
  host::check_writable(file(0, 0));
}

std::string Checkpoints::file(int node, int set) const {
  return fmt::format("{}.node{}.{}", stem_, node, set);
}

void Checkpoints::save(int node, int nodes, const NodeState& state) {
  const int set = state.solver.iterations() / every_ % 2;
  host::write_file(file(node, set), to_bytes(state, job_, node, nodes));
}

bool Checkpoints::read(int nodes) {
  const auto place = [](const NodeState& s) {
    return std::pair(s.solver.column, s.solver.iterations());
  };
  std::string damage;
  for (int set = 0; set < 2; ++set) {
    std::optional<NodeState> whole;
    for (int node = 0; node < nodes; ++node) {
      const std::string name = file(node, set);
      std::ifstream in(name, std::ios::binary);
      const std::string bytes(std::istreambuf_iterator<char>(in), {});
      if (!in) {
        whole.reset();
        break;
      }
      NodeState state;
      try {
        state = from_bytes(bytes, job_, node, nodes, name);
      } catch (const DataError& e) {
        damage = e.what();
        whole.reset();
        break;
      }
      if (node == 0) {
        whole = std::move(state);
        continue;
      }
      // Not all nodes had come as far.
      if (place(state) != place(*whole)) {
        whole.reset();
        break;
      }
      for (std::size_t i = 0; i < state.solutions.size(); ++i)
        whole->solutions[i].merge(state.solutions[i]);
      whole->solver.x.merge(state.solver.x);
      whole->solver.r.merge(state.solver.r);
      whole->solver.p.merge(state.solver.p);
    }
    if (whole && (!found_ || place(*found_) < place(*whole))) found_ = std::move(whole);
  }
  if (!found_ && !damage.empty()) throw DataError(damage);
  return found_.has_value();
}

void Checkpoints::remove(int nodes) const {
  for (int node = 0; node < nodes; ++node) {
    for (int set = 0; set < 2; ++set) {
      std::error_code ignored;
      std::filesystem::remove(file(node, set), ignored);
    }
  }
}

}  // namespace ht::dirac
