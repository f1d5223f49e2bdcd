// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <memory>

#include "sim/board/board.hpp"

namespace ht::board {

/// One board of each kind: the folder of fpga that it is named after has its top.
std::unique_ptr<Board> make_hx8k();
std::unique_ptr<Board> make_hx8k_qpace();
std::unique_ptr<Board> make_ulx3s();
std::unique_ptr<Board> make_ulx3s_qpace();
std::unique_ptr<Board> make_ecpix5();
std::unique_ptr<Board> make_kcu105();

}  // namespace ht::board
