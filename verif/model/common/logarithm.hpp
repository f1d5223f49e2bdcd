// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace ht::model {

/// -ln(x) for 0 < x <= 1 by basic arithmetic only, so that every computer gets the same bits
/// (libm's logarithms differ between them); relative error below 1e-14.
double minus_log(double x);
/// -ln(1 - p) for 0 <= p < 1, also where p is tiny.
double minus_log_1m(double p);

}  // namespace ht::model
