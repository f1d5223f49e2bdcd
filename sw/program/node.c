/* SPDX-License-Identifier: Apache-2.0
 *
 * Linked into every program by hypertorus-cc. Each node has its own copy of the program, and with
 * it of this: so what the C library keeps once for a process is kept here once for a node (standard
 * output and error, exit, random numbers, strtok). Everything is weak: a program that defines one
 * of these functions itself keeps its own. */
#undef _FORTIFY_SOURCE
#define _GNU_SOURCE
/* No copies of vprintf() and putchar() in stdio.h to be inlined: those below take their place. */
#ifndef __NO_INLINE__
#define __NO_INLINE__ 1
#endif
#include "sw/program/host.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#define HT_OWN __attribute__((weak))
#define HT_HIDDEN __attribute__((visibility("hidden")))

extern int main(int, char**, char**);

/* The thread that main() runs on while it runs. */
HT_HIDDEN void* volatile hypertorus_thread;

/* On a thread that the program started. */
static bool on_own_thread(void) {
  return hypertorus_thread != NULL && hypertorus_thread != __builtin_thread_pointer();
}

/* ---- Standard output and error --------------------------------------------------------------- */

static const struct hypertorus_host* host;
extern HT_HIDDEN char* volatile hypertorus_name;

#undef stdout
#undef stderr
HT_OWN FILE* stdout;
HT_OWN FILE* stderr;

static void take_destructors(void);

/* Before every other constructor of the program: those may print already. */
#pragma GCC diagnostic push
#ifndef __clang__
#pragma GCC diagnostic ignored "-Wprio-ctor-dtor"
#endif
__attribute__((constructor(50))) static void attach(void) {
  host = hypertorus_attach_4();
  stdout = host->standard_output;
  stderr = host->standard_error;
  hypertorus_name = host->last_call;
  take_destructors();
}
#pragma GCC diagnostic pop

HT_OWN int vprintf(const char* format, va_list arguments) {
  return vfprintf(stdout, format, arguments);
}

HT_OWN int printf(const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  const int length = vfprintf(stdout, format, arguments);
  va_end(arguments);
  return length;
}

/* What printf() and vprintf() become with _FORTIFY_SOURCE. */
extern int __vfprintf_chk(FILE*, int, const char*, va_list);
int __vprintf_chk(int flag, const char* format, va_list arguments);
int __printf_chk(int flag, const char* format, ...);

HT_OWN int __vprintf_chk(int flag, const char* format, va_list arguments) {
  return __vfprintf_chk(stdout, flag, format, arguments);
}

HT_OWN int __printf_chk(int flag, const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  const int length = __vfprintf_chk(stdout, flag, format, arguments);
  va_end(arguments);
  return length;
}

/* One line, whatever other threads print. */
HT_OWN int puts(const char* text) {
  flockfile(stdout);
  const int result = fputs(text, stdout) == EOF || fputc('\n', stdout) == EOF ? EOF : 1;
  funlockfile(stdout);
  return result;
}

HT_OWN int putchar(int c) {
  return fputc(c, stdout);
}

HT_OWN int putchar_unlocked(int c) {
  return fputc(c, stdout);
}

HT_OWN void perror(const char* text) {
  const int error = errno;
  if (text != NULL && *text != '\0') fprintf(stderr, "%s: ", text);
  fprintf(stderr, "%s\n", strerror(error));
}

HT_OWN ssize_t write(int descriptor, const void* data, size_t bytes) {
  if (descriptor == STDOUT_FILENO || descriptor == STDERR_FILENO)
    return host->write(host->node, descriptor, data, bytes);
  return syscall(SYS_write, descriptor, data, bytes);
}

/* So that write(fileno(stdout), ...) is write(1, ...). */
HT_OWN int fileno(FILE* stream) {
  if (stream == host->standard_output) return STDOUT_FILENO;
  if (stream == host->standard_error) return STDERR_FILENO;
  int (*const real)(FILE*) = dlsym(RTLD_NEXT, "fileno");
  return real(stream);
}

HT_OWN int fileno_unlocked(FILE* stream) {
  return fileno(stream);
}

/* std::ios_base::sync_with_stdio(), by --wrap: C++ streams would go past the node's to descriptors.
 * They stay with stdio's, and nobody notices but by the clock. */
