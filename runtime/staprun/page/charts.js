/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Charts over time, heat maps and histograms, by uPlot. */
"use strict";

const charts = [];

function axis(extra) {
	return {
		stroke : () => color("--dim"),
		grid : {stroke : () => color("--line"), width : 1},
		ticks : {stroke : () => color("--line"), width : 1},
		...extra
	};
}

/* Drag, or + and -, zooms; arrows move; 0 shows everything. */
function chartKeys(u, full) {
	return event => {
		const {min, max} = u.scales.x, w = max - min;
		const to = {
			"+" : [ min + w / 4, max - w / 4 ],
			"-" : [ min - w / 2, max + w / 2 ],
			ArrowLeft : [ min - w / 4, max - w / 4 ],
			ArrowRight : [ min + w / 4, max + w / 4 ],
			0 : full
		}[event.key];

		if (!to)
			return;
		u.setScale("x", {min : to[0], max : to[1]});
		event.preventDefault();
	};
}

function addChart(parent, label, data, options) {
	const box =
		element("div", {class : "plot", tabindex : 0, role : "img", "aria-label" : label});

	parent.append(box);
	const u = new uPlot({
		width : Math.max(300, box.clientWidth),
		height : 220,
		legend : {show : false},
		cursor : {drag : {x : true, y : false}},
		scales : {x : {time : false}},
		...options
	},
			    data, box);

	box.addEventListener("keydown", chartKeys(u, [ u.scales.x.min, u.scales.x.max ]));
	charts.push({u, box});
	return u;
}

function redrawCharts() {
	for (const {u} of charts)
		u.redraw();
}

window.addEventListener("resize", () => {
	for (const {u, box} of charts)
		u.setSize({width : Math.max(300, box.clientWidth), height : u.height});
});

/* Cells [from, to, row, count] in rows with these labels, darker where more. */
function drawCells(parent, label, cells, rows, height) {
	const most = Math.max(1, ...cells.map(c => c[3]));
	const first = Math.min(...cells.map(c => c[0])), last = Math.max(...cells.map(c => c[1]));
	const paint = u => {
		const dark = document.documentElement.classList.contains("dark");
		const scale =
			d3.scaleSequentialLog(dark ? d3.interpolateInferno : d3.interpolateYlOrRd)
				.domain(dark ? [ .3, most * 1.2 ] : [ .5, most * 1.2 ]);

		u.ctx.save();
		u.ctx.beginPath();
		u.ctx.rect(u.bbox.left, u.bbox.top, u.bbox.width, u.bbox.height);
		u.ctx.clip();
		for (const [from, to, row, count] of cells) {
			const x = u.valToPos(from, "x", true), y = u.valToPos(row + .5, "y", true);

			u.ctx.fillStyle = scale(count);
			u.ctx.fillRect(x, y, Math.max(1, u.valToPos(to, "x", true) - x),
				       u.valToPos(row - .5, "y", true) - y - 1);
		}
		u.ctx.restore();
	};
	const short = rows.map(r => r.length > 48 ? r.slice(0, 16) + "…" + r.slice(-31) : r);

	addChart(parent, label, [ [ first, last ], [ null, null ] ], {
		height,
		scales : {
			x : {
				time : false,
				range : (u, a, b) => a === b ? [ a - 1, b + 1 ] : [ a, b ]
			},
			y : {range : [ -.5, rows.length - .5 ]}
		},
		series : [ {}, {show : true, points : {show : false}} ],
		axes : [
			axis({values : (u, v) => v.map(x => +x.toFixed(6) + " s")}), axis({
				size : 24 + 7 * Math.max(4, ...short.map(r => r.length)),
				grid : {show : false},
				splits : () => rows.map((r, i) => i)
						       .filter(i => i % Math.ceil(rows.length /
										  (height / 22)) ===
								    0),
				values : (u, v) => v.map(i => short[i])
			})
		],
		hooks : {drawAxes : [ paint ]},
	});
}

/* ------------------------------------------------------------------- hits */

const TIME_BINS = 240;

