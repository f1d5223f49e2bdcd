// SPDX-License-Identifier: Apache-2.0
// ends WHAT: what C++ and the C library do by themselves when a program ends, and other ways to
// end.
#include <err.h>
#include <error.h>
#include <qmp.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cwchar>
#include <iostream>
#include <stdexcept>
#include <string>
#include <thread>

namespace {

struct Last {
  explicit Last(const char* name) : name_(name) {}
  ~Last() { std::printf("%s ends with %d\n", name_, value); }
  int value = 0;

 private:
  const char* name_;
};

Last global("global");
thread_local Last local("local");
int number = -1;

__attribute__((destructor)) void marked() {
  std::printf("marked, on %d\n", number);
}

void late() {
  throw 42;
}

int end_by(const std::string& what) {
  if (what == "main") return 0;
  if (what == "exit") std::exit(0);
  if (what == "_exit") _exit(0);
  if (what == "quick_exit") std::at_quick_exit([] { std::puts("quick"); }), std::quick_exit(0);
  if (what == "throw") throw std::runtime_error("on " + std::to_string(number));
  if (what == "throw late") std::atexit(late);
  if (what == "err") errno = ENOENT, err(3, "file %d", number);
  if (what == "errx") errx(4, "no file");
  if (what == "error") error(5, EACCES, "file %d", number);
  if (what == "warn") errno = ENOENT, warn(nullptr), warnx("go on"), error(0, 0, "still");
  if (what == "print much") {
    for (int i = 0; i < 20'000; ++i) std::printf("line %d\n", i);
  }
  if (what == "leave a thread") {
    std::thread([] {
      for (;;) {
        usleep(100);
        std::printf("tick\n");
        write(STDOUT_FILENO, "tock\n", 5);
      }
    }).detach();
    usleep(1000);
  }
  if (what == "call from a thread") {
    std::thread([] {
      double sum = 1;
      QMP_sum_double(&sum);
    }).join();
  }
  if (what == "streams of their own") {
    std::cout << std::boolalpha << std::ios::sync_with_stdio(false) << std::endl;
    std::cout << std::ios::sync_with_stdio(false) << std::endl;
    std::cerr << "error\n";
    const std::string text = "descriptor\n";
    write(fileno(stdout), text.data(), text.size());
    write(fileno(stderr), text.data(), text.size());
  }
  return std::atoi(what.c_str());
}

}  // namespace

int main(int argc, char** argv) {
  QMP_thread_level_t level = QMP_THREAD_SINGLE;
  QMP_init_msg_passing(&argc, &argv, QMP_THREAD_MULTIPLE, &level);
  if (level != QMP_THREAD_FUNNELED) return 77;
  number = QMP_get_node_number();
  global.value = local.value = number;
  std::thread([] { local.value = 100 + number; }).join();
  QMP_barrier();
  QMP_finalize_msg_passing();
  return end_by(argv[1]);
}
