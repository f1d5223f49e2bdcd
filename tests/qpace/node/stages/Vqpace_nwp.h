// SPDX-License-Identifier: Apache-2.0
#pragma once
// The node with STAGES = 1 in place of the other: Vqpace_nwp is a macro there.
#include <Vqpace_nwp_stages.h>