/* Interim counts tell of all hits; without them, statements tell of those that printed. */
function hitCells(run, rows) {
	const cells = [];

	if (run.hitViews.length) {
		const before = new Map();
		let now = 0, view = 0;

		for (const h of [...run.hitViews,
				 ...run.hits.map(h => ({...h, since : run.seconds}))]) {
			const key = h.probe + "\n" + h.at;

			if (h.since - now > .01)
				view = now;
			now = h.since;
			const last = before.get(key) || {since : view, hits : 0};

			if (h.hits > last.hits)
				cells.push(
					[ last.since, h.since, rows(h.probe), h.hits - last.hits ]);
			before.set(key, h);
		}
		return cells;
	}
	const step = Math.max(1e-6, run.seconds) / TIME_BINS, sums = new Map();

	for (const p of run.prints) {
		if (!p.probe)
			continue;
		const key = rows(p.probe) * 1e6 + Math.floor(p.time / step);

		sums.set(key, (sums.get(key) || 0) + 1);
	}
	for (const [key, n] of sums)
		cells.push([ key % 1e6 * step, (key % 1e6 + 1) * step, Math.floor(key / 1e6), n ]);
	return cells;
}

function drawHits(run) {
	const names = [];
	const cells = hitCells(run, point => {
		const name = point.replace(/"[^"]*\//g, '"');
		const i = names.indexOf(name);

		return i < 0 ? names.push(name) - 1 : i;
	});

	if (!cells.length)
		return;
	const s = section(
		"timeline", "Probe hits over time",
		element("p", {class : "dim"},
			(run.hitViews.length ? "hits" : "statements printed") +
				", darker or brighter where more; drag or + and - zooms, " +
				"arrows move, 0 or a double click shows all"));

	drawCells(s, "Probe hits over time", cells, names, Math.min(600, 60 + 24 * names.length));
}

/* ------------------------------------------------------------- histograms */

function bucketLabel(b) {
	return "low" in b ? String(b.low) : "< " + (BigInt(b.high) + 1n);
}

function drawBars(parent, name, buckets) {
	const labels = buckets.map(bucketLabel);

	addChart(parent, "Histogram of " + name,
		 [ buckets.map((b, i) => i), buckets.map(b => b.count) ], {
			 scales : {
				 x : {time : false, range : [ -.7, buckets.length - .3 ]},
				 y : {range : (u, a, b) => [0, b * 1.05]}
			 },
			 series : [
				 {}, {
					 fill : () => color("--accent"),
					 stroke : () => color("--accent"),
					 paths : uPlot.paths.bars({size : [ .8, 60 ]}),
					 points : {show : false}
				 }
			 ],
			 axes : [
				 axis({
					 splits : () =>
						 labels.map((l, i) => i)
							 .filter(i => i % Math.ceil(labels.length /
										    16) ===
								      0),
					 values : (u, v) => v.map(i => labels[i])
				 }),
				 axis({size : 70})
			 ],
		 });
	parent.append(element("details", {}, element("summary", {}, "Values"),
			      sortedTable([ "from", "to", "count" ],
					  buckets.map(b => ["low" in b ? b.low : "",
							    "high" in b ? b.high : "", b.count]))));
}

/* A histogram that is printed again and again: counts that only grow are sums since the start. */
function heatCells(series) {
	const grows = series.every((h, i) => !i || series[i - 1].buckets.every(b => {
		const now = h.buckets.find(c => bucketLabel(c) === bucketLabel(b));

		return now && now.count >= b.count;
	}));
	const all = new Map();

	for (const h of series)
		for (const b of h.buckets)
			all.set(bucketLabel(b), "low" in b ? Number(b.low) : -Infinity);
	const rows = [...all.keys() ].sort((a, b) => all.get(a) - all.get(b)), cells = [];
	let before = new Map(), from = 0;

	for (const h of series) {
		for (const b of h.buckets) {
			const n = b.count - (grows ? before.get(bucketLabel(b)) || 0 : 0);

			if (n > 0)
				cells.push([ from, h.since, rows.indexOf(bucketLabel(b)), n ]);
		}
		before = new Map(h.buckets.map(b => [bucketLabel(b), b.count]));
		from = h.since;
	}
	return {cells, rows};
}

