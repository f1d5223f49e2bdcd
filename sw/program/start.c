/* SPDX-License-Identifier: Apache-2.0
 *
 * Linked into every program by hypertorus-cc: what happens if it is started without the simulator.
 * The link names hypertorus_start the file's entry. The program is then a node by itself, as its
 * build system expects when it tries what it has built: this starts the simulator, which loads it.
 * Nothing is loaded or relocated here: system calls only, no tables of addresses. */
#if defined(__x86_64__)
#include <elf.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

#define HT_HIDDEN __attribute__((visibility("hidden")))

__asm__(
    ".text\n.globl hypertorus_start\n.hidden hypertorus_start\n"
    ".type hypertorus_start, @function\nhypertorus_start:\n"
    "movq %rsp, %rdi\nandq $-16, %rsp\ncall hypertorus_begin\nhlt\n"
    ".size hypertorus_start, .-hypertorus_start\n");

extern HT_HIDDEN const Elf64_Dyn _DYNAMIC[];
extern HT_HIDDEN const char __ehdr_start[];

static long system_call(long number, long a, long b, long c) {
  long result = number;
  __asm__ volatile("syscall" : "+a"(result) : "D"(a), "S"(b), "d"(c) : "rcx", "r11", "memory");
  return result;
}

static void say(const char* text) {
  long length = 0;
  while (text[length] != '\0') ++length;
  system_call(SYS_write, STDERR_FILENO, (long)text, length);
}

/* The simulator beside the wrapper that linked this: it is the shared object's name (DT_SONAME),
 * for which a program has no other use. */
static const char* simulator_of_link(void) {
  const char* strings = NULL;
  unsigned long name = 0;
  for (const Elf64_Dyn* entry = _DYNAMIC; entry->d_tag != DT_NULL; ++entry) {
    if (entry->d_tag == DT_STRTAB) strings = __ehdr_start + entry->d_un.d_ptr;
    if (entry->d_tag == DT_SONAME) name = entry->d_un.d_val;
  }
  return strings == NULL || name == 0 ? NULL : strings + name;
}

/* HYPERTORUS=FILE in the environment names another. */
static const char* simulator(char** environment) {
  for (; *environment != NULL; ++environment) {
    const char* name = "HYPERTORUS=";
    const char* value = *environment;
    while (*name != '\0' && *name == *value) ++name, ++value;
    if (*name == '\0' && *value != '\0') return value;
  }
  return simulator_of_link();
}

HT_HIDDEN void hypertorus_begin(long* stack);
__attribute__((used)) void hypertorus_begin(long* stack) {
  const long count = stack[0];
  char** const arguments = (char**)(stack + 1);
  char** const environment = arguments + count + 1;
  const char* const program = simulator(environment);
  static char self[4096];
  const long length =
      system_call(SYS_readlink, (long)"/proc/self/exe", (long)self, sizeof self - 1);
  if (program != NULL && length > 0) {
    const char* command[count + 6];
    long n = 0;
    command[n++] = program;
    command[n++] = "exec";
    command[n++] = "--alone";
    command[n++] = "--";
    command[n++] = self;
    for (long i = 1; i < count; ++i) command[n++] = arguments[i];
    command[n] = NULL;
    system_call(SYS_execve, (long)program, (long)command, (long)environment);
    say("hypertorus: cannot start ");
    say(program);
    say(", which runs this program; set HYPERTORUS to where it is, or start it with: ");
  } else {
    say("built for hypertorus; start it with: ");
  }
  say("hypertorus exec MACHINE -- PROGRAM\n");
  system_call(SYS_exit_group, 2, 0, 0);
}
#endif
