#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Builds the machine in this folder, the Grid or a copy of it under another name, against a build tree of hypertorus and
# runs every command with it:
#   examples/machine/test.sh [BUILD_TREE [FOLDER]]
# BUILD_TREE is build/release of the tree that this folder lies in, unless given; what is missing there is built. FOLDER
# is where the machine is built, BUILD_TREE/NAME unless given. Prints what failed and exits with 1, or prints "ok". What
# the commands print is in FOLDER/test.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
fail() { echo "failed: $*" && exit 1; }
name=$(sed -n 's/^ *\.name = "\([a-z0-9_-]*\)",$/\1/p' "$here/description.cpp")
[ -n "$name" ] || fail "$here/description.cpp has no line .name = \"NAME\","
tree=${1:-$here/../../build/release}
[ -e "$tree/CMakeCache.txt" ] || fail "$tree is no build tree of hypertorus; say which one is: test.sh BUILD_TREE"
tree=$(cd "$tree" && pwd)
source=$(sed -n 's/^CMAKE_HOME_DIRECTORY:INTERNAL=//p' "$tree/CMakeCache.txt")
folder=${2:-$tree/$name}

# quiet COMMAND...: what it prints is shown only if it fails.
quiet() {
  local output
  output=$("$@" 2>&1) || { echo "$output" && fail "$*"; }
}
quiet cmake --build "$tree" -j "${JOBS:-2}" --target hypertorus command-exec command-inject ht_node report
# A folder keeps the generator that it was configured with.
[ -e "$folder/CMakeCache.txt" ] || generator="-G Ninja"
# shellcheck disable=SC2086  # an option and its argument, or neither
quiet cmake -S "$here" -B "$folder" ${generator:-} -DHYPERTORUS_BUILD="$tree"
rm -f "$folder"/hypertorus-*.so  # of an earlier name
quiet cmake --build "$folder" -j "${JOBS:-2}"
folder=$(cd "$folder" && pwd)
for part in machine campaign; do
  [ -e "$folder/hypertorus-$part-$name.so" ] ||
    fail "description.cpp calls the machine $name, but CMakeLists.txt builds no hypertorus-$part-$name.so"
done
out=$folder/test
rm -rf "$out" && mkdir -p "$out"
export HYPERTORUS_MACHINES=$folder
cd "$out"

# check NAME TEXT COMMAND...: the command ends well, and prints TEXT.
check() {
  local file=$1.txt text=$2
  shift 2
  "$@" > "$file" 2>&1 && grep -q -- "$text" "$file" && return
  fail "$* (see $out/$file)"
}
solve() { check "$1" "bit-exact" "$tree/bin/hypertorus" run "$name" --lattice 4x4x4x4 --tolerance 1e-6 "${@:2}"; }

for seed in 1 2 3 4; do
  solve "run$seed" --seed "$seed" --ber 1e-5 --bursts 5 --lost 5 --doubled 5 --stuck 3 --exchanged 3 --pulled 2 \
    --error-span 200us --random-phases
done
solve ring --nodes 4x1 --ber 1e-5
solve threads --threads 2 --no-skip --seed 1
solve files --lost 3 --json run.json --report report.html --pcap frames --trace waves --trace-to 60us --trace-nodes 0,1
for file in run.json report.html frames.pcapng waves.node0.fst waves.node1.gtkw; do
  [ -s "$file" ] || fail "$out/$file is not there, or empty"
done
for program in hello ping_pong halo_exchange; do
  "$tree/bin/hypertorus-cc" -O2 "$source/examples/$program.c" -o "$program"
done
check hello "of 4" "$tree/bin/hypertorus" exec "$name" -- ./hello
check ping_pong "" "$tree/bin/hypertorus" exec "$name" --nodes 2 --lost 3 -- ./ping_pong 4100
check halo_exchange "" "$tree/bin/hypertorus" exec "$name" --ber 1e-5 -- ./halo_exchange 4 4 4 4
! "$tree/bin/hypertorus" run "$name" --memory-latency 20ns > memory.txt 2>&1 && grep -q "has no model" memory.txt ||
  fail "--memory-latency of a machine without a model of memory (see $out/memory.txt)"
check inject "delivered" "$tree/bin/hypertorus" inject "$name" --runs 50
echo ok