function drawHistograms(run) {
	for (const [name, series] of groupBy(run.histograms, h => h.name)) {
		const s = section("histogram-" + name.replace(/\W/g, "-"), "Distribution: " + name);

		if (series.length > 1) {
			const {cells, rows} = heatCells(series);

			if (cells.length) {
				s.append(element("h3", {}, "over time"));
				drawCells(s, "Heat map of " + name, cells, rows,
					  Math.min(500, 60 + 22 * rows.length));
			}
		}
		s.append(element("h3", {}, series.length > 1 ? "at the end" : "all samples"));
		drawBars(s, name, series[series.length - 1].buckets);
	}
}

/* ---------------------------------------------------------------- globals */

function drawGlobals(run) {
	const numbers =
		run.views
			.map(v => ({
				     ...v,
				     n : typeof v.value === "object" && v.value !== null
						 ? v.value.avg
						 : v.value,
				     key : v.name + (v.keys ? "[" + v.keys.join(", ") + "]" : "")
			     }))
			.filter(v => typeof v.n === "number");
	let s = null;

	for (const [name, list] of groupBy(numbers, v => v.name)) {
		const lines = [...groupBy(list, v => v.key) ].slice(0, 10);
		const times = [...new Set(list.map(v => v.since)) ].sort((a, b) => a - b);

		if (times.length < 2)
			continue;
		s = s || section("globals", "Globals over time");
		const at = new Map(times.map((t, i) => [t, i]));
		const data = lines.map(([, values ]) => {
			const line = new Array(times.length).fill(null);

			for (const v of values)
				line[at.get(v.since)] = v.n;
			return line;
		});
		const hues = d3.schemeTableau10;

		s.append(element("h3", {},
				 name + (typeof list[0].value === "object" ? " (average)" : "")));
		addChart(s, name + " over time", [ times, ...data ], {
			series : [
				{}, ...lines.map(([ key ], i) => ({
							 label : key,
							 stroke : hues[i],
							 width : 2,
							 spanGaps : true,
							 points : {show : times.length < 50}
						 }))
			],
			axes : [
				axis({values : (u, v) => v.map(x => +x.toFixed(6) + " s")}),
				axis({size : 80})
			],
		});
		if (lines.length > 1) {
			const keys = element("div", {class : "bar"});

			lines.forEach(([ key ], i) => {
				const mark = element("span", {}, "■");

				mark.style.color = hues[i];
				keys.append(element("span", {}, mark, " " + key));
			});
			s.append(keys);
		}
	}
}

/* Numbers that were printed, by location and argument: a heat map of values over time. */
function drawNumbers(run) {
	for (const [at, prints] of groupBy(run.prints.filter(p => p.names && p.probe), p => p.at)) {
		const names = prints[0].names.split("\n");

		names.forEach((name, i) => {
			const values = prints.filter(p => typeof p.args[i] === "number")
					       .map(p => [p.time, p.args[i]]);

			if (name && values.length >= 20)
				drawValues(run, name + " at " + at, values);
		});
	}
}

function drawValues(run, name, values) {
	const bucket = v => v === 0 ? 0 : Math.sign(v) * (Math.floor(Math.log2(Math.abs(v))) + 1);
	const low = b => b === 0 ? 0 : Math.sign(b) * 2 ** (Math.abs(b) - 1);
	const all = [...new Set(values.map(v => bucket(v[1]))) ].sort((a, b) => a - b);
	const step = Math.max(1e-6, run.seconds) / TIME_BINS, sums = new Map();

	if (all.length < 2)
		return;
	for (const [time, v] of values) {
		const key = all.indexOf(bucket(v)) * 1e6 + Math.floor(time / step);

		sums.set(key, (sums.get(key) || 0) + 1);
	}
	const s = section("value-" + name.replace(/\W/g, "-"), "Values: " + name);

	drawCells(s, name + " over time",
		  [...sums ].map(([ key, n ]) => [key % 1e6 * step, (key % 1e6 + 1) * step,
						  Math.floor(key / 1e6), n]),
		  all.map(b => String(low(b))), Math.min(500, 60 + 22 * all.length));
}
