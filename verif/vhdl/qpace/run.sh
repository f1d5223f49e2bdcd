#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Runs a bench in GHDL, in a directory that is thrown away:
#   run.sh bench_wire
#   run.sh bench_twins -gSEED=7 -gPACKETS=500 --wave=/tmp/twins.ghw
# Exit code 0 only if the bench says that all is well.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
if ! command -v ghdl > /dev/null; then
  echo "ghdl was not found (Debian: apt install ghdl)" >&2
  exit 2
fi
top=${1:?the bench to be run: bench_wire or bench_twins}
shift
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
sed 's/$/.vhd/' "$here/sources.list" > "$work/files"
(cd "$here" && xargs ghdl -a --std=08 --workdir="$work" < "$work/files")
# numeric_std complains of what is undefined before the reset
if ! ghdl --elab-run --std=08 --workdir="$work" "$top" --assert-level=error --ieee-asserts=disable-at-0 "$@" \
    > "$work/log" 2>&1; then
  cat "$work/log" >&2
  exit 1
fi
cat "$work/log"
grep -q "all is well" "$work/log"
