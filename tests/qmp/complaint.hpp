// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <catch2/catch.hpp>
#include <string>

namespace ht::qmp::tests {

/// What `run` throws as an `Error`, in words.
template <typename Error, typename Run>
std::string complaint(Run run) {
  try {
    run();
  } catch (const Error& e) {
    return e.what();
  }
  FAIL("no such exception");
  return {};
}

}  // namespace ht::qmp::tests
