// SPDX-License-Identifier: Apache-2.0
#pragma once
// The node with ports of 32 bytes in place of the other: Vqpace_nwp is a macro there.
#include <Vqpace_nwp_32.h>
