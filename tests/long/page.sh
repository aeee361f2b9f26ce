#!/usr/bin/env bash
# Pages in a browser, wide and narrow, light and dark: no error, no request, no line wider than the window; tables
# sort and filter, the list chooses a kernel, plots zoom, a CUDA line leads to its PTX and code.
set -u
warpbeam=$(cd "$(dirname "${WARPBEAM:-./warpbeam}")" && pwd)/$(basename "${WARPBEAM:-./warpbeam}")
browser=
for name in chromium chromium-browser google-chrome; do
	! command -v $name >/dev/null || browser=$name
done
if [ -z "$browser" ]; then
	echo 'page: skipped: there is no chromium'
	exit 77
fi
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 1

"$warpbeam" run bfs --set bfs.n=2000 --quiet --html run.html || exit 1
"$warpbeam" profile bfs --set bfs.n=2000 --quiet --html profile.html || exit 1
"$warpbeam" run bfs --max-cycles 2000 --quiet --html stopped.html 2>err
"$warpbeam" explain vectoradd --html explain.html >out || exit 1
"$warpbeam" reproduce table6 bfs --set bfs.n=500 --quiet --html table6.html || exit 1
"$warpbeam" probe --set chip.sms=1 --set storage.partitioned.cache_bytes=4K --set l1.set_hash=modulo \
	--set l1.ways=4 --only l1 --quiet --html probe.html || exit 1
target='"size": "small", "code": 0, "check": "passed", "launches": 1, "us": {"median": 30}, "clock_before":
	{"mhz": 900, "empty_launch_us": 2}, "clock_after": {"mhz": 1100, "empty_launch_us": 3}'
cat >gpu.json <<END
{"schema": "warpbeam-hardware/1", "date": "2026-01-31", "seed": 1, "stand_in": false, "gpu": {"name": "a GPU"},
"targets": [{"target": "vectoradd", "set": [], $target},
{"target": "vectoradd", "set": ["vectoradd.n=4000"], $target}]}
END
"$warpbeam" compare --hardware gpu.json --chip m12 --set chip.sms=2 --quiet --html hardware.html || exit 1

# What is noticed from the first byte on, and what is done when the page is there.
cat >watch <<'END'
<script>var wrong = [];
window.onerror = function (what) { wrong.push(String(what)); };
console.error = console.warn = function (what) { wrong.push(String(what)); };
document.addEventListener("securitypolicyviolation", function (e) { wrong.push("asks for " + e.blockedURI); });
</script>
END
cat >act <<'END'
<script>window.addEventListener("load", function () {
var said = [];
function all(what, from) { return Array.prototype.slice.call((from || document).querySelectorAll(what)); }
function check(good, name) { if (!good) said.push(name); }
function column(table, at) {
	return Array.prototype.map.call(table.tBodies[0].rows, function (r) {
		return parseFloat((r.cells[at].getAttribute("data-v") || r.cells[at].textContent || "0").replace(/,/g, "")) || 0;
	});
}
function sorted(values, up) {
	return values.every(function (v, i) { return !i || (up ? values[i - 1] <= v : values[i - 1] >= v); });
}
function tables() {
	all("table.data").forEach(function (table) {
		if (table.tBodies[0].rows.length < 2 || !table.offsetParent) return;
		all("thead th", table).forEach(function (th, at) {
			var button = th.querySelector("button");
			if (!button || th.className === "w") return;
			button.click();
			check(th.getAttribute("aria-sort") === "descending" && sorted(column(table, at), false),
				table.caption.textContent + ": " + th.textContent + " does not sort");
			button.click();
			check(th.getAttribute("aria-sort") === "ascending" && sorted(column(table, at), true),
				table.caption.textContent + ": " + th.textContent + " does not sort upwards");
		});
	});
	all("th").forEach(function (th) {
		check(th.hasAttribute("scope") || th.closest(".uplot"), "a heading without scope: " + th.textContent);
	});
	all("input[type=search]").forEach(function (input) {
		input.value = "no row has these words";
		input.dispatchEvent(new Event("input"));
		check(/^0 of/.test(input.parentNode.textContent), "a filter shows all");
		input.value = "";
		input.dispatchEvent(new Event("input"));
	});
}
function parts() {
	var choice = document.getElementById("part");
	if (!choice) return;
	all("option", choice).forEach(function (o) {
		choice.value = o.value;
		choice.dispatchEvent(new Event("change"));
		check(all("section.part").filter(function (s) { return s.offsetParent; }).map(function (s) { return s.id; }).join()
			=== o.value, "the list does not choose " + o.textContent);
	});
}
function zooms() {
	var plot = document.querySelector("svg.plot-time svg"), before, ticks;
	if (!plot) return;
	before = plot.getAttribute("viewBox");
	ticks = all("text.tick", plot.parentNode)[4].textContent;
	document.querySelector(".zoom button").click();
	check(plot.getAttribute("viewBox") !== before && all("text.tick", plot.parentNode)[4].textContent !== ticks,
		"plots do not zoom");
	plot.parentNode.dispatchEvent(new KeyboardEvent("keydown", {key: "0"}));
	check(all("text.tick", plot.parentNode)[4].textContent === ticks, "the key 0 does not show all");
}
function themes() {
	var button = document.getElementById("theme"), colours = [];
	if (!button) return;
	for (var i = 0; i < 3; i++) {
		button.click();
		colours.push(getComputedStyle(document.body).backgroundColor);
	}
	check(colours[0] !== colours[1], "light and dark are one");
	check(colours[2] === colours[DARK], "the page is not as the browser is");
}
function width() {
	check(document.documentElement.scrollWidth <= window.innerWidth,
		"wider than the window: " + document.documentElement.scrollWidth + " of " + window.innerWidth);
}
function links(then) {
	var cuda = document.querySelector("a[href^='#k0p']"), code;
	if (!cuda) return then();
	cuda.click();
	setTimeout(function () {
		var row = document.getElementById(cuda.getAttribute("href").slice(1));
		check(row && row.offsetParent, "a CUDA line does not lead to PTX");
		code = row.querySelector("a[href^='#k0i']");
		check(code, "a PTX line has no code");
		code.click();
		setTimeout(function () {
			row = document.getElementById(code.getAttribute("href").slice(1));
			check(row && row.offsetParent && row.closest("details").open, "a PTX line does not lead to its code");
			then();
		}, 50);
	}, 50);
}
width();
tables();
parts();
zooms();
themes();
if (document.querySelector("figure.chart")) check(document.querySelector("figure.chart canvas"), "no curves");
links(function () {
	width();
	check(!performance.getEntriesByType("resource").length, "something was requested");
	parent.postMessage(said.concat(wrong).join("\n") || "all is well", "*");
});
});</script>
END

