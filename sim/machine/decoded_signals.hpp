// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

class VerilatedFst;

namespace ht::machine {

/// Signals a wave file has besides those of the Verilog: in scope `<node>.<link>`, what goes over
/// the wire and the state of the link, as enumerations whose names are stored in the file itself.
/// The derived class knows what its machine's links say.
class DecodedSignals {
 public:
  /// Names for the values 0, 1, ... of a signal.
  struct Enumeration {
    const char* name;
    std::span<const char* const> values;
    int bits;
  };
  /// A signal that every link has.
  struct Signal {
    const char* name;
    int bits;         ///< at most 8
    int enumeration;  ///< number in Layout, from 0; -1: a plain number
  };
  /// Both must live as long as the object.
  struct Layout {
    std::span<const Enumeration> enumerations;
    std::span<const Signal> signals;
  };

  virtual ~DecodedSignals() = default;
  DecodedSignals(const DecodedSignals&) = delete;
  DecodedSignals& operator=(const DecodedSignals&) = delete;

  /// Before the file is opened. `this` must outlive the file.
  void attach(VerilatedFst& file);
  /// After every rising edge of the links' clock.
  virtual void step() = 0;

  /// Scope of a link's signals. This is that of a torus: "px" for +x, "mv" for -v.
  virtual std::string scope(int link) const;

  /// Names of its signals for `link` as wave viewers write them, enumerations first.
  std::vector<std::string> enumerations(int link) const { return names_of(link, true); }
  std::vector<std::string> numbers(int link) const { return names_of(link, false); }

 protected:
  /// Of links number `links` of the node whose scope is `node`.
  DecodedSignals(std::string node, std::vector<int> links, const Layout& layout);

  const std::vector<int>& links() const { return links_; }
  /// Puts the values of a link's signals into `values`, in the layout's order.
  virtual void read(int link, std::span<std::uint8_t> values) const = 0;

 private:
  struct Callbacks;  // what Verilator's trace calls
  std::vector<std::string> names_of(int link, bool enumerations) const;

  std::string node_;
  std::vector<int> links_;
  Layout layout_;
  std::uint32_t base_ = 0;  ///< code of the first signal
  std::vector<std::uint8_t> values_;
};

}  // namespace ht::machine
