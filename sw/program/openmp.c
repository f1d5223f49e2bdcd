/* SPDX-License-Identifier: Apache-2.0
 *
 * OpenMP on a node: a team of one. Threads would run beside the simulator, and nodes that take turns
 * on one of its threads would share what libgomp keeps by thread; so programs compiled with -fopenmp
 * are linked with these functions in libgomp's place (GCC's libgomp.h, libgomp_g.h; OpenMP 4.5).
 * What a program uses beyond them, it does not link. */
#define _GNU_SOURCE
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef unsigned long long wide_t;
typedef void region_t(void*);

/* The loop, and the sections, that the program is in: a whole one is the first piece. */
static long loop_begin, loop_end;
static wide_t wide_begin, wide_end;
static unsigned section, sections;

/* ---- Regions ----------------------------------------------------------------------------------*/

static int level;

static void run(region_t* region, void* data) {
  const long begin = loop_begin, end = loop_end;
  const unsigned at = section, all = sections;
  level++;
  region(data);
  level--;
  loop_begin = begin;
  loop_end = end;
  section = at;
  sections = all;
}

void GOMP_parallel(region_t* region, void* data, unsigned threads, unsigned flags);
void GOMP_parallel(region_t* region, void* data, unsigned threads, unsigned flags) {
  (void)threads, (void)flags;
  run(region, data);
}

/* ---- Loops ------------------------------------------------------------------------------------*/

static bool take_loop(long* begin, long* end) {
  if (loop_begin == loop_end) return false;
  *begin = loop_begin;
  *end = loop_end;
  loop_begin = loop_end;
  return true;
}

static bool start_loop(long begin, long end, long step, long* first, long* last) {
  const bool none = step > 0 ? begin >= end : begin <= end;
  loop_begin = begin;
  loop_end = none ? begin : end;
  return take_loop(first, last);
}

static bool take_wide(wide_t* begin, wide_t* end) {
  if (wide_begin == wide_end) return false;
  *begin = wide_begin;
  *end = wide_end;
  wide_begin = wide_end;
  return true;
}

static bool start_wide(bool up, wide_t begin, wide_t end, wide_t* first, wide_t* last) {
  const bool none = up ? begin >= end : begin <= end;
  wide_begin = begin;
  wide_end = none ? begin : end;
  return take_wide(first, last);
}

#define LOOP(kind)                                                                               \
  bool GOMP_loop_##kind##_start(long, long, long, long, long*, long*);                           \
  bool GOMP_loop_##kind##_start(long begin, long end, long step, long chunk, long* first,        \
                                long* last) {                                                    \
    (void)chunk;                                                                                 \
    return start_loop(begin, end, step, first, last);                                            \
  }                                                                                              \
  bool GOMP_loop_ull_##kind##_start(bool, wide_t, wide_t, wide_t, wide_t, wide_t*, wide_t*);     \
  bool GOMP_loop_ull_##kind##_start(bool up, wide_t begin, wide_t end, wide_t step,              \
                                    wide_t chunk, wide_t* first, wide_t* last) {                 \
    (void)step, (void)chunk;                                                                     \
    return start_wide(up, begin, end, first, last);                                              \
  }                                                                                              \
  NEXT(kind)
#define RUNTIME_LOOP(kind)                                                                       \
  bool GOMP_loop_##kind##_start(long, long, long, long*, long*);                                 \
  bool GOMP_loop_##kind##_start(long begin, long end, long step, long* first, long* last) {      \
    return start_loop(begin, end, step, first, last);                                            \
  }                                                                                              \
  bool GOMP_loop_ull_##kind##_start(bool, wide_t, wide_t, wide_t, wide_t*, wide_t*);             \
  bool GOMP_loop_ull_##kind##_start(bool up, wide_t begin, wide_t end, wide_t step,              \
                                    wide_t* first, wide_t* last) {                               \
    (void)step;                                                                                  \
    return start_wide(up, begin, end, first, last);                                              \
  }                                                                                              \
  NEXT(kind)
