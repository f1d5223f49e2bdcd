#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Builds the Grid against a build tree of hypertorus and runs every command with it:
#   examples/machine/test.sh BUILD_TREE [FOLDER]
# Prints what failed and exits with 1, or prints "ok". What the commands print is in FOLDER/test.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
tree=$(cd "$1" && pwd)
grid=${2:-$tree/grid}
cmake -S "$here" -B "$grid" -G Ninja -DHYPERTORUS_BUILD="$tree" > /dev/null
cmake --build "$grid" -j "${JOBS:-2}" > /dev/null
grid=$(cd "$grid" && pwd)
out=$grid/test
rm -rf "$out" && mkdir -p "$out"
export HYPERTORUS_MACHINES=$grid
cd "$out"

# check NAME TEXT COMMAND...: the command ends well, and prints TEXT.
check() {
  local name=$1 text=$2
  shift 2
  "$@" > "$name.txt" 2>&1 && grep -q -- "$text" "$name.txt" && return
  echo "failed: $* (see $out/$name.txt)" && exit 1
}
grid_run() { check "$1" "bit-exact" "$tree/bin/hypertorus" run grid --lattice 4x4x4x4 --tolerance 1e-6 "${@:2}"; }

for seed in 1 2 3 4; do
  grid_run "run$seed" --seed "$seed" --ber 1e-5 --bursts 5 --lost 5 --doubled 5 --stuck 3 --exchanged 3 --pulled 2 \
    --error-span 200us --random-phases
done
grid_run ring --nodes 4x1 --ber 1e-5
grid_run threads --threads 2 --no-skip --seed 1
grid_run files --lost 3 --json run.json --report report.html --pcap frames --trace waves --trace-to 60us \
  --trace-nodes 0,1
for file in run.json report.html frames.pcapng waves.node0.fst waves.node1.gtkw; do
  [ -s "$file" ] || { echo "failed: $out/$file is not there, or empty"; exit 1; }
done
for program in hello ping_pong halo_exchange; do
  "$tree/bin/hypertorus-cc" -O2 "$here/../$program.c" -o "$program"
done
check hello "of 4" "$tree/bin/hypertorus" exec grid -- ./hello
check ping_pong "" "$tree/bin/hypertorus" exec grid --nodes 2 --lost 3 -- ./ping_pong 4100
check halo_exchange "" "$tree/bin/hypertorus" exec grid --ber 1e-5 -- ./halo_exchange 4 4 4 4
! "$tree/bin/hypertorus" run grid --memory-latency 20ns > memory.txt 2>&1 && grep -q "has no model" memory.txt ||
  { echo "failed: --memory-latency of a machine without a model of memory (see $out/memory.txt)"; exit 1; }
check inject "delivered" "$tree/bin/hypertorus" inject grid --runs 50
echo ok
