#!/usr/bin/env bash
# Workloads pass their checks with few registers, wherever spilled values are: in local memory, or in
# slots of shared memory under each of the three stacks, with 32-bit and 64-bit addresses. On the
# executor; WORKLOADS names others, WORKLOADS=all is every one.
set -u
warpbeam=${WARPBEAM:-./warpbeam}
bad=0

check() { # WORKLOAD SETTING...
	if ! said=$("$warpbeam" exec "$@" 2>&1) || [[ $said != *"check: passed"* ]]; then
		printf 'exec %s: %s\n' "$*" "$said" | tail -3
		bad=1
	fi
}

names=${WORKLOADS:-particles dxtc hotspot mriq}
[ "$names" != all ] || names=$("$warpbeam" list | sed -n 's/^\([a-z0-9_]*\): .*/\1/p')
for name in $names; do
	for bits in 32 64; do
		for regs in 24 32 40 63; do
			check "$name" --ptx $bits --regs $regs
			for stack in moving register traditional; do
				check "$name" --ptx $bits --regs $regs --slots 8 --set gpu.spill_stack=$stack
			done
		done
	done
done
exit $bad
