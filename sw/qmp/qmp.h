/* SPDX-License-Identifier: Apache-2.0
 *
 * QMP, the message-passing interface of USQCD's lattice-QCD programs, as C. Names, types, constants
 * and argument orders are those of the public QMP 2.5, so that its programs compile unchanged; the
 * text and everything behind it are our own. What is particular to hypertorus is in README.md.
 *
 * Conventions
 *   - Every node of the simulated machine has its own QMP state; a call acts on the node whose
 *     program makes it. Calls outside of a node's program fail with QMP_NOT_INITED.
 *   - Functions that return a status return QMP_SUCCESS or why not. Functions that return a handle
 *     return NULL on failure and leave the reason to QMP_get_error_number(NULL).
 *   - Errors that would leave the machine in an unknown state (a message of the wrong length,
 *     a deadlock, a link that is down) do not come back as a status: they end the run with a
 * message.
 *   - Lengths are bytes unless they are said to count something else.
 */
#ifndef HT_SW_QMP_QMP_H
#define HT_SW_QMP_QMP_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

typedef int QMP_bool_t;
#define QMP_TRUE ((QMP_bool_t)1)
#define QMP_FALSE ((QMP_bool_t)0)

/** Success is zero; everything else counts up from 0x1001. QMP_error_string() has the words. */
typedef enum QMP_status {
  QMP_SUCCESS = 0,
  QMP_ERROR = 0x1001,
  QMP_NOT_INITED,
  QMP_RTENV_ERR,
  QMP_CPUINFO_ERR,
  QMP_NODEINFO_ERR,
  QMP_NOMEM_ERR,
  QMP_MEMSIZE_ERR,
  QMP_HOSTNAME_ERR,
  QMP_INITSVC_ERR,
  QMP_TOPOLOGY_EXISTS,
  QMP_CH_TIMEOUT,
  QMP_NOTSUPPORTED,
  QMP_SVC_BUSY,
  QMP_BAD_MESSAGE,
  QMP_INVALID_ARG,
  QMP_INVALID_TOPOLOGY,
  QMP_NONEIGHBOR_INFO,
  QMP_MEMSIZE_TOOBIG,
  QMP_BAD_MEMORY,
  QMP_NO_PORTS,
  QMP_NODE_OUTRANGE,
  QMP_CHDEF_ERR,
  QMP_MEMUSED_ERR,
  QMP_INVALID_OP,
  QMP_TIMEOUT,
  QMP_MAX_STATUS
} QMP_status_t;

/** How the machine's nodes are connected. */
typedef enum QMP_ictype {
  QMP_SWITCH = 0,
  QMP_GRID = 1,
  QMP_MESH = 1,
  QMP_FATTREE = 2
} QMP_ictype_t;

/** Which threads of a node may call QMP. */
typedef enum QMP_thread_level {
  QMP_THREAD_SINGLE,
  QMP_THREAD_FUNNELED,
  QMP_THREAD_SERIALIZED,
  QMP_THREAD_MULTIPLE
} QMP_thread_level_t;

/** What a receiver promises about its buffer, see QMP_clear_to_send(). */
typedef enum QMP_clear_to_send {
  QMP_CTS_DISABLED = -1,
  QMP_CTS_NOT_READY = 0,
  QMP_CTS_READY = 1
} QMP_clear_to_send_t;

/* Alignment in bytes of allocated memory; ANY leaves it to the machine. */
#define QMP_ALIGN_ANY 0
#define QMP_ALIGN_DEFAULT 64

/* What allocated memory is wanted for, or-ed together. All memory here is the same kind. */
#define QMP_MEM_NONCACHE 0x01
#define QMP_MEM_COMMS 0x02
#define QMP_MEM_FAST 0x04
#define QMP_MEM_DEFAULT (QMP_MEM_COMMS | QMP_MEM_FAST)

typedef struct QMP_mem_struct QMP_mem_t;              /**< memory QMP allocated */
typedef struct QMP_msgmem_struct* QMP_msgmem_t;       /**< where a message lies in memory */
typedef struct QMP_comm_struct* QMP_comm_t;           /**< a set of nodes */
typedef struct QMP_msghandle_struct* QMP_msghandle_t; /**< a message that can be started */

