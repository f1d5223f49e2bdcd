/* SPDX-License-Identifier: Apache-2.0
 *
 * uTofu, the lowest programming interface of the Tofu interconnect, for barrier gates. Names, types
 * and values are those of Fujitsu's published interface, so that programs written for it compile
 * unchanged as C or C++; the text and everything behind it are our own. What is particular to this
 * machine is in README.md.
 *
 * Conventions
 *   - Every node of the simulated machine has its own state; a call acts on the node whose program
 *     makes it. Outside of a node's program every call returns UTOFU_ERR_NOT_AVAILABLE.
 *   - Functions return UTOFU_SUCCESS or an error code below zero; after an error nothing has
 *     changed, unless it is said to.
 *   - A VBG (virtual barrier gate) is a gate a program has allocated. The first of an allocation
 *     starts operations and ends them; the others relay.
 */
#ifndef HT_SW_TOFU_UTOFU_H
#define HT_SW_TOFU_UTOFU_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define UTOFU_VERSION_MAJOR 1
#define UTOFU_VERSION_MINOR 0

/* Which reductions a barrier interface knows: utofu_barrier_caps::reduce_ops. Bit n stands for the
 * member of enum utofu_reduce_op whose value is n. */
#define UTOFU_BARRIER_CAP_REDUCE_OP_BARRIER (1UL << 1)
#define UTOFU_BARRIER_CAP_REDUCE_OP_BAND (1UL << 2)
#define UTOFU_BARRIER_CAP_REDUCE_OP_BOR (1UL << 3)
#define UTOFU_BARRIER_CAP_REDUCE_OP_BXOR (1UL << 4)
#define UTOFU_BARRIER_CAP_REDUCE_OP_MAX (1UL << 5)
#define UTOFU_BARRIER_CAP_REDUCE_OP_MAXLOC (1UL << 6)
#define UTOFU_BARRIER_CAP_REDUCE_OP_SUM (1UL << 7)
#define UTOFU_BARRIER_CAP_REDUCE_OP_BFPSUM (1UL << 8)

/* For utofu_alloc_vbg(): several threads use the gates. Accepted; a node's program is one thread.
 */
#define UTOFU_VBG_FLAG_THREAD_SAFE (1UL << 0)

/** No gate: an input or output that is absent. */
#define UTOFU_VBG_ID_NULL ((utofu_vbg_id_t)-1)
/** As the first of three path coordinates: the library chooses the path. */
#define UTOFU_PATH_COORD_NULL ((uint8_t)-1)

typedef uint16_t utofu_tni_id_t;
typedef uint16_t utofu_bg_id_t;
typedef uint64_t utofu_vbg_id_t;

enum utofu_return_code {
  UTOFU_SUCCESS = 0,

  UTOFU_ERR_NOT_FOUND = -1,     /**< there is none: nothing was started that could be polled */
  UTOFU_ERR_NOT_COMPLETED = -2, /**< not yet: poll again */
  UTOFU_ERR_NOT_PROCESSED = -3,
  UTOFU_ERR_BUSY = -4, /**< the operation before has not been polled to its end */
  UTOFU_ERR_USED = -5,
  UTOFU_ERR_FULL = -6,          /**< no channel, or not that many gates, left on this node */
  UTOFU_ERR_NOT_AVAILABLE = -7, /**< not on this node, or not in its state: gates not wired */
  UTOFU_ERR_NOT_SUPPORTED = -8, /**< the hardware has no such operation */

  UTOFU_ERR_TCQ_OTHER = -128,
  UTOFU_ERR_TCQ_DESC = -129,
  UTOFU_ERR_TCQ_MEMORY = -130,
  UTOFU_ERR_TCQ_STADD = -131,
  UTOFU_ERR_TCQ_LENGTH = -132,

  UTOFU_ERR_MRQ_OTHER = -192,
  UTOFU_ERR_MRQ_PEER = -193,
  UTOFU_ERR_MRQ_LCL_MEMORY = -194,
  UTOFU_ERR_MRQ_RMT_MEMORY = -195,
  UTOFU_ERR_MRQ_LCL_STADD = -196,
  UTOFU_ERR_MRQ_RMT_STADD = -197,
  UTOFU_ERR_MRQ_LCL_LENGTH = -198,
  UTOFU_ERR_MRQ_RMT_LENGTH = -199,

  UTOFU_ERR_BARRIER_OTHER = -256,    /**< a gate reported an error of sequence, group or address */
  UTOFU_ERR_BARRIER_MISMATCH = -257, /**< participants started different operations */

  UTOFU_ERR_INVALID_ARG = -512,
  UTOFU_ERR_INVALID_POINTER = -513,
  UTOFU_ERR_INVALID_FLAGS = -514,
  UTOFU_ERR_INVALID_COORDS = -515,
  UTOFU_ERR_INVALID_PATH = -516,
  UTOFU_ERR_INVALID_TNI_ID = -517,
  UTOFU_ERR_INVALID_CQ_ID = -518,
  UTOFU_ERR_INVALID_BG_ID = -519,
  UTOFU_ERR_INVALID_CMP_ID = -520,
  UTOFU_ERR_INVALID_VCQ_HDL = -521,
  UTOFU_ERR_INVALID_VCQ_ID = -522,
  UTOFU_ERR_INVALID_VBG_ID = -523,
  UTOFU_ERR_INVALID_PATH_ID = -524,
  UTOFU_ERR_INVALID_STADD = -525,
  UTOFU_ERR_INVALID_ADDRESS = -526,
  UTOFU_ERR_INVALID_SIZE = -527,
  UTOFU_ERR_INVALID_STAG = -528,
  UTOFU_ERR_INVALID_EDATA = -529,
  UTOFU_ERR_INVALID_NUMBER = -530,
  UTOFU_ERR_INVALID_OP = -531,
  UTOFU_ERR_INVALID_DESC = -532,
  UTOFU_ERR_INVALID_DATA = -533,

