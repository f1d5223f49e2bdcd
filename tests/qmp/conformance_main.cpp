// SPDX-License-Identifier: Apache-2.0
// QMP's conformance programs as a program of its own for nodes, compiled by hypertorus-c++:
// `conformance NAME` runs that one and says "kept", without a name it lists them. Exit code 1 if a
// promise is broken, and a line that says which.
#include <cstdio>
#include <cstring>
#include <exception>

#include "tests/qmp/programs.hpp"

int main(int argc, char** argv) {
  for (const auto& program : ht::qmp::tests::conformance_programs()) {
    if (argc < 2) {
      std::printf("%s\n", program.name);
    } else if (std::strcmp(argv[1], program.name) == 0) {
      try {
        program.program();
        std::puts("kept");
        return 0;
      } catch (const std::exception& e) {
        std::fprintf(stderr, "%s: %s\n", program.name, e.what());
        return 1;
      }
    }
  }
  return argc < 2 ? 0 : 2;
}
