# registers.sh WORKLOAD ADDRESS_BITS: each kernel's registers per thread.
set -eu
warpbeam run "$1" --ptx "$2" | awk '/^kernel/ { on = 1; next } !NF && on { exit } on { print $5 }'
