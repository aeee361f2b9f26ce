/* What a page does: tables sort and filter, a list chooses the part that is shown, times zoom, colours
   change. Without it a page shows everything. */
(function () {
"use strict";
var root = document.documentElement;
function all(what, from) { return Array.prototype.slice.call((from || document).querySelectorAll(what)); }
function make(name, text, parent) {
	var e = document.createElement(name);
	if (text) e.textContent = text;
	if (parent) parent.appendChild(e);
	return e;
}

/* ---- colours */
function themes() {
	var tools = document.querySelector(".tools"), names = ["auto", "light", "dark"], at = 0;
	if (!tools) return;
	var b = make("button", "colours: auto", tools);
	b.type = "button";
	b.id = "theme";
	b.addEventListener("click", function () {
		at = (at + 1) % 3;
		b.textContent = "colours: " + names[at];
		if (at) root.setAttribute("data-theme", names[at]);
		else root.removeAttribute("data-theme");
		charts();
	});
}

/* ---- tables */
function value(row, at) {
	var cell = row.cells[at], v;
	if (!cell) return "";
	v = cell.getAttribute("data-v");
	if (v !== null) return parseFloat(v);
	v = cell.textContent.trim();
	if (/^-?[0-9][0-9,]*(\.[0-9]+)?([eE][-+]?[0-9]+)?( ?%|x)?$/.test(v)) return parseFloat(v.replace(/,/g, ""));
	return v;
}
function compare(a, b) {
	if (a === b) return 0;
	if (a === "") return -1;
	if (b === "") return 1;
	if (typeof a === "number" && typeof b === "number") return a - b;
	return String(a) < String(b) ? -1 : 1;
}
function sort(table, th, at) {
	var up = th.getAttribute("aria-sort") === "descending", body = table.tBodies[0];
	var rows = Array.prototype.slice.call(body.rows).map(function (r, i) { return [value(r, at), i, r]; });
	all("thead th", table).forEach(function (h) { h.removeAttribute("aria-sort"); });
	th.setAttribute("aria-sort", up ? "ascending" : "descending");
	rows.sort(function (x, y) { return (up ? 1 : -1) * compare(x[0], y[0]) || x[1] - y[1]; });
	rows.forEach(function (r) { body.appendChild(r[2]); });
}
function filter(table, input, said) {
	var words = input.value.toLowerCase().split(/\s+/), shown = 0, rows = table.tBodies[0].rows;
	for (var i = 0; i < rows.length; i++) {
		var text = rows[i].textContent.toLowerCase();
		var good = words.every(function (w) { return text.indexOf(w) >= 0; });
		rows[i].hidden = !good;
		shown += good;
	}
	said.textContent = input.value ? shown + " of " + rows.length : "";
}
function tables() {
	all("table.data").forEach(function (table) {
		all("thead th", table).forEach(function (th, at) {
			var b;
			if (!th.textContent) return;
			b = document.createElement("button");
			b.type = "button";
			b.textContent = th.textContent;
			th.textContent = "";
			th.appendChild(b);
			b.addEventListener("click", function () { sort(table, th, at); });
		});
		if (!table.tBodies[0] || table.tBodies[0].rows.length < 6) return;
		var p = document.createElement("p"), input = make("input", "", p), said = make("span", "", p);
		input.type = "search";
		input.placeholder = "filter";
		input.setAttribute("aria-label", "filter: " + (table.caption ? table.caption.textContent : "rows"));
		said.className = "dim";
		said.setAttribute("role", "status");
		input.addEventListener("input", function () { filter(table, input, said); });
		table.parentNode.parentNode.insertBefore(p, table.parentNode);
	});
}

/* ---- the part that is shown */
var parts = all("section.part"), choice;
function show(id) {
	parts.forEach(function (p) { p.hidden = p.id !== id; });
	if (choice) choice.value = id;
}
function choose() {
	var tools = document.querySelector(".tools"), label;
	if (parts.length < 2 || !tools) return;
	label = make("label", "shown: ", tools);
	choice = make("select", "", label);
	choice.id = "part";
	parts.forEach(function (p) { make("option", p.getAttribute("data-name"), choice).value = p.id; });
	choice.addEventListener("change", function () { show(choice.value); });
	show(parts[0].id);
}
function follow() {
	var id = "", target;
	try { id = decodeURIComponent(location.hash.slice(1)); } catch (e) { return; }
	target = id && document.getElementById(id);
	if (!target) return;
	for (var e = target; e && e !== document.body; e = e.parentNode) {
		if (e.nodeName === "DETAILS") e.open = true;
		if (parts.indexOf(e) >= 0) show(e.id);
		if (e.nodeName === "TR") e.hidden = false;
	}
	target.scrollIntoView({block: "center"});
}

/* ---- times: one range of cycles for all of the page */
var from = 0, to = 1, plots = all("svg.plot-time");
function grouped(v) { return Math.round(v).toString().replace(/\B(?=(\d{3})+$)/g, ","); }
function drawTimes() {
	plots.forEach(function (svg) {
		var inner = svg.querySelector("svg"), most = parseFloat(svg.getAttribute("data-cycles"));
		var high = inner.getAttribute("data-high");
		inner.setAttribute("viewBox", from * 1000 + " 0 " + (to - from) * 1000 + " " + high);
		all("text.tick", svg).forEach(function (t, i) {
			t.textContent = grouped(most * (from + (to - from) * i / 4));
		});
	});
}
function zoom(factor, middle) {
	var wide = Math.min(1, Math.max(1e-5, (to - from) * factor)), at = from + (to - from) * middle;
	from = Math.max(0, Math.min(1 - wide, at - wide * middle));
	to = from + wide;
	drawTimes();
}
function move(share) {
	var by = (to - from) * share;
	by = Math.max(-from, Math.min(1 - to, by));
	from += by;
	to += by;
	drawTimes();
}
function times() {
	var acts = {"+": function () { zoom(0.5, 0.5); }, "-": function () { zoom(2, 0.5); },
		"ArrowLeft": function () { move(-0.25); }, "ArrowRight": function () { move(0.25); },
		"0": function () { zoom(1e9, 0); }};
	all(".zoom").forEach(function (p) {
		[["+", "zoom in", "+"], ["-", "zoom out", "\u2212"], ["ArrowLeft", "earlier", "\u2190"],
			["ArrowRight", "later", "\u2192"], ["0", "all", "all"]].forEach(function (row) {
			var b = make("button", row[2], p);
			b.type = "button";
			b.setAttribute("aria-label", row[1]);
			b.addEventListener("click", acts[row[0]]);
		});
	});
	plots.forEach(function (svg) {
		svg.setAttribute("tabindex", "0");
		svg.addEventListener("keydown", function (e) {
			if (acts[e.key]) { acts[e.key](); e.preventDefault(); }
		});
		svg.addEventListener("wheel", function (e) {
			var box = svg.querySelector("svg").getBoundingClientRect();
			if (!e.ctrlKey && !e.shiftKey) return;
			zoom(e.deltaY < 0 ? 0.8 : 1.25, Math.max(0, Math.min(1, (e.clientX - box.left) / box.width)));
			e.preventDefault();
		}, {passive: false});
	});
}

/* ---- curves: a table's first column is x, each other one a curve */
var drawn = [];
function charts() {
	var style = getComputedStyle(root);
	drawn.forEach(function (u) { u.destroy(); });
	drawn = [];
	if (typeof uPlot === "undefined") return;
	all("figure.chart").forEach(function (figure) {
		var table = figure.querySelector("table"), heads = all("thead th", table), dim = style.getPropertyValue("--dim").trim();
		var line = style.getPropertyValue("--line").trim();
		var data = heads.map(function (h, at) {
			return all("tbody tr", table).map(function (r) {
				var v = value(r, at);
				return typeof v === "number" ? v : null;
			});
		});
		var axis = function (label) { return {stroke: dim, label: label, grid: {stroke: line}, ticks: {stroke: line}}; };
		drawn.push(new uPlot({
			width: Math.max(280, Math.min(1000, figure.clientWidth)), height: 260,
			scales: {x: {time: false}},
			axes: [axis(heads[0].textContent), Object.assign(axis(figure.getAttribute("data-unit") || ""), {size: 70})],
			series: heads.map(function (h, i) {
				return i ? {label: h.textContent, width: 1.5, points: {show: data[0].length < 60},
					stroke: style.getPropertyValue("--f" + (i - 1) % 8).trim(),
					spanGaps: true} : {label: h.textContent};
			})
		}, data, figure.querySelector(".curves")));
	});
}

themes();
choose();
charts();
tables();
times();
window.addEventListener("hashchange", follow);
window.addEventListener("resize", charts);
all("a[href^='#']").forEach(function (a) { a.addEventListener("click", function () { setTimeout(follow, 0); }); });
follow();
window.look = {all: all, make: make};
root.setAttribute("data-ready", "yes");
})();
