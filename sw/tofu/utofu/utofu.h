/* SPDX-License-Identifier: Apache-2.0
 *
 * uTofu, the lowest programming interface of the Tofu interconnect: one-sided communication and
 * barrier gates. Names, types and values are those of Fujitsu's published interface, so that
 * programs written for it compile unchanged as C or C++; the text and everything behind it are our
 * own. What is particular to this machine is in README.md.
 *
 * Conventions
 *   - Every node of the simulated machine has its own state; a call acts on the node whose program
 *     makes it. Outside of a node's program every call returns UTOFU_ERR_NOT_AVAILABLE.
 *   - Functions return UTOFU_SUCCESS or an error code below zero; after an error nothing has
 *     changed, unless it is said to.
 *   - A VCQ (virtual control queue) is a queue of a network interface (TNI) that a program has
 *     created: it takes commands, and memory is registered with it. STADDs are the network's
 *     addresses; a number of bytes may be added to one.
 *   - Of a command, a TCQ notice says that it is done, an MRQ notice here (local) or there (remote)
 *     what was done to which memory.
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

/* utofu_onesided_caps::flags. */
#define UTOFU_ONESIDED_CAP_FLAG_SESSION_MODE (1UL << 0)
#define UTOFU_ONESIDED_CAP_FLAG_ARMW (1UL << 1)

/* utofu_onesided_caps::armw_ops. */
#define UTOFU_ONESIDED_CAP_ARMW_OP_CSWAP (1UL << 0)
#define UTOFU_ONESIDED_CAP_ARMW_OP_SWAP (1UL << 1)
#define UTOFU_ONESIDED_CAP_ARMW_OP_ADD (1UL << 2)
#define UTOFU_ONESIDED_CAP_ARMW_OP_XOR (1UL << 3)
#define UTOFU_ONESIDED_CAP_ARMW_OP_AND (1UL << 4)
#define UTOFU_ONESIDED_CAP_ARMW_OP_OR (1UL << 5)

/* For utofu_create_vcq(). The first two are accepted: a node's program is one thread, and a VCQ is
 * a queue of its own in any case. The third is UTOFU_ERR_NOT_SUPPORTED. */
#define UTOFU_VCQ_FLAG_THREAD_SAFE (1UL << 0)
#define UTOFU_VCQ_FLAG_EXCLUSIVE (1UL << 1)
#define UTOFU_VCQ_FLAG_SESSION_MODE (1UL << 2)

/* For utofu_reg_mem(): remote writes are refused. */
#define UTOFU_REG_MEM_FLAG_READ_ONLY (1UL << 0)

/* For utofu_put() and its like. What writes with STRONG_ORDER waits, in the call if need be, for gets
 * before it of the same VCQ at the same VCQ, which may not have read yet; all else of one VCQ to one
 * other on one path is in order always. DELAY_START waits for the next command without it;
 * PACKET_RESPONSE, PADDING, CACHE_INJECTION and SPS are advice that changes nothing. */
#define UTOFU_ONESIDED_FLAG_STRONG_ORDER (1UL << 0)
#define UTOFU_ONESIDED_FLAG_PACKET_RESPONSE (1UL << 1)
#define UTOFU_ONESIDED_FLAG_REMOTE_MRQ_NOTICE (1UL << 2)
#define UTOFU_ONESIDED_FLAG_PADDING (1UL << 3)
#define UTOFU_ONESIDED_FLAG_CACHE_INJECTION (1UL << 5)
#define UTOFU_ONESIDED_FLAG_DELAY_START (1UL << 8)
#define UTOFU_ONESIDED_FLAG_TCQ_NOTICE (1UL << 14)
#define UTOFU_ONESIDED_FLAG_LOCAL_MRQ_NOTICE (1UL << 15)
#define UTOFU_ONESIDED_FLAG_SPS(sps) ((unsigned long int)(sps) << 24)
/** Instead of the path in the remote VCQ's id. */
#define UTOFU_ONESIDED_FLAG_PATH(path_id) ((unsigned long int)(path_id) << 28)

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
typedef uint16_t utofu_cq_id_t;
typedef uint16_t utofu_bg_id_t;
typedef uint16_t utofu_cmp_id_t;
typedef uintptr_t utofu_vcq_hdl_t;
typedef uint64_t utofu_vcq_id_t;
typedef uint64_t utofu_vbg_id_t;
typedef uint8_t utofu_path_id_t;
typedef uint64_t utofu_stadd_t;

