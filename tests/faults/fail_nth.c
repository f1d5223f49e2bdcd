/* SPDX-License-Identifier: Apache-2.0
 *
 * Loaded before a program (LD_PRELOAD), it makes one call of the computer's functions fail: the Nth, from main() on, of
 * one kind, in this process and all that it forks. The environment says which:
 *   HYPERTORUS_FAULT_CALL   the kind, a name of the table below
 *   HYPERTORUS_FAULT_NTH    N, from 1; 0: none, calls are only counted
 *   HYPERTORUS_FAULT_STAYS  if it is there, all calls from the Nth on fail, as on a disk that stays full
 *   HYPERTORUS_FAULT_COUNT  a file of 8 bytes: the number of calls so far, the processes' common counter
 * What stdio does inside of the C library does not pass here: fwrite() and fflush() fail as a whole.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

enum kind { OPEN, READ, WRITE, CLOSE, RENAME, MALLOC, MMAP, CUT, THREAD, FORK, KINDS };
static const struct {
  const char* name;
  int error;
} kinds[KINDS] = {
    [OPEN] = {"open", EMFILE},     [READ] = {"read", EIO},     [WRITE] = {"write", ENOSPC},
    [CLOSE] = {"close", EIO},      [RENAME] = {"rename", EIO}, [MALLOC] = {"malloc", ENOMEM},
    [MMAP] = {"mmap", ENOMEM},     [CUT] = {"cut", 0},         [THREAD] = {"thread", EAGAIN}, [FORK] = {"fork", EAGAIN},
};

static enum kind chosen = KINDS; /* until main() */
static uint64_t nth;
static int stays;
static _Atomic uint64_t* count;

/* Whether this call is to fail; errno says why. */
static int fails(enum kind kind) {
  uint64_t number;
  if (kind != chosen) return 0;
  number = atomic_fetch_add(count, 1) + 1;
  if (nth == 0 || (stays ? number < nth : number != nth)) return 0;
  errno = kinds[kind].error;
  return 1;
}

/* The C library's own function of that name. */
#define NEXT(function) ((__typeof__(&function))dlsym(RTLD_NEXT, #function))

