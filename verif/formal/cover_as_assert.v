// SPDX-License-Identifier: Apache-2.0
// A cover as an assertion of the opposite: what refutes it is a way to reach it.
(* techmap_celltype = "$cover" *)
module cover_as_assert (input A, input EN);
    \$assert _TECHMAP_REPLACE_ (.A(!A), .EN(EN));
endmodule
