/* SPDX-License-Identifier: Apache-2.0
 *
 * The interface between a node's program and the simulator. The program's side (node.c,
 * calls.c.in) is linked into it by hypertorus-cc; the simulator's is loaded_program.cpp. Plain C,
 * because programs are built by other compilers, later, elsewhere: a change here is a new version.
 */
#ifndef HT_SW_PROGRAM_HOST_H
#define HT_SW_PROGRAM_HOST_H

#include <stdio.h>
#include <sys/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Room for the name of a function of the network. */
#define HYPERTORUS_CALL_BYTES 48

/** Basic blocks of a program's own code after which the others get a turn. */
#define HYPERTORUS_BLOCKS_A_TURN 65536

/** How a program ended other than by returning from main(). */
enum hypertorus_end {
  HYPERTORUS_EXIT = 1,  /**< exit(code), its atexit handlers have run */
  HYPERTORUS_QUICK = 2, /**< _exit(code) or the like */
  HYPERTORUS_ABORT = 3, /**< abort(), a failed assertion, std::terminate() */
  HYPERTORUS_QMP_ABORT = 4,
  HYPERTORUS_THREAD = 5 /**< called the function of the network named `text` on another thread */
};

/** A node of the simulator, as its program sees it. */
struct hypertorus_host {
  void* node;
  FILE* standard_output; /**< belong to the simulator: not to be closed */
  FILE* standard_error;
  /** Bytes for the node's standard output (1) or error (2), past those streams' buffers. */
  ssize_t (*write)(void* node, int descriptor, const void* data, size_t bytes);
  /** Ends the program without unwinding its stack; does not return. */
  void (*end)(void* node, enum hypertorus_end how, int code, const char* text);
  /** The C library's, whose names the program's side takes. */
  int (*close_stream)(FILE* stream);
  /** HYPERTORUS_CALL_BYTES for the name of the last call, where others can see it when this process
   * is no more. */
  char* last_call;
  /** HYPERTORUS_BLOCKS_A_TURN blocks of its code have run; the last one is at `place`. Returns when
   * the others have had their turn. Throws nothing: it may be called anywhere. */
  void (*take_turn)(void* node, void* place);
  /** Nanoseconds of the machine's time since the program began, or -1: clocks are the computer's. A
   * look lets a little time pass. */
  long long (*clock)(void* node);
};

/** A program, as the simulator sees it. */
struct hypertorus_program {
  unsigned bytes; /**< of this structure */
  int (*main)(int, char**, char**);
  /** Runs atexit handlers and destructors, and flushes the streams. */
  void (*finish)(void);
  /** The last QMP function called, and where it returns to; null before the first. */
  const char* const volatile* call;
  void* const volatile* caller;
  /** From now on blocks of the calling thread are counted (1), or none (0). */
  void (*count_blocks)(int count);
};

/** Exported by the simulator: the node that is being loaded on this thread. */
const struct hypertorus_host* hypertorus_attach_4(void);

/** Exported by the program. Its name carries the version. */
extern const struct hypertorus_program hypertorus_program_4;

#ifdef __cplusplus
}
#endif
#endif
