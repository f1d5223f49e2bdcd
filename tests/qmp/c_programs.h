/* SPDX-License-Identifier: Apache-2.0
 *
 * The main()s of the C programs here, which are compiled with main renamed. */
#ifndef HT_TESTS_QMP_C_PROGRAMS_H
#define HT_TESTS_QMP_C_PROGRAMS_H
#ifdef __cplusplus
extern "C" {
#endif
int halo_exchange_main(int argc, char** argv);
int ping_pong_main(int argc, char** argv);
#ifdef __cplusplus
}
#endif
#endif
