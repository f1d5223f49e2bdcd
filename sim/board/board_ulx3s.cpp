// SPDX-License-Identifier: Apache-2.0
#include "sim/board/desk.hpp"
#include "sim/board/ulx3s.hpp"

int main(int argc, char** argv) {
  return ht::board::desk_main(argc, argv, "ULX3S boards",
                              [] { return std::make_unique<ht::board::Ulx3s>(); });
}