bool __wrap__ZNSt8ios_base15sync_with_stdioEb(bool sync);
bool __wrap__ZNSt8ios_base15sync_with_stdioEb(bool sync) {
  static bool synced = true;
  const bool before = synced;
  synced = sync;
  return before;
}

/* The streams are the simulator's: a program that closes them has flushed them. */
HT_OWN int fclose(FILE* stream) {
  if (stream == host->standard_output || stream == host->standard_error) return fflush(stream);
  if (stream == stdout) stdout = host->standard_output;
  if (stream == stderr) stderr = host->standard_error;
  return host->close_stream(stream);
}

/* Instead of the simulator's streams the program has the file from then on, flushed at its end. */
HT_OWN FILE* freopen(const char* path, const char* mode, FILE* stream) {
  if (stream != host->standard_output && stream != host->standard_error) {
    FILE* (*const real)(const char*, const char*, FILE*) = dlsym(RTLD_NEXT, "freopen");
    return real(path, mode, stream);
  }
  fflush(stream);
  if (path == NULL) { /* another mode of the same: there is none */
    errno = EBADF;
    return NULL;
  }
  FILE* const file = fopen(path, mode);
  if (file == NULL) return NULL;
  if (stdout == stream) stdout = file;
  if (stderr == stream) {
    stderr = file;
    setvbuf(file, NULL, _IONBF, 0);
  }
  return file;
}

HT_OWN FILE* freopen64(const char* path, const char* mode, FILE* stream) {
  return freopen(path, mode, stream);
}

/* ---- The end --------------------------------------------------------------------------------- */

/* What atexit() and global objects register lands here and not in the C library's list, which would
 * call the handlers of a node that was thrown away when the simulator ends. */
typedef struct {
  void (*function)(void*);
  void* argument;
} handler_t;
typedef struct {
  handler_t* all;
  size_t count, room;
} handlers_t;
static handlers_t at_exit, at_thread_exit, at_quick;

static int add_handler(handlers_t* list, void (*function)(void*), void* argument) {
  if (list->count == list->room) {
    const size_t room = list->room == 0 ? 32 : 2 * list->room;
    handler_t* more = realloc(list->all, room * sizeof *more);
    if (more == NULL) return -1;
    list->all = more;
    list->room = room;
  }
  list->all[list->count].function = function;
  list->all[list->count++].argument = argument;
  return 0;
}

static void call_handlers(handlers_t* list) {
  while (list->count > 0) {
    const handler_t last = list->all[--list->count];
    last.function(last.argument);
  }
}

int __cxa_atexit(void (*function)(void*), void* argument, void* object);
HT_OWN int __cxa_atexit(void (*function)(void*), void* argument, void* object) {
  (void)object;
  return add_handler(&at_exit, function, argument);
}

/* Destructors of thread_local objects: main() runs on a thread of the simulator's, which goes on.
 */
int __cxa_thread_atexit(void (*function)(void*), void* argument, void* object);
extern int __cxa_thread_atexit_impl(void (*)(void*), void*, void*);
HT_OWN int __cxa_thread_atexit(void (*function)(void*), void* argument, void* object) {
  if (on_own_thread()) return __cxa_thread_atexit_impl(function, argument, object);
  return add_handler(&at_thread_exit, function, argument);
}

/* Functions that are marked as destructors. The loader would call them when the simulator ends. */
static void (**destructors)(void);
static size_t destructor_count;
extern HT_HIDDEN ElfW(Dyn) _DYNAMIC[];
extern HT_HIDDEN const char __ehdr_start[];

static void take_destructors(void) {
  ElfW(Dyn)* bytes = NULL;
  for (ElfW(Dyn)* entry = _DYNAMIC; entry->d_tag != DT_NULL; ++entry) {
    if (entry->d_tag == DT_FINI_ARRAYSZ) bytes = entry;
    if (entry->d_tag == DT_FINI_ARRAY)
      destructors = (void (**)(void))(uintptr_t)(__ehdr_start + entry->d_un.d_ptr);
  }
  const uintptr_t page = (uintptr_t)bytes & -(uintptr_t)sysconf(_SC_PAGESIZE);
  if (bytes == NULL ||
      mprotect((void*)page, (uintptr_t)(bytes + 1) - page, PROT_READ | PROT_WRITE) != 0)
    return;
  destructor_count = bytes->d_un.d_val / sizeof *destructors;
  bytes->d_un.d_val = 0;
}

