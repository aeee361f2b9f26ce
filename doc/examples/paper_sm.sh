# paper_sm.sh WORKLOAD CONFLICTS DESIGN: cycles of the SM of MICRO 2012.
set -eu
warpbeam run "$1" --set chip.sms=1 --set chip.channels=1 --set chip.slices=1 --set chip.bytes_per_ns=8 \
	--set chip.network=ideal --set l2.bytes=0 --set sm.invalidate_l1=false --set sm.scheduler=two_level \
	--set sm.two_level.active_warps=8 --set rf.hierarchy=software --set rf.entries=4 --set rf.lrf=1 \
	--set sm.bank_conflicts="$2" --set chip.storage="$3" | awk '/^time  *elapsed/ { cycles = $(NF - 1) } END { print cycles }'
