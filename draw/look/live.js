/* The page of a command that runs: asks its server for the state once a second, and shows it. */
window.addEventListener("load", function () {
"use strict";
var root = document.documentElement, state = null, over = false;
var all = window.look.all, make = window.look.make;
function at(id) { return document.getElementById(id); }
function grouped(v) {
	if (typeof v !== "number") return v === null ? "" : String(v);
	if (v !== Math.round(v)) return v.toPrecision(5);
	return v.toString().replace(/\B(?=(\d{3})+$)/g, ",");
}

/* ---- buttons */
function button(id, text, act) {
	var b = make("button", text, document.querySelector(".tools"));
	b.type = "button";
	b.id = id;
	b.addEventListener("click", act);
}
button("stop", "stop", function () {
	this.disabled = true;
	fetch("stop", {method: "POST"}).then(function () { say("It was asked to stop."); }, lost);
});
button("snapshot", "snapshot", function () {
	var a = document.createElement("a");
	if (!state) return;
	a.href = "data:application/json," + encodeURIComponent(JSON.stringify(state, null, 1));
	a.download = "warpbeam-" + state.command + ".json";
	a.click();
});

/* ---- curves: the difference of two counters between two moments by that of a third */
var curves = [
	{id: "issue", name: "instructions / cycle", x: "cycle", y: "warp_instructions", by: "cycle", color: "--f0"},
	{id: "bytes", name: "DRAM bytes / cycle", x: "cycle", y: "dram_bytes", by: "cycle", color: "--f1"},
	{id: "speed", name: "instructions / s", x: "wall_s", y: "warp_instructions", by: "wall_s",
		color: "--f2"},
	{id: "done", name: "runs that ended", x: "wall_s", y: "jobs_done", color: "--f0"}
];
function points(c, m) {
	var x = [], y = [], last = 0;
	m[c.x].forEach(function (v, i) {
		var by = c.by ? m[c.by][i] - m[c.by][last] : 1;
		if (!i || by <= 0) return;
		x.push(v);
		y.push(c.by ? (m[c.y][i] - m[c.y][last]) / by : m[c.y][i]);
		last = i;
	});
	return [x, y];
}
function curve(c, data) {
	var style = getComputedStyle(root), dim = style.getPropertyValue("--dim").trim();
	var line = style.getPropertyValue("--line").trim(), place = at(c.id);
	var axis = function (label) { return {stroke: dim, label: label, grid: {stroke: line}, ticks: {stroke: line}}; };
	if (!place) {
		place = make("figure", "", at("times"));
		place.id = c.id;
		place.setAttribute("aria-label", c.name);
	}
	c.drawn = new uPlot({
		width: Math.max(280, Math.min(620, at("times").clientWidth)), height: 220, scales: {x: {time: false}},
		axes: [axis(c.x === "cycle" ? "cycle" : "seconds"), Object.assign(axis(c.name), {size: 80})],
		series: [{label: c.x === "cycle" ? "cycle" : "seconds"},
			{label: c.name, width: 1.5, stroke: style.getPropertyValue(c.color).trim()}]
	}, data, place);
}
function redraw() {
	curves.forEach(function (c) {
		if (c.drawn) c.drawn.destroy();
		c.drawn = null;
	});
	if (state) draw();
}
function draw() {
	curves.forEach(function (c) {
		var m = state.moments, data;
		if (c.y === "jobs_done" ? !state.jobs : !state.simulation) return;
		data = points(c, m);
		if (data[0].length < 2) return;
		if (c.drawn) c.drawn.setData(data);
		else curve(c, data);
	});
}

/* ---- words and tables */
function say(words, bad) {
	at("said").textContent = words;
	at("said").className = bad ? "bad" : "";
}
function share(done, of, left) {
	at("share").value = of ? done / of : 0;
	at("left").textContent = left;
}
function simulated(s) {
	say("cycle " + grouped(s.cycle) + ", " + grouped(s.warp_instructions) + " warp instructions, launches " +
		grouped(s.launches));
	share(s.ctas_done, s.ctas, "CTAs " + grouped(s.ctas_done) + " of " + grouped(s.ctas) + ", " +
		Math.round(state.wall_s) + " s");
	all("#counters tbody tr").forEach(function (row) {
		var m = s.metrics[row.cells[0].textContent];
		if (!m) return;
		row.cells[1].textContent = grouped(m.value);
		row.cells[1].style.textAlign = "right";
	});
}
function ran(j) {
	var body = document.querySelector("#runs tbody"), ended = j.done + j.failed + j.known;
	say("runs: " + ended + " of " + j.all + " ended, " + j.runs + " go on" + (j.failed ? ", " + j.failed + " failed" : "") +
		(j.known ? ", " + j.known + " were known" : ""), j.failed);
	share(ended, j.all, Math.round(state.wall_s) + " s");
	at("runs").hidden = false;
	body.textContent = "";
	j.list.forEach(function (run) {
		var row = make("tr", "", body), name = make("th", run.name, row);
		name.scope = "row";
		make("td", run.state, row).className = run.state === "failed" ? "w bad" : "w";
		make("td", run.state === "known" ? "" : run.took_s.toFixed(1), row);
	});
}
function ended() {
	over = true;
	say("It has ended: " + state.result + (state.message ? ". " + state.message : "."), state.result !== "ok");
	at("stop").disabled = true;
	root.setAttribute("data-over", state.result);
}
function show(s) {
	state = s;
	if (s.simulation) simulated(s.simulation);
	if (s.jobs) ran(s.jobs);
	draw();
	if (s.over) ended();
	root.setAttribute("data-seen", s.moments.wall_s.length);
}
function lost() {
	if (over) return;
	over = true;
	say("No answer: the command has ended.", true);
	at("stop").disabled = true;
}
function ask() {
	fetch("state", {cache: "no-store"}).then(function (r) {
		if (!r.ok) throw new Error(r.status);
		return r.json();
	}).then(show).then(function () {
		if (!over) setTimeout(ask, 1000);
	}, lost);
}
at("theme").addEventListener("click", redraw);
window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw);
window.addEventListener("resize", redraw);
ask();
});
