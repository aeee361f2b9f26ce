#!/usr/bin/env bash
# Each claim of the papers has a row in papers/ or a line in doc/reproduce.md.
set -eu
cd "$srcdir"

missing=
for claim in $(seq -f 'M12-%03g' 87) $(seq -f 'DIS-%03g' 131) $(seq -f 'HAY-%03g' 23) \
	$(seq -f 'MEI-%03g' 32); do
	grep -rqw --include='*.c' --include='*.h' -- "$claim" papers || grep -qw -- "$claim" doc/reproduce.md ||
		missing="$missing $claim"
done
[ -z "$missing" ] || { echo "no row and no line:$missing" && exit 1; }
