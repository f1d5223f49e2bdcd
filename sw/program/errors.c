/* SPDX-License-Identifier: Apache-2.0
 *
 * Linked into programs that call them by hypertorus-cc: err(), error() and their like. The C
 * library's print past the node, and end the simulator. Weak, as all of node.c. */
#define _GNU_SOURCE
#include <err.h>
#include <errno.h>
#include <error.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HT_OWN __attribute__((weak))

static void say_error(int number, const char* format, va_list arguments) {
  fprintf(stderr, "%s: ", program_invocation_short_name);
  if (format != NULL) vfprintf(stderr, format, arguments);
  if (number != 0) fprintf(stderr, "%s%s", format == NULL ? "" : ": ", strerror(number));
  fputc('\n', stderr);
}

#define HT_SAY(number)                    \
  do {                                    \
    va_list arguments;                    \
    va_start(arguments, format);          \
    say_error(number, format, arguments); \
    va_end(arguments);                    \
  } while (0)

HT_OWN void vwarn(const char* format, va_list arguments) {
  say_error(errno, format, arguments);
}

HT_OWN void vwarnx(const char* format, va_list arguments) {
  say_error(0, format, arguments);
}

HT_OWN void warn(const char* format, ...) {
  HT_SAY(errno);
}

HT_OWN void warnx(const char* format, ...) {
  HT_SAY(0);
}

HT_OWN void verr(int code, const char* format, va_list arguments) {
  say_error(errno, format, arguments);
  exit(code);
}

HT_OWN void verrx(int code, const char* format, va_list arguments) {
  say_error(0, format, arguments);
  exit(code);
}

HT_OWN void err(int code, const char* format, ...) {
  HT_SAY(errno);
  exit(code);
}

HT_OWN void errx(int code, const char* format, ...) {
  HT_SAY(0);
  exit(code);
}

HT_OWN void error(int code, int number, const char* format, ...) {
  fflush(stdout);
  HT_SAY(number);
  ++error_message_count;
  if (code != 0) exit(code);
}