bad=0
# browse PAGE WIDTH DARK: the page in a frame of that width says what is wrong with it.
browse() {
	sed -e '/<\/title>/r watch' "$1" >framed.html
	sed "s/colours\[DARK\]/colours[$3]/" act >>framed.html
	cat >frame.html <<END
<!DOCTYPE html><pre id="said">it says nothing</pre><iframe src="framed.html" width="$2" height="900"></iframe>
<script>window.onmessage = function (e) { document.getElementById("said").textContent = e.data; };</script>
END
	dark=
	[ "$3" = 0 ] || dark=--blink-settings=preferredColorScheme=0
	timeout 120 $browser --headless --no-sandbox --disable-gpu --user-data-dir="$scratch/user" --window-size=1500,1000 \
		--virtual-time-budget=20000 $dark --dump-dom "file://$scratch/frame.html" >dom 2>browser
	said=$(sed -n '/<pre id="said">/{:more;/<\/pre>/!{N;b more};s/.*<pre id="said">//;s/<\/pre>.*//;p}' dom)
	if [ "$said" != 'all is well' ]; then
		printf '%s, %s wide, %s:\n%s\n' "$1" "$2" "${dark:-light}" "$said"
		bad=1
	fi
}

browse profile.html 1400 0
browse profile.html 1400 1
browse profile.html 400 0
browse profile.html 400 1
# live COMMAND: its page, served while it runs, shows what it does; then it is stopped.
live() {
	"$warpbeam" "$@" --quiet --serve 2>err &
	pid=$!
	for _ in $(seq 100); do
		url=$(grep -o 'http://[^ ]*' err) && break
		sleep 0.1
	done
	timeout 120 $browser --headless --no-sandbox --disable-gpu --user-data-dir="$scratch/user" --window-size=500,1000 \
		--virtual-time-budget=6000 --dump-dom "$url" >dom 2>browser
	if ! grep -q 'data-seen=' dom || ! grep -q "$live_says" dom || ! grep -q '<canvas' dom; then
		echo "$*: the page shows nothing of it"
		bad=1
	fi
	kill $pid 2>/dev/null
	wait $pid
}
if "$warpbeam" run vectoradd --set vectoradd.n=4096 --quiet --serve 2>err; then
	live_says='id="said"[^>]*>cycle [1-9]' live run bfs --size full
	live_says='id="said"[^>]*>runs: ' live sweep bfs --size full --over l1.mshrs=32,64 --out swept
elif ! grep -q 'configure found no libmicrohttpd' err; then
	cat err
	bad=1
fi
for page in run.html stopped.html explain.html table6.html probe.html hardware.html; do
	browse $page 1400 0
	browse $page 400 1
done
exit $bad