#define NEXT(kind)                                                                               \
  bool GOMP_loop_##kind##_next(long*, long*);                                                    \
  bool GOMP_loop_##kind##_next(long* first, long* last) { return take_loop(first, last); }       \
  bool GOMP_loop_ull_##kind##_next(wide_t*, wide_t*);                                            \
  bool GOMP_loop_ull_##kind##_next(wide_t* first, wide_t* last) { return take_wide(first, last); }
#define PARALLEL_LOOP(kind)                                                                      \
  void GOMP_parallel_loop_##kind(region_t*, void*, unsigned, long, long, long, long, unsigned);  \
  void GOMP_parallel_loop_##kind(region_t* region, void* data, unsigned threads, long begin,     \
                                 long end, long step, long chunk, unsigned flags) {              \
    (void)threads, (void)chunk, (void)flags;                                                     \
    parallel_loop(region, data, begin, end, step);                                               \
  }
#define PARALLEL_RUNTIME_LOOP(kind)                                                              \
  void GOMP_parallel_loop_##kind(region_t*, void*, unsigned, long, long, long, unsigned);        \
  void GOMP_parallel_loop_##kind(region_t* region, void* data, unsigned threads, long begin,     \
                                 long end, long step, unsigned flags) {                          \
    (void)threads, (void)flags;                                                                  \
    parallel_loop(region, data, begin, end, step);                                               \
  }

/* The region asks for its first piece as if it were the next one. */
static void parallel_loop(region_t* region, void* data, long begin, long end, long step) {
  const long outer_begin = loop_begin, outer_end = loop_end;
  loop_begin = begin;
  loop_end = (step > 0 ? begin >= end : begin <= end) ? begin : end;
  run(region, data);
  loop_begin = outer_begin;
  loop_end = outer_end;
}

LOOP(static)
LOOP(dynamic)
LOOP(guided)
LOOP(nonmonotonic_dynamic)
LOOP(nonmonotonic_guided)
LOOP(ordered_static)
LOOP(ordered_dynamic)
LOOP(ordered_guided)
RUNTIME_LOOP(runtime)
RUNTIME_LOOP(nonmonotonic_runtime)
RUNTIME_LOOP(maybe_nonmonotonic_runtime)
RUNTIME_LOOP(ordered_runtime)
PARALLEL_LOOP(static)
PARALLEL_LOOP(dynamic)
PARALLEL_LOOP(guided)
PARALLEL_LOOP(nonmonotonic_dynamic)
PARALLEL_LOOP(nonmonotonic_guided)
PARALLEL_RUNTIME_LOOP(runtime)
PARALLEL_RUNTIME_LOOP(nonmonotonic_runtime)
PARALLEL_RUNTIME_LOOP(maybe_nonmonotonic_runtime)

#define NOTHING(name) \
  void name(void);    \
  void name(void) {}
#define SAYS(type, name, value) \
  type name(void);              \
  type name(void) { return value; }

NOTHING(GOMP_loop_end)
NOTHING(GOMP_loop_end_nowait)
SAYS(bool, GOMP_loop_end_cancel, false)

/* ---- Sections, and what one thread does -------------------------------------------------------*/

unsigned GOMP_sections_next(void);
unsigned GOMP_sections_next(void) {
  return section < sections ? ++section : 0;
}
unsigned GOMP_sections_start(unsigned count);
unsigned GOMP_sections_start(unsigned count) {
  section = 0;
  sections = count;
  return GOMP_sections_next();
}
void GOMP_parallel_sections(region_t*, void*, unsigned, unsigned, unsigned);
void GOMP_parallel_sections(region_t* region, void* data, unsigned threads, unsigned count,
                            unsigned flags) {
  (void)threads, (void)flags;
  const unsigned at = section, all = sections;
  section = 0;
  sections = count;
  run(region, data);
  section = at;
  sections = all;
}
NOTHING(GOMP_sections_end)
NOTHING(GOMP_sections_end_nowait)
SAYS(bool, GOMP_sections_end_cancel, false)
SAYS(bool, GOMP_single_start, true)
SAYS(void*, GOMP_single_copy_start, NULL)
void GOMP_single_copy_end(void*);
void GOMP_single_copy_end(void* data) {
  (void)data;
}

