// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <functional>
#include <memory>
#include <string>

#include "sim/board/board.hpp"

namespace ht::board {

using MakeBoard = std::function<std::unique_ptr<Board>()>;

/// Boards as they would be on a desk: each one's serial line is a pseudo-terminal, link ends are
/// cabled, and cables are pulled and put back by lines on standard input. Started by
/// fpga/common/board.py --simulate.
///
///   board_NAME [--boards 1|2] [--delay D]
///
/// D: of every cable, in half periods of the fastest clock. One board: its ends are cabled in
/// pairs, A and B, C and D, or to themselves (Board::partner); two: each end to the same one of the
/// other board. First, a line "port /dev/pts/N" for each board is printed. Lines read: "unplug",
/// "plug"; at the end of input the boards are switched off. Exit codes: 0, 2 usage, 12 no terminal.
int desk_main(int argc, char** argv, const std::string& title, const MakeBoard& make);

}  // namespace ht::board