  UTOFU_ERR_OUT_OF_RESOURCE = -640,
  UTOFU_ERR_OUT_OF_MEMORY = -641,

  UTOFU_ERR_FATAL = -768 /**< the node's hardware failed; nothing more is to be had from it */
};

enum utofu_reduce_op {
  UTOFU_REDUCE_OP_BARRIER = 1,
  UTOFU_REDUCE_OP_BAND = 2, /**< bit by bit */
  UTOFU_REDUCE_OP_BOR = 3,
  UTOFU_REDUCE_OP_BXOR = 4,
  UTOFU_REDUCE_OP_MAX = 5,    /**< of unsigned integers */
  UTOFU_REDUCE_OP_MAXLOC = 6, /**< TofuD's; this machine has it not */
  UTOFU_REDUCE_OP_SUM = 7,    /**< of integers, modulo 2^64 */
  UTOFU_REDUCE_OP_BFPSUM = 8  /**< of doubles, whatever the order */
};

struct utofu_barrier_caps {
  unsigned long int flags;      /**< 0 */
  unsigned long int reduce_ops; /**< UTOFU_BARRIER_CAP_REDUCE_OP_... */
  size_t max_uint64_reduction;  /**< elements of one reduction */
  size_t max_double_reduction;
};

/** How a gate is wired: it fires when all its sources have come, and feeds all its destinations.
 *  The first gate of an allocation is the exception: a start feeds its destinations, and when its
 *  sources have come the operation is complete. */
struct utofu_vbg_setting {
  utofu_vbg_id_t vbg_id;         /**< the gate, of this node */
  utofu_vbg_id_t src_lcl_vbg_id; /**< a gate of the same allocation, or UTOFU_VBG_ID_NULL */
  utofu_vbg_id_t src_rmt_vbg_id; /**< a gate of another node, or UTOFU_VBG_ID_NULL */
  utofu_vbg_id_t dst_lcl_vbg_id;
  utofu_vbg_id_t dst_rmt_vbg_id;
  uint8_t dst_path_coords[3]; /**< A, B, C of the first leg to the remote destination */
};

/** Interfaces with barrier gates. *tni_ids is the caller's to free(). */
extern int utofu_get_barrier_tnis(utofu_tni_id_t** tni_ids, size_t* num_tnis);

/** What an interface can do. *tni_caps points at memory of the library. */
extern int utofu_query_barrier_caps(utofu_tni_id_t tni_id, struct utofu_barrier_caps** tni_caps);

/** Allocates gates; vbg_ids[0] is the one that starts and ends operations. UTOFU_ERR_FULL: the
 *  node has not as many left, or all its channels are in use. */
extern int utofu_alloc_vbg(utofu_tni_id_t tni_id, size_t num_vbgs, unsigned long int flags,
                           utofu_vbg_id_t vbg_ids[]);

/** Frees gates. UTOFU_ERR_BUSY: an operation on them has not been polled to its end. */
extern int utofu_free_vbg(utofu_vbg_id_t vbg_ids[], size_t num_vbgs);

/** Wires gates. All nodes of a pattern must have done so before the first of them starts. */
extern int utofu_set_vbg(struct utofu_vbg_setting vbg_settings[], size_t num_vbg_settings);

/** Where a gate is, of any node. Any of the pointers may be null. coords: X, Y, Z, A, B, C. */
extern int utofu_query_vbg_info(utofu_vbg_id_t vbg_id, uint8_t coords[], utofu_tni_id_t* tni_id,
                                utofu_bg_id_t* bg_id, uint16_t* extra_val);

/** Starts an operation; flags is 0. */
extern int utofu_barrier(utofu_vbg_id_t vbg_id, unsigned long int flags);
extern int utofu_reduce_uint64(utofu_vbg_id_t vbg_id, enum utofu_reduce_op op, uint64_t data[],
                               size_t num_data, unsigned long int flags);
extern int utofu_reduce_double(utofu_vbg_id_t vbg_id, enum utofu_reduce_op op, double data[],
                               size_t num_data, unsigned long int flags);

/** UTOFU_ERR_NOT_COMPLETED until the operation that was started is complete; then its result. */
extern int utofu_poll_barrier(utofu_vbg_id_t vbg_id, unsigned long int flags);
extern int utofu_poll_reduce_uint64(utofu_vbg_id_t vbg_id, unsigned long int flags,
                                    uint64_t data[]);
extern int utofu_poll_reduce_double(utofu_vbg_id_t vbg_id, unsigned long int flags, double data[]);

extern void utofu_query_tofu_version(int* major_ver, int* minor_ver);
extern void utofu_query_utofu_version(int* major_ver, int* minor_ver);
/** X, Y, Z, A, B, C of this node. */
extern int utofu_query_my_coords(uint8_t coords[]);

#ifdef __cplusplus
}
#endif
#endif