static void arm(void) {
  const char* const call = getenv("HYPERTORUS_FAULT_CALL");
  const char* const number = getenv("HYPERTORUS_FAULT_NTH");
  const char* const file = getenv("HYPERTORUS_FAULT_COUNT");
  int descriptor, kind;
  if (call == NULL || number == NULL || file == NULL) return;
  descriptor = NEXT(open)(file, O_RDWR | O_CLOEXEC);
  count = NEXT(mmap)(NULL, sizeof *count, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
  NEXT(close)(descriptor);
  if (count == MAP_FAILED) abort();
  nth = strtoull(number, NULL, 10);
  stays = getenv("HYPERTORUS_FAULT_STAYS") != NULL;
  for (kind = 0; kind < KINDS; ++kind) {
    if (strcmp(kinds[kind].name, call) == 0) chosen = (enum kind)kind;
  }
  if (chosen == KINDS) abort();
}

static int (*program_main)(int, char**, char**);
static int armed_main(int argc, char** argv, char** environment) {
  arm();
  return program_main(argc, argv, environment);
}
typedef int start_main(int (*)(int, char**, char**), int, char**, void (*)(void), void (*)(void),
                       void (*)(void), void*);
int __libc_start_main(int (*main)(int, char**, char**), int argc, char** argv, void (*init)(void),
                      void (*fini)(void), void (*rtld_fini)(void), void* stack_end) {
  program_main = main;
  return ((start_main*)dlsym(RTLD_NEXT, "__libc_start_main"))(armed_main, argc, argv, init, fini,
                                                              rtld_fini, stack_end);
}

/* ---- Files ---- */
static mode_t mode_of(int flags, va_list rest) {
  return (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(rest, mode_t) : 0;
}
#define OPEN_FUNCTION(name)               \
  int name(const char* path, int flags, ...) { \
    va_list rest;                         \
    mode_t mode;                          \
    va_start(rest, flags);                \
    mode = mode_of(flags, rest);          \
    va_end(rest);                         \
    return fails(OPEN) ? -1 : NEXT(name)(path, flags, mode); \
  }
OPEN_FUNCTION(open)
OPEN_FUNCTION(open64)
FILE* fopen(const char* path, const char* mode) {
  return fails(OPEN) ? NULL : NEXT(fopen)(path, mode);
}
FILE* fopen64(const char* path, const char* mode) {
  return fails(OPEN) ? NULL : NEXT(fopen64)(path, mode);
}
ssize_t read(int file, void* buffer, size_t bytes) {
  return fails(READ) ? -1 : NEXT(read)(file, buffer, bytes);
}
ssize_t readv(int file, const struct iovec* parts, int n) {
  return fails(READ) ? -1 : NEXT(readv)(file, parts, n);
}
ssize_t write(int file, const void* buffer, size_t bytes) {
  return fails(WRITE) ? -1 : NEXT(write)(file, buffer, bytes);
}
ssize_t writev(int file, const struct iovec* parts, int n) {
  return fails(WRITE) ? -1 : NEXT(writev)(file, parts, n);
}
size_t fwrite(const void* buffer, size_t bytes, size_t n, FILE* file) {
  return file != stderr && fails(WRITE) ? 0 : NEXT(fwrite)(buffer, bytes, n, file);
}
int fflush(FILE* file) {
  return file != stderr && fails(WRITE) ? EOF : NEXT(fflush)(file);
}
int ftruncate(int file, off_t bytes) {
  return fails(WRITE) ? -1 : NEXT(ftruncate)(file, bytes);
}
/* The file is closed even so, as Linux does it. */
int close(int file) {
  const int failed = fails(CLOSE), error = errno, result = NEXT(close)(file);
  if (failed) errno = error;
  return failed ? -1 : result;
}
int fclose(FILE* file) {
  const int failed = fails(CLOSE), error = errno, result = NEXT(fclose)(file);
  if (failed) errno = error;
  return failed ? EOF : result;
}
int rename(const char* from, const char* to) {
  return fails(RENAME) ? -1 : NEXT(rename)(from, to);
}
int fchmod(int file, mode_t mode) {
  return fails(RENAME) ? -1 : NEXT(fchmod)(file, mode);
}

/* ---- Memory: glibc's functions by their other names, as dlsym() takes memory, too ---- */
extern void* __libc_malloc(size_t);
extern void* __libc_calloc(size_t, size_t);
extern void* __libc_realloc(void*, size_t);
extern void* __libc_memalign(size_t, size_t);
void* malloc(size_t bytes) {
  return fails(MALLOC) ? NULL : __libc_malloc(bytes);
}
void* calloc(size_t n, size_t bytes) {
  return fails(MALLOC) ? NULL : __libc_calloc(n, bytes);
}
void* realloc(void* memory, size_t bytes) {
  return fails(MALLOC) ? NULL : __libc_realloc(memory, bytes);
}
void* memalign(size_t alignment, size_t bytes) {
  return fails(MALLOC) ? NULL : __libc_memalign(alignment, bytes);
}
void* aligned_alloc(size_t alignment, size_t bytes) {
  return memalign(alignment, bytes);
}
int posix_memalign(void** memory, size_t alignment, size_t bytes) {
  void* const got = memalign(alignment, bytes);
  if (got == NULL) return ENOMEM;
  *memory = got;
  return 0;
}
/* A file that is cut short once it is mapped: what stands for it has no pages. */
static int shown_file(int file, int flags) {
  return file >= 0 && (flags & MAP_ANONYMOUS) == 0 && fails(CUT) ? memfd_create("cut", MFD_CLOEXEC) : file;
}
void* mmap(void* at, size_t bytes, int protection, int flags, int file, off_t offset) {
  return fails(MMAP) ? MAP_FAILED : NEXT(mmap)(at, bytes, protection, flags, shown_file(file, flags), offset);
}
void* mmap64(void* at, size_t bytes, int protection, int flags, int file, off64_t offset) {
  return fails(MMAP) ? MAP_FAILED : NEXT(mmap64)(at, bytes, protection, flags, shown_file(file, flags), offset);
}
int mprotect(void* at, size_t bytes, int protection) {
  return fails(MMAP) ? -1 : NEXT(mprotect)(at, bytes, protection);
}

/* ---- Threads and processes ---- */
int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*start)(void*),
                   void* argument) {
  return fails(THREAD) ? EAGAIN : NEXT(pthread_create)(thread, attributes, start, argument);
}
pid_t fork(void) {
  return fails(FORK) ? -1 : NEXT(fork)();
}
