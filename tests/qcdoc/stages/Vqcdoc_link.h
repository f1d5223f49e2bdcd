// SPDX-License-Identifier: Apache-2.0
// For the sources of link/, which see the link with STAGES under the other one's name.
#pragma once
#include <Vqcdoc_link_stages.h>