static void finish(void) {
  call_handlers(&at_thread_exit);
  call_handlers(&at_exit);
  while (destructor_count > 0) destructors[--destructor_count]();
  if (stdout != host->standard_output) fflush(stdout);
  if (stderr != host->standard_error) fflush(stderr);
  fflush(host->standard_output);
  fflush(host->standard_error);
}

static void end(enum hypertorus_end how, int code, const char* text) __attribute__((noreturn));
static void end(enum hypertorus_end how, int code, const char* text) {
  host->end(host->node, how, code, text);
  __builtin_unreachable();
}

HT_OWN void exit(int code) {
  finish();
  end(HYPERTORUS_EXIT, code, NULL);
}

HT_OWN void _exit(int code) {
  end(HYPERTORUS_QUICK, code, NULL);
}

HT_OWN void _Exit(int code) {
  end(HYPERTORUS_QUICK, code, NULL);
}

/* at_quick_exit() */
int __cxa_at_quick_exit(void (*function)(void*), void* object);
HT_OWN int __cxa_at_quick_exit(void (*function)(void*), void* object) {
  (void)object;
  return add_handler(&at_quick, function, NULL);
}

HT_OWN void quick_exit(int code) {
  call_handlers(&at_quick);
  end(HYPERTORUS_QUICK, code, NULL);
}

HT_OWN void abort(void) {
  end(HYPERTORUS_ABORT, 134, "abort()");
}

void __assert_fail(const char* what, const char* file, unsigned line, const char* function)
    __attribute__((noreturn));
HT_OWN void __assert_fail(const char* what, const char* file, unsigned line, const char* function) {
  static char text[512];
  snprintf(text, sizeof text, "assertion '%s' failed in %s, %s:%u", what, function, file, line);
  end(HYPERTORUS_ABORT, 134, text);
}

/* ---- Clocks ------------------------------------------------------------------------------------
 * The computer's, or the machine's. Of the latter all begin at nought, also those of processors. */

static long long machine_clock(void) {
  return host == NULL ? -1 : host->clock(host->node);
}

HT_OWN int clock_gettime(clockid_t id, struct timespec* time) {
  const long long ns = machine_clock();
  if (ns < 0) return (int)syscall(SYS_clock_gettime, id, time);
  time->tv_sec = ns / 1000000000;
  time->tv_nsec = ns % 1000000000;
  return 0;
}

#undef timespec_get
HT_OWN int timespec_get(struct timespec* time, int base) {
  return base == TIME_UTC && clock_gettime(CLOCK_REALTIME, time) == 0 ? base : 0;
}

HT_OWN int gettimeofday(struct timeval* time, void* zone) {
  const long long ns = machine_clock();
  if (ns < 0) return (int)syscall(SYS_gettimeofday, time, zone);
  time->tv_sec = ns / 1000000000;
  time->tv_usec = ns % 1000000000 / 1000;
  return 0;
}

HT_OWN time_t time(time_t* seconds) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  if (seconds != NULL) *seconds = now.tv_sec;
  return now.tv_sec;
}

HT_OWN clock_t clock(void) {
  struct timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return now.tv_sec * CLOCKS_PER_SEC + now.tv_nsec / (1000000000 / CLOCKS_PER_SEC);
}

/* ---- Turns --------------------------------------------------------------------------------------
 * The compiler calls this in every basic block (-fsanitize-coverage=trace-pc), so that a program
 * which only looks at memory lets time pass. Blocks are the node's own, so its turns do not depend
 * on anything else. Constructors, signal handlers' and its own threads are not counted. */

static unsigned blocks_left = HYPERTORUS_BLOCKS_A_TURN;

static void take_turn(void* place) __attribute__((noinline, cold));
static void take_turn(void* place) {
  const int error = errno;
  blocks_left = HYPERTORUS_BLOCKS_A_TURN;
  host->take_turn(host->node, place);
  errno = error;
}

HT_HIDDEN void __sanitizer_cov_trace_pc(void);
void __sanitizer_cov_trace_pc(void) {
  if (__builtin_thread_pointer() != hypertorus_thread) return;
  if (__builtin_expect(--blocks_left == 0, 0)) take_turn(__builtin_return_address(0));
}

