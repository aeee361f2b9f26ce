# alike.sh CTAS_PER_SM MSHRS: cycles of `stream` on one SM with 8 B/ns, on 32 SMs with a channel of
# 8 B/ns each, and on 32 SMs that share six channels of 42.67 B/ns; ideal network, no L2.
set -eu
work() {
	cat >alike.yaml <<YAML
set: { chip.network: ideal, l2.bytes: 0, l1.mshrs: $2 }
buffers: { in: { bytes: $(($1 * 65536)) }, out: { bytes: $(($1 * 1024)) } }
launches:
  - { module: doc/examples/memory.ptx, kernel: stream, grid: $1, block: 256,
      args: [ {buffer: in}, {buffer: out}, {u32: 16}, {u32: $(($1 * 4096))} ] }
YAML
}
cycles() {
	warpbeam run alike.yaml "$@" | awk '/^time  *elapsed/ { cycles = $(NF - 1) } END { print cycles }'
}
work "$1" "$2"
one=$(cycles --set chip.sms=1 --set chip.channels=1 --set chip.slices=1 --set chip.bytes_per_ns=8)
work $((32 * $1)) "$2"
echo "$*: $one $(cycles --set chip.even_share=true) $(cycles)"
