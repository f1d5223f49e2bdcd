/* SPDX-License-Identifier: Apache-2.0
 *
 * Long transfers over several network interfaces and paths at once ([Tofu2012] section 4.1). Ours:
 * no part of the published uTofu.
 */
#ifndef HT_SW_TOFU_UTOFU_SPLIT_H
#define HT_SW_TOFU_UTOFU_SPLIT_H

#include "utofu.h"

#ifdef __cplusplus
extern "C" {
#endif

/** utofu_put() of `length` bytes in `ways` parts, about equally long: part i by VCQ i of this node,
 *  to VCQ i of the other, with both of which the whole memory is registered. Paths in the remote
 * ids do not count: parts share no link as long as there are such paths. Every part has notices as
 *  `flags` say, even if no bytes are left for it; they come in any order. After an error nothing
 * was sent. UTOFU_ERR_INVALID_NUMBER: no ways; UTOFU_ERR_INVALID_VCQ_HDL: a VCQ twice;
 *  UTOFU_ERR_INVALID_VCQ_ID: VCQs of several nodes. */
extern int utofu_put_split(size_t ways, const utofu_vcq_hdl_t vcq_hdls[],
                           const utofu_vcq_id_t rmt_vcq_ids[], const utofu_stadd_t lcl_stadds[],
                           const utofu_stadd_t rmt_stadds[], size_t length, uint64_t edata,
                           unsigned long int flags, void* cbdata);

#ifdef __cplusplus
}
#endif
#endif
