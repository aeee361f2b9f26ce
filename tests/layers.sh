#!/usr/bin/env bash
# The layers hold, and tools/check-layers can fail.
set -eu
tools=$(cd "$srcdir/tools" && pwd)
"$tools/check-layers"

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mkdir -p "$scratch/tools" "$scratch/core" "$scratch/mem" "$scratch/noc" "$scratch/ptx/ir" "$scratch/ptx/exec" "$scratch/runs" "$scratch/papers/m12" "$scratch/runs/probe" "$scratch/odd"
cp "$tools/check-layers" "$scratch/tools"

# refuses FILE INCLUDE: one file with one include must be named as a breach.
refuses() {
	echo "#include $2" >"$scratch/$1"
	if said=$("$scratch/tools/check-layers"); then
		echo "$1 may include $2?"
		exit 1
	fi
	case $said in
	"$1:1: "*) ;;
	*) echo "the breach in $1 is reported as: $said" && exit 1 ;;
	esac
	rm "$scratch/$1"
}
refuses core/up.c '"mem/cache.h"'
refuses noc/beside.c '"dram/channel.h"'
refuses mem/bare.c '"cache.h"'
refuses mem/stranger.c '"odd/thing.h"'
refuses mem/loop.c '<ev.h>'
refuses ptx/ir/timed.c '"core/sim.h"'
refuses ptx/ir/uphill.c '"ptx/alloc/spill.h"'
refuses ptx/exec/sideways.c '"ptx/ir/ir.h"'
refuses ptx/homeless.c '<stdio.h>'
refuses mem/curious.c '"ptx/ir/ir.h"'
refuses runs/up.c '"cli/options.h"'
refuses papers/m12/beside.c '"papers/dissertation/dis.h"'
refuses runs/probe/seeing.c '"chip/chip.h"'
refuses runs/probe/beside.c '"runs/session.h"'
refuses runs/probe/configured.c '"core/config.h"'
refuses odd/homeless.c '<stdio.h>'