enum utofu_return_code {
  UTOFU_SUCCESS = 0,

  UTOFU_ERR_NOT_FOUND = -1,     /**< no notice; nothing was started that could be polled */
  UTOFU_ERR_NOT_COMPLETED = -2, /**< not yet: poll again */
  UTOFU_ERR_NOT_PROCESSED = -3,
  UTOFU_ERR_BUSY = -4, /**< what was started before has not been polled to its end */
  UTOFU_ERR_USED = -5, /**< the STAG names other memory */
  UTOFU_ERR_FULL = -6, /**< no queue, STAG, channel, or not that many gates, left on this node */
  UTOFU_ERR_NOT_AVAILABLE = -7, /**< not on this node, or not in its state: gates not wired */
  UTOFU_ERR_NOT_SUPPORTED = -8, /**< the hardware has no such operation */

  UTOFU_ERR_TCQ_OTHER = -128, /**< the other side refused; its cause is the local MRQ notice's */
  UTOFU_ERR_TCQ_DESC = -129,  /**< the hardware refused the command */
  UTOFU_ERR_TCQ_MEMORY = -130,
  UTOFU_ERR_TCQ_STADD = -131,
  UTOFU_ERR_TCQ_LENGTH = -132,

  UTOFU_ERR_MRQ_OTHER = -192,
  UTOFU_ERR_MRQ_PEER = -193,       /**< the remote VCQ is not there, or its notices overflow */
  UTOFU_ERR_MRQ_LCL_MEMORY = -194, /**< of this side's memory, by a command from elsewhere: */
  UTOFU_ERR_MRQ_RMT_MEMORY = -195, /**< of the other side's: may not be written, or read */
  UTOFU_ERR_MRQ_LCL_STADD = -196,
  UTOFU_ERR_MRQ_RMT_STADD = -197, /**< is not registered, or with another VCQ */
  UTOFU_ERR_MRQ_LCL_LENGTH = -198,
  UTOFU_ERR_MRQ_RMT_LENGTH = -199, /**< ends earlier */

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

enum utofu_armw_op {
  UTOFU_ARMW_OP_SWAP = 1,
  UTOFU_ARMW_OP_ADD = 2,
  UTOFU_ARMW_OP_XOR = 3,
  UTOFU_ARMW_OP_AND = 4,
  UTOFU_ARMW_OP_OR = 5
};

enum utofu_reduce_op {
  UTOFU_REDUCE_OP_BARRIER = 1,
  UTOFU_REDUCE_OP_BAND = 2, /**< bit by bit */
  UTOFU_REDUCE_OP_BOR = 3,
  UTOFU_REDUCE_OP_BXOR = 4,
  UTOFU_REDUCE_OP_MAX = 5,    /**< of unsigned integers */
  UTOFU_REDUCE_OP_MAXLOC = 6, /**< TofuD's: of pairs of a value and a place */
  UTOFU_REDUCE_OP_SUM = 7,    /**< of integers, modulo 2^64 */
  UTOFU_REDUCE_OP_BFPSUM = 8  /**< of doubles, whatever the order */
};

/** Local notices are of this side's commands, remote ones of others'. */
enum utofu_mrq_notice_type {
  UTOFU_MRQ_TYPE_LCL_PUT,
  UTOFU_MRQ_TYPE_RMT_PUT,
  UTOFU_MRQ_TYPE_LCL_GET,
  UTOFU_MRQ_TYPE_RMT_GET,
  UTOFU_MRQ_TYPE_LCL_ARMW,
  UTOFU_MRQ_TYPE_RMT_ARMW
};

struct utofu_onesided_caps {
  unsigned long int flags;         /**< UTOFU_ONESIDED_CAP_FLAG_... */
  unsigned long int armw_ops;      /**< UTOFU_ONESIDED_CAP_ARMW_OP_... */
  unsigned int num_cmp_ids;        /**< component ids are below */
  unsigned int num_reserved_stags; /**< STAGs of utofu_reg_mem_with_stag() are below */
  size_t cache_line_size;          /**< bytes, as all that follow */
  size_t stag_address_alignment;   /**< of memory for utofu_reg_mem_with_stag() */
  size_t max_toq_desc_size;
  size_t max_putget_size;
  size_t max_piggyback_size;
  size_t max_edata_size;
  size_t max_mtu;
  size_t max_gap;
};

struct utofu_mrq_notice {
  uint8_t notice_type; /**< enum utofu_mrq_notice_type */
  uint8_t padding1[7];
  utofu_vcq_id_t vcq_id; /**< of the other side */
  uint64_t edata;
  /** LCL_ARMW: what was there before. Remote types: rmt_stadd. */
  uint64_t rmt_value;
  utofu_stadd_t lcl_stadd; /**< one past the bytes of the commander's side; 0 in remote types */
  utofu_stadd_t rmt_stadd; /**< one past the bytes of the side that was commanded */
  uint64_t reserved[2];
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

/** Interfaces for one-sided communication. *tni_ids is the caller's to free(). */
extern int utofu_get_onesided_tnis(utofu_tni_id_t** tni_ids, size_t* num_tnis);

/** What an interface can do. *tni_caps points at memory of the library. */
extern int utofu_query_onesided_caps(utofu_tni_id_t tni_id, struct utofu_onesided_caps** tni_caps);

/** Creates a queue; the component id is a number for the program's use, 0 unless said. */
extern int utofu_create_vcq(utofu_tni_id_t tni_id, unsigned long int flags,
                            utofu_vcq_hdl_t* vcq_hdl);
extern int utofu_create_vcq_with_cmp_id(utofu_tni_id_t tni_id, utofu_cmp_id_t cmp_id,
                                        unsigned long int flags, utofu_vcq_hdl_t* vcq_hdl);

/** Frees it with all that is registered with it. UTOFU_ERR_BUSY: commands are under way. */
extern int utofu_free_vcq(utofu_vcq_hdl_t vcq_hdl);

/** What others call it. */
extern int utofu_query_vcq_id(utofu_vcq_hdl_t vcq_hdl, utofu_vcq_id_t* vcq_id);
extern int utofu_construct_vcq_id(uint8_t coords[], utofu_tni_id_t tni_id, utofu_cq_id_t cq_id,
                                  utofu_cmp_id_t cmp_id, utofu_vcq_id_t* vcq_id);

/** Writes a path from this node to a VCQ into its id: A, B, C of where the first leg leads; null,
 *  or UTOFU_PATH_COORD_NULL as the first: the default path, which avoids failed nodes. */
extern int utofu_set_vcq_id_path(utofu_vcq_id_t* vcq_id, uint8_t path_coords[]);

/** Where a VCQ is, of any node. Any of the pointers may be null. coords: X, Y, Z, A, B, C. */
extern int utofu_query_vcq_info(utofu_vcq_id_t vcq_id, uint8_t coords[], utofu_tni_id_t* tni_id,
                                utofu_cq_id_t* cq_id, uint16_t* extra_val);

/** Paths by number, for UTOFU_ONESIDED_FLAG_PATH. */
extern int utofu_get_path_id(utofu_vcq_id_t vcq_id, uint8_t path_coords[],
                             utofu_path_id_t* path_id);
extern int utofu_get_path_coords(utofu_vcq_id_t vcq_id, utofu_path_id_t path_id,
                                 uint8_t path_coords[]);

/** Registers memory with a VCQ: only then commands may name it. With a STAG of the program's choice
 *  others can compute its STADD by utofu_query_stadd(). */
extern int utofu_reg_mem(utofu_vcq_hdl_t vcq_hdl, void* addr, size_t size, unsigned long int flags,
                         utofu_stadd_t* stadd);
extern int utofu_reg_mem_with_stag(utofu_vcq_hdl_t vcq_hdl, void* addr, size_t size,
                                   unsigned int stag, unsigned long int flags,
                                   utofu_stadd_t* stadd);
extern int utofu_query_stadd(utofu_vcq_id_t vcq_id, unsigned int stag, utofu_stadd_t* stadd);

/** UTOFU_ERR_BUSY: a command that names it is under way. */
extern int utofu_dereg_mem(utofu_vcq_hdl_t vcq_hdl, utofu_stadd_t stadd, unsigned long int flags);

/** Commands. UTOFU_ERR_BUSY: there is no room; poll, and try again. */
extern int utofu_put(utofu_vcq_hdl_t vcq_hdl, utofu_vcq_id_t rmt_vcq_id, utofu_stadd_t lcl_stadd,
                     utofu_stadd_t rmt_stadd, size_t length, uint64_t edata,
                     unsigned long int flags, void* cbdata);
extern int utofu_get(utofu_vcq_hdl_t vcq_hdl, utofu_vcq_id_t rmt_vcq_id, utofu_stadd_t lcl_stadd,
                     utofu_stadd_t rmt_stadd, size_t length, uint64_t edata,
                     unsigned long int flags, void* cbdata);
/** In packets of mtu bytes at most; after each, gap eighths of its time on a link pass. With a gap,
 *  DELAY_START does not hold it back. */
extern int utofu_put_gap(utofu_vcq_hdl_t vcq_hdl, utofu_vcq_id_t rmt_vcq_id,
                         utofu_stadd_t lcl_stadd, utofu_stadd_t rmt_stadd, size_t length,
                         uint64_t edata, unsigned long int flags, size_t mtu, size_t gap,
                         void* cbdata);
extern int utofu_get_gap(utofu_vcq_hdl_t vcq_hdl, utofu_vcq_id_t rmt_vcq_id,
                         utofu_stadd_t lcl_stadd, utofu_stadd_t rmt_stadd, size_t length,
                         uint64_t edata, unsigned long int flags, size_t mtu, size_t gap,
                         void* cbdata);
/** num_blocks blocks of length bytes; stride bytes from one's begin to the next's, at both ends.
 *  Each block has its MRQ notices; the TCQ notice comes after the last. The first block that is
 *  refused ends the command, and its notice is the last. */
extern int utofu_put_stride(utofu_vcq_hdl_t vcq_hdl, utofu_vcq_id_t rmt_vcq_id,
                            utofu_stadd_t lcl_stadd, utofu_stadd_t rmt_stadd, size_t length,
                            size_t stride, size_t num_blocks, uint64_t edata,
                            unsigned long int flags, void* cbdata);
extern int utofu_get_stride(utofu_vcq_hdl_t vcq_hdl, utofu_vcq_id_t rmt_vcq_id,
                            utofu_stadd_t lcl_stadd, utofu_stadd_t rmt_stadd, size_t length,
                            size_t stride, size_t num_blocks, uint64_t edata,
                            unsigned long int flags, void* cbdata);
extern int utofu_put_stride_gap(utofu_vcq_hdl_t vcq_hdl, utofu_vcq_id_t rmt_vcq_id,
                                utofu_stadd_t lcl_stadd, utofu_stadd_t rmt_stadd, size_t length,
                                size_t stride, size_t num_blocks, uint64_t edata,
                                unsigned long int flags, size_t mtu, size_t gap, void* cbdata);
extern int utofu_get_stride_gap(utofu_vcq_hdl_t vcq_hdl, utofu_vcq_id_t rmt_vcq_id,
                                utofu_stadd_t lcl_stadd, utofu_stadd_t rmt_stadd, size_t length,
                                size_t stride, size_t num_blocks, uint64_t edata,
                                unsigned long int flags, size_t mtu, size_t gap, void* cbdata);
/** The data go with the command. */
extern int utofu_put_piggyback(utofu_vcq_hdl_t vcq_hdl, utofu_vcq_id_t rmt_vcq_id, void* lcl_data,
                               utofu_stadd_t rmt_stadd, size_t length, uint64_t edata,
                               unsigned long int flags, void* cbdata);
extern int utofu_put_piggyback8(utofu_vcq_hdl_t vcq_hdl, utofu_vcq_id_t rmt_vcq_id,
                                uint64_t lcl_data, utofu_stadd_t rmt_stadd, size_t length,
                                uint64_t edata, unsigned long int flags, void* cbdata);
/** Reads, changes and writes 4 or 8 bytes there at once; what was there before comes with the local
 *  MRQ notice. */
extern int utofu_armw4(utofu_vcq_hdl_t vcq_hdl, utofu_vcq_id_t rmt_vcq_id,
                       enum utofu_armw_op armw_op, uint32_t op_value, utofu_stadd_t rmt_stadd,
                       uint64_t edata, unsigned long int flags, void* cbdata);
extern int utofu_armw8(utofu_vcq_hdl_t vcq_hdl, utofu_vcq_id_t rmt_vcq_id,
                       enum utofu_armw_op armw_op, uint64_t op_value, utofu_stadd_t rmt_stadd,
                       uint64_t edata, unsigned long int flags, void* cbdata);
/** Writes the new value if the old one is there. */
extern int utofu_cswap4(utofu_vcq_hdl_t vcq_hdl, utofu_vcq_id_t rmt_vcq_id, uint32_t old_value,
                        uint32_t new_value, utofu_stadd_t rmt_stadd, uint64_t edata,
                        unsigned long int flags, void* cbdata);
extern int utofu_cswap8(utofu_vcq_hdl_t vcq_hdl, utofu_vcq_id_t rmt_vcq_id, uint64_t old_value,
                        uint64_t new_value, utofu_stadd_t rmt_stadd, uint64_t edata,
                        unsigned long int flags, void* cbdata);
/** A command that does nothing but end. */
extern int utofu_nop(utofu_vcq_hdl_t vcq_hdl, unsigned long int flags, void* cbdata);

/** The same, not carried out but written to desc, where there are max_toq_desc_size bytes, of which
 *  *desc_size are used. Data of piggyback puts are read now, memory when the command is carried
 *  out. */
extern int utofu_prepare_put(utofu_vcq_hdl_t vcq_hdl, utofu_vcq_id_t rmt_vcq_id,
                             utofu_stadd_t lcl_stadd, utofu_stadd_t rmt_stadd, size_t length,
                             uint64_t edata, unsigned long int flags, void* desc,
                             size_t* desc_size);
extern int utofu_prepare_put_gap(utofu_vcq_hdl_t vcq_hdl, utofu_vcq_id_t rmt_vcq_id,
                                 utofu_stadd_t lcl_stadd, utofu_stadd_t rmt_stadd, size_t length,
                                 uint64_t edata, unsigned long int flags, size_t mtu, size_t gap,
                                 void* desc, size_t* desc_size);
extern int utofu_prepare_put_stride(utofu_vcq_hdl_t vcq_hdl, utofu_vcq_id_t rmt_vcq_id,
                                    utofu_stadd_t lcl_stadd, utofu_stadd_t rmt_stadd, size_t length,
                                    size_t stride, size_t num_blocks, uint64_t edata,
                                    unsigned long int flags, void* desc, size_t* desc_size);
extern int utofu_prepare_put_stride_gap(utofu_vcq_hdl_t vcq_hdl, utofu_vcq_id_t rmt_vcq_id,
                                        utofu_stadd_t lcl_stadd, utofu_stadd_t rmt_stadd,
                                        size_t length, size_t stride, size_t num_blocks,
                                        uint64_t edata, unsigned long int flags, size_t mtu,
                                        size_t gap, void* desc, size_t* desc_size);
extern int utofu_prepare_put_piggyback(utofu_vcq_hdl_t vcq_hdl, utofu_vcq_id_t rmt_vcq_id,
                                       void* lcl_data, utofu_stadd_t rmt_stadd, size_t length,
                                       uint64_t edata, unsigned long int flags, void* desc,
                                       size_t* desc_size);
extern int utofu_prepare_put_piggyback8(utofu_vcq_hdl_t vcq_hdl, utofu_vcq_id_t rmt_vcq_id,
                                        uint64_t lcl_data, utofu_stadd_t rmt_stadd, size_t length,
                                        uint64_t edata, unsigned long int flags, void* desc,
                                        size_t* desc_size);
extern int utofu_prepare_get(utofu_vcq_hdl_t vcq_hdl, utofu_vcq_id_t rmt_vcq_id,
                             utofu_stadd_t lcl_stadd, utofu_stadd_t rmt_stadd, size_t length,
                             uint64_t edata, unsigned long int flags, void* desc,
                             size_t* desc_size);
extern int utofu_prepare_get_gap(utofu_vcq_hdl_t vcq_hdl, utofu_vcq_id_t rmt_vcq_id,
                                 utofu_stadd_t lcl_stadd, utofu_stadd_t rmt_stadd, size_t length,
                                 uint64_t edata, unsigned long int flags, size_t mtu, size_t gap,
                                 void* desc, size_t* desc_size);
extern int utofu_prepare_get_stride(utofu_vcq_hdl_t vcq_hdl, utofu_vcq_id_t rmt_vcq_id,
                                    utofu_stadd_t lcl_stadd, utofu_stadd_t rmt_stadd, size_t length,
                                    size_t stride, size_t num_blocks, uint64_t edata,
                                    unsigned long int flags, void* desc, size_t* desc_size);
extern int utofu_prepare_get_stride_gap(utofu_vcq_hdl_t vcq_hdl, utofu_vcq_id_t rmt_vcq_id,
                                        utofu_stadd_t lcl_stadd, utofu_stadd_t rmt_stadd,
                                        size_t length, size_t stride, size_t num_blocks,
                                        uint64_t edata, unsigned long int flags, size_t mtu,
                                        size_t gap, void* desc, size_t* desc_size);
extern int utofu_prepare_armw4(utofu_vcq_hdl_t vcq_hdl, utofu_vcq_id_t rmt_vcq_id,
                               enum utofu_armw_op armw_op, uint32_t op_value,
                               utofu_stadd_t rmt_stadd, uint64_t edata, unsigned long int flags,
                               void* desc, size_t* desc_size);
extern int utofu_prepare_armw8(utofu_vcq_hdl_t vcq_hdl, utofu_vcq_id_t rmt_vcq_id,
                               enum utofu_armw_op armw_op, uint64_t op_value,
                               utofu_stadd_t rmt_stadd, uint64_t edata, unsigned long int flags,
                               void* desc, size_t* desc_size);
extern int utofu_prepare_cswap4(utofu_vcq_hdl_t vcq_hdl, utofu_vcq_id_t rmt_vcq_id,
                                uint32_t old_value, uint32_t new_value, utofu_stadd_t rmt_stadd,
                                uint64_t edata, unsigned long int flags, void* desc,
                                size_t* desc_size);
extern int utofu_prepare_cswap8(utofu_vcq_hdl_t vcq_hdl, utofu_vcq_id_t rmt_vcq_id,
                                uint64_t old_value, uint64_t new_value, utofu_stadd_t rmt_stadd,
                                uint64_t edata, unsigned long int flags, void* desc,
                                size_t* desc_size);
extern int utofu_prepare_nop(utofu_vcq_hdl_t vcq_hdl, unsigned long int flags, void* desc,
                             size_t* desc_size);
/** Carries out commands that were prepared for this VCQ and stand one after the other: all, or none
 *  if there is an error. They stay as they are, to be posted again. All TCQ notices have this
 *  cbdata. UTOFU_ERR_INVALID_DESC: these are no commands, or another VCQ's. */
extern int utofu_post_toq(utofu_vcq_hdl_t vcq_hdl, void* desc, size_t desc_size, void* cbdata);

/** The next notice; UTOFU_ERR_NOT_FOUND if there is none. Of a command that failed, the return
 *  value tells, and cbdata or the notice which it was. */
extern int utofu_poll_tcq(utofu_vcq_hdl_t vcq_hdl, unsigned long int flags, void** cbdata);
extern int utofu_poll_mrq(utofu_vcq_hdl_t vcq_hdl, unsigned long int flags,
                          struct utofu_mrq_notice* notice);
extern int utofu_query_num_unread_tcq(utofu_vcq_hdl_t vcq_hdl, size_t* count);
extern int utofu_query_num_unread_mrq(utofu_vcq_hdl_t vcq_hdl, size_t* count);

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