/** A reduction step: *inout becomes (*inout op *in). */
typedef void (*QMP_binary_func)(void* inout, void* in);

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Start and end --------------------------------------------------------------------------- */

/** First call of a program, on every node. The argument list is left as it is but for QMP's own
 * options (-qmp-geom, -qmp-alloc-map, -qmp-logic-map, -qmp-job), which are removed. -qmp-geom is
 * "native" or the machine's lengths in their order, with axes of length one anywhere or nowhere;
 * else QMP_INVALID_TOPOLOGY. */
QMP_status_t QMP_init_msg_passing(int* argc, char*** argv, QMP_thread_level_t required,
                                  QMP_thread_level_t* provided);
QMP_bool_t QMP_is_initialized(void);
/** Last call: gives back whatever the program did not free. */
void QMP_finalize_msg_passing(void);
/** Ends the whole run with `error_code`; does not return. */
void QMP_abort(int error_code);
void QMP_abort_string(int error_code, char* message);

/* ---- Communicators --------------------------------------------------------------------------- */

/** All nodes, three times. From the start, the allocated one has the allocated dimensions as its
 * topology, the job's has its geometry if there is one; the default one has none. */
QMP_comm_t QMP_comm_get_allocated(void);
QMP_status_t QMP_comm_set_allocated(QMP_comm_t comm);
QMP_comm_t QMP_comm_get_job(void);
QMP_status_t QMP_comm_set_job(QMP_comm_t comm);
QMP_comm_t QMP_comm_get_default(void);
QMP_status_t QMP_comm_set_default(QMP_comm_t comm);
/** Collective over `comm`: nodes of the same `color` form a new communicator, in the order of
 * `key`, then of their number in `comm`. Any, if messages reach any node (QMP_declare_send_to());
 * else all nodes with one colour in an unchanged order (a copy), or every node alone with its own
 * colour, and QMP_NOTSUPPORTED otherwise. */
QMP_status_t QMP_comm_split(QMP_comm_t comm, int color, int key, QMP_comm_t* newcomm);
QMP_status_t QMP_comm_free(QMP_comm_t comm);
int QMP_comm_get_number_of_colors(QMP_comm_t comm);
int QMP_comm_get_color(QMP_comm_t comm);
int QMP_comm_get_key(QMP_comm_t comm);
/** There is no other library's communicator behind ours: QMP_NOTSUPPORTED. */
QMP_status_t QMP_get_hidden_comm(QMP_comm_t comm, void** hiddencomm);

/* ---- The machine ----------------------------------------------------------------------------- */

QMP_ictype_t QMP_get_msg_passing_type(void);
int QMP_get_number_of_nodes(void);
int QMP_comm_get_number_of_nodes(QMP_comm_t comm);
/** This node's number, 0 to number of nodes - 1. */
int QMP_get_node_number(void);
int QMP_comm_get_node_number(QMP_comm_t comm);
int QMP_get_number_of_jobs(void);
int QMP_get_job_number(void);
/** How the nodes of a job lie on the machine's axes: 0 and null unless -qmp-job gave a number of
 * jobs for every axis (1 each: a machine runs one job). */
int QMP_get_number_of_job_geometry_dimensions(void);
const int* QMP_get_job_geometry(void);
/** True on node 0. */
QMP_bool_t QMP_is_primary_node(void);
QMP_bool_t QMP_comm_is_primary_node(QMP_comm_t comm);
/** The torus that runs the program; the arrays belong to QMP. */
int QMP_get_allocated_number_of_dimensions(void);
const int* QMP_get_allocated_dimensions(void);
const int* QMP_get_allocated_coordinates(void);

/** The node that does `node`'s partitioned input and output: itself. */
int QMP_io_node(int node);
/** The node that does everybody's input and output: 0. */
int QMP_master_io_node(void);

/* ---- Logical topology ------------------------------------------------------------------------ */

