#!/usr/bin/env bash
# make deb: a package whose program runs a workload where it is unpacked, with what it depends on named.
set -u
for tool in dpkg-deb dpkg-shlibdeps strip; do
	if ! command -v $tool >/dev/null; then
		echo "deb: skipped: there is no $tool"
		exit 77
	fi
done
build=$(cd "$(dirname "${WARPBEAM:-./warpbeam}")" && pwd) || exit 1
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
unset WARPBEAM_DATADIR WARPBEAM_LIBDIR MAKEFLAGS MFLAGS MAKELEVEL

fail() {
	echo "deb: $*"
	exit 1
}

"${MAKE:-make}" -s -C "$build" -o warpbeam -o build-id.c deb "debdir=$scratch" >"$scratch/log" 2>&1 || {
	cat "$scratch/log"
	fail "make deb"
}
package=$(echo "$scratch"/warpbeam_*.deb)
[ -f "$package" ] || fail "no package"
[[ $(dpkg-deb --field "$package" Depends) == *libc6* ]] || fail "depends on no libc6"
dpkg-deb --extract "$package" "$scratch/root" || fail "does not unpack"
(cd "$scratch/root" && md5sum --quiet -c <(dpkg-deb --ctrl-tarfile "$package" | tar -xO ./md5sums)) ||
	fail "md5sums are of other files"
"$scratch/root/usr/bin/warpbeam" run vectoradd --set vectoradd.n=32 --set chip.sms=1 --quiet --html "$scratch/page.html" ||
	fail "its program does not run"
grep -q 'Leon Sorokin' "$scratch/root/usr/share/doc/warpbeam/copyright" || fail "uPlot's licence is not named"
if command -v lintian >/dev/null; then
	lintian --fail-on error,warning "$package" || fail "lintian"
fi
