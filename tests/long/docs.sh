#!/usr/bin/env bash
# Runs the examples of the documents.
#
#   WARPBEAM=build/warpbeam srcdir=. tests/long/docs.sh [README.md doc/guide.md ...]   all documents, or those named
#
# A line that is such a comment, before a fenced block, asks for it:
#
#   <!-- run -->                the block is a shell script; it must succeed. The blocks of one document run
#                               in order, in one folder that has only doc/examples, with warpbeam on the PATH
#   <!-- says -->               the run before printed these lines, in this order, perhaps with others between
#                               them; ... means any text, blanks and blank lines do not count
#   <!-- file: PATH -->         the block is a file; it is written there, in that folder
#   <!-- compile: PATH -->      the block is a source file of warpbeam; it must compile without a warning, and
#                               the runs after it have a warpbeam with its parts; or it is a machine
#   <!-- after: PATH TEXT -->   in the warpbeam of the runs after it the block follows the line of
#                               PATH that starts with TEXT; `instead` replaces that line
#   <!-- needs: NAME -->        the document's examples are left out where config.h does not define HAVE_NAME
set -u
top=$(cd "$srcdir" && pwd)
build=$(cd "$(dirname "$WARPBEAM")" && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
PATH=$scratch/bin:$build:$PATH
unset WARPBEAM_DATADIR
export COLUMNS=250 # documents quote tables as they are on a wide terminal
warnings='-Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror'
failed=0
ran=0

# Prints, for each asked-for block, the file it was saved to, its line, then what to do with it.
blocks() {
	awk -v out="$scratch/block" '
		/^<!-- (run|says|file: [^ ]+|compile: [^ ]+|(after|instead): [^ ]+ .+) -->$/ {
			asked = substr($0, 6, length($0) - 9)
			asked_at = FNR
			next
		}
		/^```/ && open { close(open); open = ""; next }
		/^```/ && !fence && asked != "" {
			open = out FNR
			printf "" >open
			print open, FNR, asked
			asked = ""
			next
		}
		/^```/ { fence = !fence; next }
		open { print >open }
		!open && NF && asked != "" {
			print "-", asked_at, "orphan"
			asked = ""
		}' "$1"
}

# A variable of the build's Makefile.
value() {
	sed -n "s/^$1 = *//p" "$build/Makefile" | head -n 1
}

# object SOURCE NAME FLAG...: compiles for this build, with the document's files before the tree's.
object() {
	local source=$1 name=$2
	shift 2
	# shellcheck disable=SC2046,SC2086
	${CC:-cc} -std=gnu11 $(value CFLAGS) -include "$build/config.h" "$@" -I"$scratch/work" -I"$top" \
		-c -o "$scratch/objects/$name.o" "$source"
}

# Puts the lines of file $1 into a copy of the tree's file $2 behind the line that starts with $4, or
# (act $3) instead of it.
insert() {
	local to=$scratch/work/$2
	[ -e "$to" ] || { mkdir -p "$(dirname "$to")" && cp "$top/$2" "$to" && chmod u+w "$to"; } || return
	TEXT=$4 awk -v lines="$1" -v act="$3" '
		index($0, ENVIRON["TEXT"]) == 1 {
			found++
			if (act == "after:")
				print
			while ((getline line <lines) > 0)
				print line
			next
		}
		{ print }
		END { exit found != 1 }' "$to" >"$scratch/changed" && cp "$scratch/changed" "$to" &&
		read_by "${2%/*}" >>"$scratch/folders"
}

# The folders that read a folder's tables: of one in ptx/ all subfolders there.
read_by() {
	case $1 in
	ptx/*) (cd "$top" && ls -d ptx/*/ | sed 's,/$,,') ;;
	*) echo "$1" ;;
	esac
}

# Compiles the folders whose files a document changed, without the lane kernels' higher levels.
compile_folders() {
	local folder source level
	printf '#undef HAVE_LANES_X86_64_V3\n#undef HAVE_LANES_X86_64_V4\n' >"$scratch/plain.h"
	while read -r folder; do
		for source in "$top/$folder"/*.c; do
			level=
			grep -q LANES_LEVEL "$source" && level=-DLANES_LEVEL=baseline
			object "$source" "${folder//\//_}_$(basename "$source" .c)" -O0 -include "$scratch/plain.h" \
				$level || return
		done
	done < <(sort -u "$scratch/folders")
	: >"$scratch/folders"
}

# Makes a warpbeam out of this build and what the document has added to it.
link_program() {
	[ -e "$scratch/added" ] || return 0
	rm "$scratch/added"
	compile_folders || return
	(cd "$top" && find core msg ptx mem noc dram sm chip workloads "$scratch/work" -name '*.[ch]' \
		-exec tools/list-plugins {} +) >"$scratch/plugins.c" &&
		object "$scratch/plugins.c" plugins &&
		(cd "$top" && shopt -s nullglob && tools/list-machines machines/*.yaml "$scratch"/work/machines/*.yaml) \
			>"$scratch/machines.c" && object "$scratch/machines.c" machines &&
		cp "$build/source-tree" "$scratch/bin/" &&
		# shellcheck disable=SC2046,SC2086
		${CC:-cc} $(value CFLAGS) $(value LDFLAGS) $(value PTHREAD_CFLAGS) -o "$scratch/bin/warpbeam" \
			"$build"/cli/warpbeam-main.o "$scratch"/objects/*.o "$build"/libcli.a "$build"/libwarpbeam.a \
			$(value YAML_LIBS) $(value JANSSON_LIBS) $(value HWLOC_LIBS) \
			$(value SQLITE_LIBS) $(value ZSTD_LIBS) $(value LZ4_LIBS) $(value EV_LIBS) $(value LIBS)
}

# The lines of file $1 are in what the last run printed.
said() {
	awk -v output="$scratch/output" '
		function matches(text, pattern,    n, part, i, at) {
			n = split(pattern, part, /\.\.\./)
			if (index(text, part[1]) != 1)
				return 0
			text = substr(text, length(part[1]) + 1)
			for (i = 2; i <= n; i++) {
				if (i == n && part[i] != "")
					return length(text) >= length(part[i]) &&
						substr(text, length(text) - length(part[i]) + 1) == part[i]
				at = index(text, part[i])
				if (part[i] != "" && !at)
					return 0
				text = substr(text, at + length(part[i]))
			}
			return n > 1 || text == ""
		}
		function squeeze(line) {
			gsub(/[ \t]+/, " ", line)
			gsub(/^ | $/, "", line)
			return line
		}
		BEGIN {
			while ((getline line <output) > 0)
				text[++n] = squeeze(line)
			at = 1
		}
		NF {
			while (at <= n && !matches(text[at], squeeze($0)))
				at++
			if (at++ > n) {
				print "missing, or not in this order: " $0
				exit 1
			}
		}' "$1" && return
	echo "the run before said:"
	cat "$scratch/output"
	return 1
}

# act BLOCK ACT PATH TEXT
act() {
	case $2 in
	run)
		link_program || return
		(cd "$scratch/work" && bash -eu -o pipefail "$1") >"$scratch/output" 2>&1 </dev/null && return
		cat "$scratch/output"
		return 1
		;;
	says) said "$1" ;;
	file:) mkdir -p "$(dirname "$scratch/work/$3")" && cp "$1" "$scratch/work/$3" ;;
	compile:)
		mkdir -p "$(dirname "$scratch/work/$3")" && cp "$1" "$scratch/work/$3" &&
			: >"$scratch/added" && { [ "${3##*.}" = yaml ] || object "$scratch/work/$3" "added_$(echo "$3" | tr / _)" $warnings; }
		;;
	after: | instead:)
		: >"$scratch/added"
		insert "$1" "$3" "$2" "$4" || { echo "not exactly one line of $3 starts with: $4" && false; }
		;;
	*) echo 'no fenced block follows' && false ;;
	esac
}

documents=$(cd "$top" && find . -name '.?*' -prune -o -name 'warpbeam-*' -prune -o -name '*.md' -print | sort)
for document in ${*:-$documents}; do
	[ -f "$top/$document" ] || { echo "there is no $document" && failed=1 && continue; }
	needs=$(sed -n 's/^<!-- needs: \([A-Z]*\) -->$/\1/p' "$top/$document")
	if [ -n "$needs" ] && ! grep -q "^#define HAVE_$needs 1" "$build/config.h"; then
		echo "$document: left out: this build has no $needs"
		continue
	fi
	rm -rf "$scratch/work" "$scratch/bin" "$scratch/objects" "$scratch/added"
	mkdir -p "$scratch/work/doc" "$scratch/bin" "$scratch/objects"
	cp -r "$top/doc/examples" "$scratch/work/doc/" && chmod -R u+w "$scratch/work/doc"
	: >"$scratch/folders"
	: >"$scratch/output"
	while read -r block line what path text; do
		ran=$((ran + 1))
		act "$block" "$what" "${path-}" "${text-}" >"$scratch/complaint" 2>&1 && continue
		echo "$document:$line: the example fails ($what ${path-}):"
		sed 's/^/    /' "$scratch/complaint"
		failed=1
	done < <(blocks "$top/$document")
done
echo "$ran examples"
exit $failed