/** Sees the machine as a torus of ndim axes of dims[] nodes, called alike on every node, once. The
 * product must be the number of nodes (QMP_INVALID_ARG). If every axis longer than 1 finds an axis
 * of the machine of that length (the first free one serves), and none is left over, neighbours are
 * neighbours on the machine. Else node numbers are laid x fastest, and messages to neighbours go by
 * number, at that cost (QMP_INVALID_TOPOLOGY where the machine cannot send them). ndim = -1 takes
 * the machine's own shape; of a part of its nodes, a ring. */
QMP_status_t QMP_declare_logical_topology(const int dims[], int ndim);
QMP_status_t QMP_comm_declare_logical_topology(QMP_comm_t comm, const int dims[], int ndim);
/** The same; map[] lists the logical axes from the one that varies fastest with the node number to
 * the one that varies slowest. The machine's nodes are numbered x fastest, so axis map[i] of the
 * topology lies along the i-th axis of the machine. mapdim = ndim, or 0 and map = NULL. */
QMP_status_t QMP_declare_logical_topology_map(const int dims[], int ndim, const int map[],
                                              int mapdim);
QMP_status_t QMP_comm_declare_logical_topology_map(QMP_comm_t comm, const int dims[], int ndim,
                                                   const int map[], int mapdim);
QMP_bool_t QMP_logical_topology_is_declared(void);
QMP_bool_t QMP_comm_logical_topology_is_declared(QMP_comm_t comm);
/** 0 and NULL while no topology is declared; the arrays belong to QMP. */
int QMP_get_logical_number_of_dimensions(void);
int QMP_comm_get_logical_number_of_dimensions(QMP_comm_t comm);
const int* QMP_get_logical_dimensions(void);
const int* QMP_comm_get_logical_dimensions(QMP_comm_t comm);
const int* QMP_get_logical_coordinates(void);
const int* QMP_comm_get_logical_coordinates(QMP_comm_t comm);
/** Coordinates of any node, in memory that the caller free()s. */
int* QMP_get_logical_coordinates_from(int node);
int* QMP_comm_get_logical_coordinates_from(QMP_comm_t comm, int node);
/** The same, into coords[number of dimensions]. */
void QMP_get_logical_coordinates_from2(int coords[], int node);
void QMP_comm_get_logical_coordinates_from2(QMP_comm_t comm, int coords[], int node);
/** The node at coordinates[], each 0 to dims - 1; -1 if there is none. */
int QMP_get_node_number_from(const int coordinates[]);
int QMP_comm_get_node_number_from(QMP_comm_t comm, const int coordinates[]);

/** Divides a lattice of dimensions[ndims] sites over the nodes, declaring a topology if there is
 * none. QMP_ERROR if it does not divide. */
QMP_status_t QMP_layout_grid(const int dimensions[], int ndims);
const int* QMP_get_subgrid_dimensions(void);
int QMP_get_number_of_subgrid_sites(void);

/* ---- Memory ---------------------------------------------------------------------------------- */

/** Memory of the node that its network reaches without a copy. NULL if there is not enough. */
QMP_mem_t* QMP_allocate_memory(size_t nbytes);
QMP_mem_t* QMP_allocate_aligned_memory(size_t nbytes, size_t alignment, int flags);
void* QMP_get_memory_pointer(QMP_mem_t* mem);
/** Refused, and the memory stays, while a message from or to there is under way. */
void QMP_free_memory(QMP_mem_t* mem);

/** A message is nbytes at mem, wherever that is (what QMP did not allocate costs a copy). */
QMP_msgmem_t QMP_declare_msgmem(const void* mem, size_t nbytes);
/** nblocks blocks of blksize bytes whose starts are `stride` bytes apart. */
QMP_msgmem_t QMP_declare_strided_msgmem(void* base, size_t blksize, int nblocks, ptrdiff_t stride);
/** `num` such sets, one after the other. */
QMP_msgmem_t QMP_declare_strided_array_msgmem(void* base[], size_t blksize[], int nblocks[],
                                              ptrdiff_t stride[], int num);
