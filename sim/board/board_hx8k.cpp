// SPDX-License-Identifier: Apache-2.0
#include "sim/board/desk.hpp"
#include "sim/board/hx8k.hpp"

int main(int argc, char** argv) {
  return ht::board::desk_main(argc, argv, "HX8K boards",
                              [] { return std::make_unique<ht::board::Hx8k>(); });
}
