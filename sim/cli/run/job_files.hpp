// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "sw/dirac/job.hpp"
#include "sw/net/tftp_server.hpp"

namespace ht::cli {

/// The files that the server at the other end of the nodes' Ethernet has for a job: "boot", and the
/// field's boxes (sw/dirac/boot.hpp).
net::FileSource job_files(const dirac::JobSpec& spec);

}  // namespace ht::cli