/** `count` blocks: blocklen[i] elements of elemsize bytes, from element index[i] of base on. */
QMP_msgmem_t QMP_declare_indexed_msgmem(void* base, int blocklen[], int index[], int elemsize,
                                        int count);
/** Handles declared with it stay as they are. */
void QMP_free_msgmem(QMP_msgmem_t m);

/* ---- Messages -------------------------------------------------------------------------------- */

/** To, or from, the neighbour at dir = +1 or -1 along a logical axis. The n-th message started
 * towards a neighbour meets the n-th receive started from this side; both have the same length.
 * Priorities are ignored. */
QMP_msghandle_t QMP_declare_receive_relative(QMP_msgmem_t m, int axis, int dir, int priority);
QMP_msghandle_t QMP_comm_declare_receive_relative(QMP_comm_t comm, QMP_msgmem_t m, int axis,
                                                  int dir, int priority);
QMP_msghandle_t QMP_declare_send_relative(QMP_msgmem_t m, int axis, int dir, int priority);
QMP_msghandle_t QMP_comm_declare_send_relative(QMP_comm_t comm, QMP_msgmem_t m, int axis, int dir,
                                               int priority);
/** To, or from, a node by number. Any node if the machine routes, or its nodes pass messages on, as
 * with `hypertorus exec`; else a neighbour, or NULL and QMP_NOTSUPPORTED. */
QMP_msghandle_t QMP_declare_send_to(QMP_msgmem_t m, int rem_node_rank, int priority);
QMP_msghandle_t QMP_comm_declare_send_to(QMP_comm_t comm, QMP_msgmem_t m, int rem_node_rank,
                                         int priority);
QMP_msghandle_t QMP_declare_receive_from(QMP_msgmem_t m, int rem_node_rank, int priority);
QMP_msghandle_t QMP_comm_declare_receive_from(QMP_comm_t comm, QMP_msgmem_t m, int rem_node_rank,
                                              int priority);
/** Moves the message, with its layout, to start at `addr` from the next QMP_start() on. */
QMP_status_t QMP_change_address(QMP_msghandle_t msg, void* addr);
QMP_status_t QMP_change_address_multiple(QMP_msghandle_t msg, void* addr[], int naddr);
/** One handle for all of them, which it takes over: they are started with it, in this order, and
 * freed with it. Handles of several messages may be joined too, and are dissolved by it. */
QMP_msghandle_t QMP_declare_multiple(QMP_msghandle_t msgh[], int num);
/** The same; promises that every send here has its receive in the same call of the neighbour. */
QMP_msghandle_t QMP_declare_send_recv_pairs(QMP_msghandle_t msgh[], int num);
void QMP_free_msghandle(QMP_msghandle_t h);
/** A promise to be ready, for machines that can make use of it: checked, then ignored. */
QMP_status_t QMP_clear_to_send(QMP_msghandle_t mh, QMP_clear_to_send_t cts);

/** Starts the message(s) and returns. QMP_INVALID_OP while it is under way. */
QMP_status_t QMP_start(QMP_msghandle_t h);
/** Until it is done: sent (the memory may be changed) or received. At once if not started. */
QMP_status_t QMP_wait(QMP_msghandle_t h);
QMP_status_t QMP_wait_all(QMP_msghandle_t h[], int num);
/** True if it is done, or was not started. Takes a little time, so that polling gets somewhere. */
QMP_bool_t QMP_is_complete(QMP_msghandle_t h);

/* ---- All nodes together ---------------------------------------------------------------------- */
/* Every node of the communicator calls the same one with the same lengths. Reductions combine the
 * nodes' values in one fixed order, so that all nodes get the same bits, on every run. */

QMP_status_t QMP_barrier(void);
QMP_status_t QMP_comm_barrier(QMP_comm_t comm);
/** Node 0's bytes for everybody. */
QMP_status_t QMP_broadcast(void* buffer, size_t nbytes);
QMP_status_t QMP_comm_broadcast(QMP_comm_t comm, void* buffer, size_t nbytes);

