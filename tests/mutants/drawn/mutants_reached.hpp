// SPDX-License-Identifier: Apache-2.0
// Which drawn mutants would have made a difference in a run in which none was awake
// (rtl_judges.py).
#pragma once

#include <cstdlib>

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

/// Notes that number `n` had another value, in byte `n` of the file that HYPERTORUS_REACHED names.
/// False: it is asleep.
inline bool ht_mutants_note(unsigned n, bool differs) {
  static char* const reached = [] {
    const int file = open(std::getenv("HYPERTORUS_REACHED"), O_RDWR);
    const off_t size = lseek(file, 0, SEEK_END);
    void* const bytes =
        mmap(nullptr, static_cast<size_t>(size), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (bytes == MAP_FAILED) std::abort();
    close(file);
    return static_cast<char*>(bytes);
  }();
  if (differs) reached[n] = 1;
  return false;
}