NOTHING(GOMP_barrier)
SAYS(bool, GOMP_barrier_cancel, false)
NOTHING(GOMP_critical_start)
NOTHING(GOMP_critical_end)
NOTHING(GOMP_atomic_start)
NOTHING(GOMP_atomic_end)
NOTHING(GOMP_ordered_start)
NOTHING(GOMP_ordered_end)
void GOMP_critical_name_start(void**);
void GOMP_critical_name_start(void** name) {
  (void)name;
}
void GOMP_critical_name_end(void**);
void GOMP_critical_name_end(void** name) {
  (void)name;
}

/* ---- Tasks run where they are met -------------------------------------------------------------*/

void GOMP_task(region_t*, void*, void (*)(void*, void*), long, long, bool, unsigned, void**, int,
               void*);
void GOMP_task(region_t* task, void* data, void (*copy)(void*, void*), long bytes, long alignment,
               bool deferred, unsigned flags, void** depend, int priority, void* detach) {
  (void)deferred, (void)flags, (void)depend, (void)priority, (void)detach;
  if (copy == NULL) {
    task(data);
    return;
  }
  char room[bytes + alignment];
  char* const own =
      (char*)(((uintptr_t)room + (uintptr_t)alignment - 1) & ~((uintptr_t)alignment - 1));
  copy(own, data);
  task(own);
}
NOTHING(GOMP_taskwait)
NOTHING(GOMP_taskyield)
NOTHING(GOMP_taskgroup_start)
NOTHING(GOMP_taskgroup_end)
void GOMP_taskwait_depend(void**);
void GOMP_taskwait_depend(void** depend) {
  (void)depend;
}

/* ---- What programs ask ------------------------------------------------------------------------*/

SAYS(int, omp_get_num_threads, 1)
SAYS(int, omp_get_max_threads, 1)
SAYS(int, omp_get_thread_num, 0)
SAYS(int, omp_get_num_procs, 1)
SAYS(int, omp_get_thread_limit, 1)
SAYS(int, omp_in_parallel, 0)
SAYS(int, omp_get_dynamic, 0)
SAYS(int, omp_get_nested, 0)
SAYS(int, omp_get_active_level, 0)
SAYS(int, omp_get_max_active_levels, 1)
SAYS(int, omp_get_level, level)
SAYS(int, omp_in_final, 1)
SAYS(int, omp_get_num_teams, 1)
SAYS(int, omp_get_team_num, 0)
SAYS(int, omp_get_num_devices, 0)
SAYS(int, omp_is_initial_device, 1)
SAYS(int, omp_get_cancellation, 0)
#define IGNORES(name) \
  void name(int);     \
  void name(int value) { (void)value; }
IGNORES(omp_set_num_threads)
IGNORES(omp_set_dynamic)
IGNORES(omp_set_nested)
IGNORES(omp_set_max_active_levels)

double omp_get_wtime(void);
double omp_get_wtime(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}
SAYS(double, omp_get_wtick, 1e-9)

/* A lock is at least an int, and is its count. One that is held already would never be got. */
#define LOCK(name, held)                                      \
  void omp_init_##name(int*);                                 \
  void omp_init_##name(int* lock) { *lock = 0; }              \
  void omp_destroy_##name(int*);                              \
  void omp_destroy_##name(int* lock) { *lock = 0; }           \
  void omp_set_##name(int*);                                  \
  void omp_set_##name(int* lock) {                            \
    if (held) abort();                                        \
    ++*lock;                                                  \
  }                                                           \
  void omp_unset_##name(int*);                                \
  void omp_unset_##name(int* lock) { --*lock; }               \
  int omp_test_##name(int*);                                  \
  int omp_test_##name(int* lock) { return (held) ? 0 : ++*lock; }
LOCK(lock, *lock != 0)
LOCK(nest_lock, false)
