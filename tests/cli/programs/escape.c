/* SPDX-License-Identifier: Apache-2.0
 *
 * On node 1, gets out of the simulator's hands: how, its first argument says. */
#include <pthread.h>
#include <qmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;

static void* touch_nothing(void* nothing) {
  *(volatile int*)nothing = 1;
  return NULL;
}

static void* end_all(void* nothing) {
  exit(nothing != NULL);
}

static void in_thread(void* (*what)(void*)) {
  pthread_t thread;
  pthread_create(&thread, NULL, what, NULL);
  pthread_join(thread, NULL);
}

/* How a process that is forked ends, as who forked it sees it. */
static void tell_ends(void) {
  static const char* const hows[] = {"exit", "_exit", "abort", "crash"};
  for (int how = 0; how < 4; ++how) {
    int status = 0;
    const pid_t child = fork();
    if (child == 0) {
      printf("child %d\n", how);
      if (how == 0) exit(4);
      if (how == 1) _exit(0);
      if (how == 2) abort();
      touch_nothing(NULL);
    }
    waitpid(child, &status, 0);
    printf("%s: code %d, signal %d\n", hows[how], WIFEXITED(status) ? WEXITSTATUS(status) : -1,
           WIFSIGNALED(status) ? WTERMSIG(status) : 0);
  }
}

static void overwrite_all(void) {
  static char small[8];
  for (char* volatile at = small;; at += 4096) memset(at, 0x5A, 4096);
}

/* What the simulator shares with whoever started it. */
static void overwrite_record(void) {
  char line[512];
  FILE* maps = fopen("/proc/self/maps", "r");
  while (fgets(line, sizeof line, maps) != NULL) {
    char *begin, *end;
    if (strstr(line, " rw-s ") == NULL) continue;
    begin = (char*)strtoul(line, &end, 16);
    memset(begin, 0x5A, (size_t)((char*)strtoul(end + 1, NULL, 16) - begin));
  }
  syscall(SYS_exit_group, 0);
}

static void escape(const char* what) {
  char* nothing[] = {NULL};
  if (strcmp(what, "exit_group") == 0) syscall(SYS_exit_group, 0);
  if (strcmp(what, "exit_7") == 0) syscall(SYS_exit_group, 7);
  if (strcmp(what, "execv") == 0) execv("/bin/true", nothing);
  if (strcmp(what, "thread") == 0) in_thread(touch_nothing);
  if (strcmp(what, "thread_exit") == 0) in_thread(end_all);
  if (strcmp(what, "realtime") == 0) raise(SIGRTMIN + 5);
  if (strcmp(what, "alarm") == 0) alarm(1);
  while (strcmp(what, "alarm") == 0) pause();
  if (strcmp(what, "ends") == 0) tell_ends();
  if (strcmp(what, "kill") == 0) kill(getpid(), SIGKILL);
  if (strcmp(what, "ignore") == 0) signal(SIGSEGV, SIG_IGN);
  if (strcmp(what, "ignore") == 0) touch_nothing(NULL);
  if (strcmp(what, "overwrite") == 0) overwrite_all();
  if (strcmp(what, "record") == 0) overwrite_record();
  if (strcmp(what, "environ") == 0) environ = (char**)16;
  if (strcmp(what, "copy") == 0) fork();
  if (strcmp(what, "child") == 0 && fork() == 0) {
    setsid();
    for (;;) pause();
  }
}

int main(int argc, char** argv) {
  QMP_thread_level_t provided;
  QMP_init_msg_passing(&argc, &argv, QMP_THREAD_SINGLE, &provided);
  QMP_barrier();
  if (argc > 1 && QMP_get_node_number() == 1) escape(argv[1]);
  if (argc > 1 && strcmp(argv[1], "fork_and_return") == 0 && QMP_get_node_number() == 1) {
    int status = 0;
    const pid_t child = fork();
    if (child == 0) return 6;
    waitpid(child, &status, 0);
    printf("return: code %d\n", WIFEXITED(status) ? WEXITSTATUS(status) : -1);
  }
  QMP_barrier();
  printf("done\n");
  QMP_finalize_msg_passing();
  return 0;
}
