/* SPDX-License-Identifier: Apache-2.0 */
/* libqmp.a is for build systems that say -lqmp: QMP's functions are the simulator's, and are found
 * when it loads a program. ISO C wants a declaration in every file. */
typedef int qmp_is_in_the_simulator;
