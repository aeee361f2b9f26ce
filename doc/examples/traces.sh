# Writes traces of accesses: seq.trace reads lines in order, pingpong.trace two rows of a bank in
# turn, copy.din copies words 16 MB away.
set -eu
awk 'BEGIN { for (i = 0; i < 20000; i++) printf "R 0x%x\n", i * 64 }' >seq.trace
awk 'BEGIN { for (i = 0; i < 20000; i++)
	printf "R 0x%x\n", (100 + i % 2) * 65536 + int(i / 2) * 64 % 4096 }' >pingpong.trace
awk 'BEGIN { for (i = 0; i < 100000; i++) printf "0 %x\n1 %x\n", i * 4, i * 4 + 16777280 }' >copy.din