QMP_status_t QMP_sum_int(int* value);
QMP_status_t QMP_comm_sum_int(QMP_comm_t comm, int* value);
QMP_status_t QMP_sum_uint64_t(uint64_t* value);
QMP_status_t QMP_comm_sum_uint64_t(QMP_comm_t comm, uint64_t* value);
/** Added in double and rounded once. */
QMP_status_t QMP_sum_float(float* value);
QMP_status_t QMP_comm_sum_float(QMP_comm_t comm, float* value);
QMP_status_t QMP_sum_double(double* value);
QMP_status_t QMP_comm_sum_double(QMP_comm_t comm, double* value);
QMP_status_t QMP_sum_long_double(long double* value);
QMP_status_t QMP_comm_sum_long_double(QMP_comm_t comm, long double* value);
/** Added in long double and rounded once. */
QMP_status_t QMP_sum_double_extended(double* value);
QMP_status_t QMP_comm_sum_double_extended(QMP_comm_t comm, double* value);
/** Element by element; `length` counts elements. Floats are added in float. */
QMP_status_t QMP_sum_float_array(float value[], int length);
QMP_status_t QMP_comm_sum_float_array(QMP_comm_t comm, float value[], int length);
QMP_status_t QMP_sum_double_array(double value[], int length);
QMP_status_t QMP_comm_sum_double_array(QMP_comm_t comm, double value[], int length);
QMP_status_t QMP_sum_long_double_array(long double value[], int length);
QMP_status_t QMP_comm_sum_long_double_array(QMP_comm_t comm, long double value[], int length);

QMP_status_t QMP_max_float(float* value);
QMP_status_t QMP_comm_max_float(QMP_comm_t comm, float* value);
QMP_status_t QMP_max_double(double* value);
QMP_status_t QMP_comm_max_double(QMP_comm_t comm, double* value);
QMP_status_t QMP_min_float(float* value);
QMP_status_t QMP_comm_min_float(QMP_comm_t comm, float* value);
QMP_status_t QMP_min_double(double* value);
QMP_status_t QMP_comm_min_double(QMP_comm_t comm, double* value);
QMP_status_t QMP_xor_ulong(unsigned long* value);
QMP_status_t QMP_comm_xor_ulong(QMP_comm_t comm, unsigned long* value);

/** Block i of node j's send buffer becomes block j of node i's receive buffer: as many blocks
 * of `count` bytes as there are nodes. Passed on from neighbour to neighbour, so costly. */
QMP_status_t QMP_comm_alltoall(QMP_comm_t comm, char* recvbuffer, char* sendbuffer, int count);

/** Combines the nodes' buffers of `buflen` bytes with an associative function of the program. */
QMP_status_t QMP_binary_reduction(void* lbuffer, size_t buflen, QMP_binary_func bfunc);
QMP_status_t QMP_comm_binary_reduction(QMP_comm_t comm, void* lbuffer, size_t buflen,
                                       QMP_binary_func bfunc);

/* ---- Errors, output, time -------------------------------------------------------------------- */

const char* QMP_error_string(QMP_status_t code);
/** Of this handle, or, with NULL, of the last call that failed on this node. */
QMP_status_t QMP_get_error_number(QMP_msghandle_t mh);
const char* QMP_get_error_string(QMP_msghandle_t mh);

/** Sets how much QMP reports (0: errors are only returned, 1: they are printed too); returns the
 * old.
 */
int QMP_verbose(int level);
int QMP_profcontrol(int level);
/** printf() with the node's number in front and a newline behind. */
int QMP_printf(const char* format, ...);
int QMP_fprintf(FILE* stream, const char* format, ...);
int QMP_info(const char* format, ...);
int QMP_error(const char* format, ...);

/** Seconds of simulated time on this node. */
double QMP_time(void);
/** Seconds of it spent inside of QMP calls since the last reset. */
void QMP_reset_total_qmp_time(void);
double QMP_get_total_qmp_time(void);

const char* QMP_version_str(void);
int QMP_version_int(void);

#ifdef __cplusplus
}
#endif

#define _QMP_UNUSED_ARGUMENT(x) ((void)(x))

#endif /* HT_SW_QMP_QMP_H */
