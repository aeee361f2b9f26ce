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

"${MAKE:-make}" -s -C "$build" -o warpbeam -o build-id.c deb "debdir=$scratch/made" >"$scratch/log" 2>&1 || {
	cat "$scratch/log"
	fail "make deb"
}
package=$(echo "$scratch"/made/warpbeam_*.deb)
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

# A bare root has only what Depends names, and what that depends on; dpkg installs the package there.
if [ "$(id -u)" != 0 ] || ! command -v chroot >/dev/null; then
	echo 'deb: only root can install it in a bare root'
	exit 0
fi
names() { # of "a (>= 1), b:any | c", one a line
	tr ',|' '\n\n' | sed 's/(.*//; s/:any//; s/ //g; /^$/d'
}
closure() {
	local todo seen=' ' one
	mapfile -t todo
	while [ ${#todo[@]} -gt 0 ]; do
		one=${todo[0]}
		todo=("${todo[@]:1}")
		[[ $seen != *" $one "* ]] || continue
		[[ $(dpkg-query -W -f '${db:Status-Abbrev}' "$one" 2>/dev/null) == ii* ]] || continue
		seen+="$one "
		echo "$one"
		mapfile -t -O ${#todo[@]} todo < <(dpkg-query -W -f '${Pre-Depends},${Depends}\n' "$one" | names)
	done
}
bare=$scratch/bare
mkdir -p "$bare"/usr/{bin,sbin,lib,lib64} "$bare/var/lib/dpkg/info" "$bare/var/lib/dpkg/updates" "$bare/tmp"
for folder in bin sbin lib lib64; do
	ln -s "usr/$folder" "$bare/$folder"
done
for needed in $(dpkg-deb --field "$package" Depends | names | closure); do
	dpkg-query -s "$needed" >>"$bare/var/lib/dpkg/status" && echo >>"$bare/var/lib/dpkg/status"
	dpkg-query -L "$needed" | while read -r file; do
		[ -d "$file" ] && [ ! -L "$file" ] || echo ".$file"
	done
done >"$scratch/files"
tar -C / --no-recursion -T "$scratch/files" -cf - 2>"$scratch/tar" | tar -C "$bare" --keep-directory-symlink -xf - ||
	fail "cannot make a bare root"
dpkg --root="$bare" --install "$package" >"$scratch/log" 2>&1 || {
	cat "$scratch/log"
	fail "dpkg does not install it"
}
chroot "$bare" /usr/bin/warpbeam run vectoradd --set vectoradd.n=32 --set chip.sms=1 --quiet ||
	fail "its program does not run in a bare root"
chroot "$bare" /usr/bin/warpbeam run vectoradd --quiet --serve 2>"$scratch/log"
grep -q 'libmicrohttpd' "$scratch/log" || fail "--serve does not say what it needs"
