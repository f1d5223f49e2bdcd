/* SPDX-License-Identifier: Apache-2.0
 *
 * registered WHAT: node 0 puts words into memory that node 1 has registered, while node 1 does with
 * that memory, or with what lies beside it, what a program may:
 *   fork       a child changes its copy of it
 *   run        a child runs another program; the memory lies on the stack
 *   moved      it was registered before, and is larger now
 *   zeroed     it was registered before, and given back to the system
 *   beside     a thread that has blocked all signals counts in the same page
 *   semaphore  a thread waits for a semaphore between processes in the same page
 *   file       it is a file
 * or what it may not:
 *   gone       it is not there any more
 *   constant   it cannot be written
 *   refused    it cannot be read: utofu_reg_mem() says so */
#define _GNU_SOURCE
#include <pthread.h>
#include <qmp.h>
#include <semaphore.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utofu.h>

enum { words = 1100, bytes = 8 * words, all = 16384 };

static int me;
static utofu_vcq_hdl_t vcq;
static utofu_vcq_id_t there;
static utofu_stadd_t from, to;
static uint64_t source[words];

static void must(int good, const char* what) {
  if (good) return;
  fprintf(stderr, "%s\n", what);
  QMP_abort(9);
}

static uint64_t told_by_1(uint64_t mine) {
  unsigned long word = me == 1 ? mine : 0;
  QMP_xor_ulong(&word);
  return word;
}

static void begin(void* memory) {
  utofu_vcq_id_t id = 0;
  must(utofu_create_vcq(0, 0, &vcq) == UTOFU_SUCCESS, "no queue");
  must(utofu_query_vcq_id(vcq, &id) == UTOFU_SUCCESS, "no id");
  must(utofu_reg_mem(vcq, me == 0 ? source : memory, bytes, 0, &from) == UTOFU_SUCCESS, "refused");
  there = told_by_1(id);
  to = told_by_1(from);
  must(utofu_set_vcq_id_path(&there, NULL) == UTOFU_SUCCESS, "no path");
}

/* All of it, seen by node 1 at the end. */
static void put(volatile uint64_t* memory, uint64_t first) {
  void* data;
  QMP_barrier();
  if (me == 0) {
    for (int i = 0; i < words; i++) source[i] = first + i;
    must(utofu_put(vcq, there, from, to, bytes, 0, UTOFU_ONESIDED_FLAG_TCQ_NOTICE, NULL) ==
             UTOFU_SUCCESS,
         "no put");
    while (utofu_poll_tcq(vcq, 0, &data) == UTOFU_ERR_NOT_FOUND) {
    }
  }
  QMP_barrier();
  for (int i = 0; me == 1 && i < words; i++) must(memory[i] == first + i, "not what was put");
}

static void* anywhere(void) {
  void* const at = mmap(NULL, all, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  must(at != MAP_FAILED, "mmap");
  return at;
}

static void wait_for(pid_t child) {
  int status = -1;
  must(child > 0 && waitpid(child, &status, 0) == child && status == 0, "the child");
}

static volatile int ends;
static volatile uint64_t* counter;
static void* count(void* unused) {
  sigset_t every;
  uint64_t n = 0;
  (void)unused;
  sigfillset(&every);
  pthread_sigmask(SIG_BLOCK, &every, NULL);
  while (!ends) {
    if (*counter != n) return "lost";
    *counter = ++n;
  }
  return NULL;
}

static void* wait_there(void* semaphore) {
  sem_wait(semaphore);
  return NULL;
}

int main(int argc, char** argv) {
  QMP_thread_level_t provided;
  pthread_t thread;
  void* result = NULL;
  const char* const what = argc > 1 ? argv[1] : "fork";
  uint64_t stack[words + 64] = {0};
  uint64_t* memory;
  QMP_init_msg_passing(&argc, &argv, QMP_THREAD_SINGLE, &provided);
  me = QMP_get_node_number();
  memory = strcmp(what, "run") == 0 ? stack : anywhere();
  if (strcmp(what, "refused") == 0) mprotect((char*)memory + 4096, 4096, PROT_NONE);
  if (strcmp(what, "constant") == 0) mprotect(memory, all, PROT_READ);
  if (strcmp(what, "file") == 0) {
    FILE* const file = tmpfile();
    must(file && ftruncate(fileno(file), all) == 0, "tmpfile");
    memory = mmap(memory, all, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fileno(file), 0);
    fclose(file);
  }
  if (strcmp(what, "beside") == 0 && me == 1) {
    counter = memory + words;
    must(pthread_create(&thread, NULL, count, NULL) == 0, "no thread");
  }
  if (strcmp(what, "semaphore") == 0 && me == 1) {
    must(sem_init((sem_t*)(memory + words), 1, 0) == 0, "no semaphore");
    must(pthread_create(&thread, NULL, wait_there, memory + words) == 0, "no thread");
    usleep(100000);
  }
  begin(memory);
  put(memory, 1000);
  if (me == 1 && strcmp(what, "fork") == 0) {
    const pid_t child = fork();
    if (child == 0) {
      memory[0] = memory[words] = 7;
      free(malloc(100));
      _exit(0);
    }
    wait_for(child);
    must(memory[0] == 1000 && memory[words] == 0, "the child's is the parent's");
  }
  if (me == 1 && strcmp(what, "run") == 0) {
    const pid_t child = fork();
    if (child == 0) execl("/bin/true", "true", (char*)NULL);
    wait_for(child);
  }
  if (strcmp(what, "moved") == 0 || strcmp(what, "zeroed") == 0) {
    must(utofu_dereg_mem(vcq, from, 0) == UTOFU_SUCCESS, "not deregistered");
    if (strcmp(what, "moved") == 0) {
      memory = mremap(memory, all, 4 * all, MREMAP_MAYMOVE);
      must(memory != MAP_FAILED, "mremap");
      memset((char*)memory + all, 8, 3 * all);
    } else {
      must(madvise(memory, all, MADV_DONTNEED) == 0 && memory[0] == 0, "not zero");
    }
    must(utofu_free_vcq(vcq) == UTOFU_SUCCESS, "not freed");
    begin(memory);
  }
  if (me == 1 && strcmp(what, "gone") == 0) munmap(memory, all);
  for (uint64_t round = 0; round < 20; round++) put(memory, 2000 * round);
  if (strcmp(what, "beside") == 0 && me == 1) {
    ends = 1;
    pthread_join(thread, &result);
    must(!result && *counter > 0, "a count was lost");
  }
  if (strcmp(what, "semaphore") == 0 && me == 1) {
    sem_post((sem_t*)(memory + words));
    pthread_join(thread, NULL);
  }
  must(utofu_free_vcq(vcq) == UTOFU_SUCCESS, "not freed");
  if (me == 1) printf("all words are there\n");
  QMP_finalize_msg_passing();
  return 0;
}
