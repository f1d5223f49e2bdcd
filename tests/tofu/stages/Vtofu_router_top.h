// SPDX-License-Identifier: Apache-2.0
// For the sources of router/ and of the bench, which see the router with STAGES under the other one's name.
#pragma once
#include <Vtofu_router_stages.h>
