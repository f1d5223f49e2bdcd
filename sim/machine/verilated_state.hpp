// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <verilated.h>

#include <string>
#include <type_traits>
#include <utility>

#include "sim/machine/state_bits.hpp"

namespace ht::machine {

template <class T>
struct ElementOf {
  using Type = T;
};
template <class T, std::size_t depth>
struct ElementOf<VlUnpacked<T, depth>> : ElementOf<T> {};

/// Adds a variable of a Verilated model, or an array of them, whose elements have `width` bits.
template <class T>
void add_state(StateBits& bits, std::string name, unsigned width, T& variable) {
  using Element = typename ElementOf<T>::Type;
  bits.add(std::move(name), &variable, sizeof(Element), sizeof(T) / sizeof(Element), width,
           !std::is_same_v<T, Element>);
}

}  // namespace ht::machine