static void count_blocks(int count) {
  hypertorus_thread = count ? __builtin_thread_pointer() : NULL;
}

/* ---- QMP functions that end or print ------------------------------------------------------------
 * --wrap sends the program's QMP calls here, and to calls.c.in for the rest. */

HT_HIDDEN const char* volatile hypertorus_call;
HT_HIDDEN void* volatile hypertorus_caller;
static char before_attach[HYPERTORUS_CALL_BYTES];
HT_HIDDEN char* volatile hypertorus_name = before_attach;

static void note_call(const char* name, void* caller) {
  hypertorus_call = name;
  hypertorus_caller = caller;
  strncpy(hypertorus_name, name, HYPERTORUS_CALL_BYTES);
}

/* A function that no machine which is built serves was called: the name is in hypertorus_call. */
HT_HIDDEN void hypertorus_missing_call(void) __attribute__((noreturn));
void hypertorus_missing_call(void) {
  end(HYPERTORUS_ABORT, 134, "a function of a machine that is not built; build that machine");
}

/* A function of the network was called on such a thread: the name is in hypertorus_call. */
HT_HIDDEN void hypertorus_wrong_thread(void) __attribute__((noreturn));
void hypertorus_wrong_thread(void) {
  end(HYPERTORUS_THREAD, 0, hypertorus_call);
}

void __wrap_QMP_abort(int code) __attribute__((noreturn));
void __wrap_QMP_abort(int code) {
  note_call("QMP_abort", __builtin_return_address(0));
  end(HYPERTORUS_QMP_ABORT, code, NULL);
}

void __wrap_QMP_abort_string(int code, char* text) __attribute__((noreturn));
void __wrap_QMP_abort_string(int code, char* text) {
  note_call("QMP_abort_string", __builtin_return_address(0));
  end(HYPERTORUS_QMP_ABORT, code, text);
}

extern int __real_QMP_fprintf(FILE*, const char*, ...);

/* The simulator's own would print to its standard output, past the node's. */
#define HT_PRINT(function, stream, tag)                                 \
  int function(const char* format, ...);                                \
  int function(const char* format, ...) {                               \
    char text[2048];                                                    \
    va_list arguments;                                                  \
    va_start(arguments, format);                                        \
    const int length = vsnprintf(text, sizeof text, format, arguments); \
    va_end(arguments);                                                  \
    __real_QMP_fprintf(stream, "%s%s", tag, text);                      \
    return length;                                                      \
  }
HT_PRINT(__wrap_QMP_printf, stdout, "")
HT_PRINT(__wrap_QMP_info, stdout, "info: ")
HT_PRINT(__wrap_QMP_error, stderr, "error: ")

/* ---- What the C library keeps between calls -------------------------------------------------- */

static struct random_data random_state;
static int32_t random_table[32]; /* as large as the C library's own: the same numbers */

static struct random_data* seeded(void) {
  if (random_state.state == NULL)
    initstate_r(1, (char*)random_table, sizeof random_table, &random_state);
  return &random_state;
}

HT_OWN void srandom(unsigned seed) {
  srandom_r(seed, seeded());
}

HT_OWN void srand(unsigned seed) {
  srandom_r(seed, seeded());
}

HT_OWN long random(void) {
  int32_t value;
  random_r(seeded(), &value);
  return value;
}

HT_OWN int rand(void) {
  int32_t value;
  random_r(seeded(), &value);
  return value;
}

static struct drand48_data drand48_state;

HT_OWN void srand48(long seed) {
  srand48_r(seed, &drand48_state);
}

HT_OWN double drand48(void) {
  double value;
  drand48_r(&drand48_state, &value);
  return value;
}

HT_OWN long lrand48(void) {
  long value;
  lrand48_r(&drand48_state, &value);
  return value;
}

HT_OWN long mrand48(void) {
  long value;
  mrand48_r(&drand48_state, &value);
  return value;
}

static char* strtok_next;

HT_OWN char* strtok(char* text, const char* separators) {
  return strtok_r(text, separators, &strtok_next);
}

/* ---- What the simulator sees ----------------------------------------------------------------- */

const struct hypertorus_program hypertorus_program_4 = {sizeof(struct hypertorus_program),
                                                        main,
                                                        finish,
                                                        &hypertorus_call,
                                                        &hypertorus_caller,
                                                        count_blocks};
