/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The page: facts about the run, then what its data has. */
"use strict";

function drawRun(run) {
	const f = run.facts, start = run.start ? new Date(Number(run.start.realtime) / 1e6) : null;
	const facts = [
		[ "Command", f.command ], [ "Start", start && start.toISOString() ],
		[
			"Duration",
			run.end ? run.seconds.toFixed(3) + " s" : "the run did not end in order"
		],
		[ "Host", f.host ], [ "Kernel", [ f.kernel, f.machine ].filter(Boolean).join(" ") ],
		[ "Runtime", f.runtime ], [ "ustap", f.ustap ]
	];
	const list = element("dl", {class : "facts"});

	for (const [name, value] of facts)
		if (value)
			list.append(element("dt", {}, name), element("dd", {}, value));
	section("run", "Run", list,
		...run.sources.map(text => element("details", {open : ""},
						   element("summary", {}, "Script"),
						   element("pre", {class : "script"}, text))));
	document.title = "ustap: " + (f.script || "");
	document.getElementById("title").textContent = f.script || "ustap";
}

function drawLosses(run) {
	const e = run.end || {}, out = document.getElementById("losses");
	const losses = [
		[ e.lost, "records lost" ], [ e.skipped, "hits skipped" ],
		[ e.missed_returns, "returns missed" ], [ e.unplaced, "sites not armed" ],
		[ e.errors, "errors" ], [ e.cut_strings, "strings cut" ],
		[ run.omitted, "rows not in this page" ], [ run.damaged, "damaged rows" ]
	].filter(l => l[0]).map(l => l[0] + " " + l[1]);

	if (!run.end)
		losses.unshift("incomplete");
	out.textContent = losses.join(", ") || "nothing lost";
	out.classList.toggle("bad", losses.length > 0);
}

function setTheme(dark) {
	document.documentElement.classList.toggle("dark", dark);
	redrawCharts();
}

document.addEventListener("DOMContentLoaded", () => {
	const run = readRun(document.getElementById("rows").textContent);
	const system = matchMedia("(prefers-color-scheme: dark)");

	setTheme(system.matches);
	system.addEventListener("change", () => setTheme(system.matches));
	document.getElementById("theme").addEventListener(
		"click", () => setTheme(!document.documentElement.classList.contains("dark")));
	drawLosses(run);
	for (const flame of run.flames)
		drawFlame(flame);
	drawHistograms(run);
	drawHits(run);
	drawGlobals(run);
	drawNumbers(run);
	drawTables(run);
	drawRun(run);
	document.documentElement.dataset.drawn = Math.round(performance.now());
});
