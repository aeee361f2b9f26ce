#!/usr/bin/env bash
# The registry of plugins is sorted by kind and name, and a bad plugin is refused with its location.
set -eu
tool=$(cd "$srcdir/tools" && pwd)/list-plugins
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"

# plugin FILE SYMBOL KIND NAME
plugin() {
	printf 'int before;\nconst struct plugin %s = {\n\t.kind = %s,\n\t.name = %s,\n};\n' "$2" "$3" "$4" >"$1"
}
order() {
	"$tool" "$@" | sed -n 's/^	&\(.*\),$/\1/p' | tr '\n' ' '
}

plugin a.c last '"network"' '"mesh"'
plugin b.c second '"arbiter"' '"round_robin"'
plugin c.c first '"arbiter"' '"age"'
[ "$(order a.c b.c c.c)" = 'first second last ' ]
[ "$(order c.c b.c a.c)" = 'first second last ' ]
[ "$(order /dev/null)" = '' ]

# Machines: sorted by name, their lines as they are, names that C can have.
machines=$(dirname "$tool")/list-machines
mkdir m
printf 'a: "b\\n"\t# ??/ \n' >m/b2.yaml
: >m/a.yaml
said=$("$machines" m/b2.yaml m/a.yaml)
[ "$(echo "$said" | sed -n 's/^	{"\([a-z0-9]*\)".*/\1/p' | tr '\n' ' ')" = 'a b2 ' ]
case $said in
*'	"a: \"b\\n\"\t# \?\?/ ",'*) ;;
*) echo "said: $said" && exit 1 ;;
esac
for name in 2 A a-b 'a b'; do
	if "$machines" "m/$name.yaml" >/dev/null 2>&1; then
		echo "accepted: $name" && exit 1
	fi
done

# refused TEXT FILE...: the tool fails and says TEXT.
refused() {
	local text=$1
	shift
	if said=$("$tool" "$@" 2>&1); then
		echo "accepted: $*" && exit 1
	fi
	case $said in
	*"$text"*) ;;
	*) echo "said: $said" && exit 1 ;;
	esac
}
plugin d.c twin '"arbiter"' '"age"'
refused 'd.c:2: a second plugin of kind "arbiter" named "age"; the first is at c.c:2' c.c d.c
plugin e.c unnamed '"arbiter"' AGE
refused 'e.c:2: plugin unnamed needs' e.c
echo '#define AGE "by age"' >e.h
[ "$(order e.c b.c e.h)" = 'unnamed second ' ]
refused 'named "by age"' e.c e.h <(sed s/unnamed/another/ e.c)
