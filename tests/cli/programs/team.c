/* SPDX-License-Identifier: Apache-2.0
 *
 * What OpenMP programs do, with a barrier of the network in the middle of a region. */
#include <omp.h>
#include <qmp.h>
#include <stdio.h>

static int squares(int schedule, int n) {
  int sum = 0;
  if (schedule == 0) {
#pragma omp parallel for reduction(+ : sum)
    for (int i = 1; i <= n; i++) sum += i * i;
  } else if (schedule == 1) {
#pragma omp parallel for schedule(dynamic, 3) reduction(+ : sum)
    for (int i = n; i > 0; i--) sum += i * i;
  } else if (schedule == 2) {
#pragma omp parallel reduction(+ : sum)
#pragma omp for schedule(guided)
    for (long i = 1; i <= n; i++) sum += (int)(i * i);
  } else {
#pragma omp parallel for schedule(runtime) ordered reduction(+ : sum)
    for (unsigned long long i = 1; i <= (unsigned long long)n; i++) {
#pragma omp ordered
      sum += (int)(i * i);
    }
  }
  return sum;
}

static int fibonacci(int n) {
  int a, b;
  if (n < 2) return n;
#pragma omp task shared(a) firstprivate(n)
  a = fibonacci(n - 1);
#pragma omp task shared(b) firstprivate(n)
  b = fibonacci(n - 2);
#pragma omp taskwait
  return a + b;
}

int main(int argc, char** argv) {
  QMP_thread_level_t provided;
  QMP_init_msg_passing(&argc, &argv, QMP_THREAD_SINGLE, &provided);
  int kept = 3, sections = 0, result = 0, team = 0;
  for (int schedule = 0; schedule < 4; schedule++) printf("%d ", squares(schedule, 20));
#pragma omp parallel firstprivate(kept)
  {
    kept++;
    QMP_barrier(); /* other nodes are in their regions then */
#pragma omp critical
    team += omp_get_num_threads();
#pragma omp sections
    {
#pragma omp section
      sections += 1;
#pragma omp section
      sections += 10;
#pragma omp section
      sections += 100;
    }
#pragma omp single
    result = fibonacci(10);
#pragma omp atomic
    team += omp_get_thread_num();
  }
  omp_lock_t lock;
  omp_init_lock(&lock);
  omp_set_lock(&lock);
  const int held = omp_test_lock(&lock);
  omp_unset_lock(&lock);
  printf("%d %d %d %d %d\n", kept, sections, result, team, held);
  QMP_finalize_msg_passing();
  return 0;
}
