/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tables that sort and filter. */
"use strict";

const ROWS_SHOWN = 500;

function compare(a, b) {
	const numbers = [ typeof a, typeof b ].every(t => t === "number" || t === "bigint");

	return numbers ? (a < b ? -1 : a > b ? 1 : 0) : String(a).localeCompare(String(b));
}

function cell(v) {
	const number = typeof v === "number" || typeof v === "bigint";

	return element("td", number ? {class : "number"} : {}, String(v));
}

/* Click a heading to sort, type to filter; ROWS are arrays of values in the order of HEADS. */
function sortedTable(heads, rows) {
	const body = element("tbody"), count = element("span", {class : "dim", role : "status"});
	const filter = element(
		"input", {type : "search", placeholder : "Filter", "aria-label" : "Filter rows"});
	const more = element("button", {type : "button"}, "Show more");
	let shown = ROWS_SHOWN, order = rows, column = -1, down = false;

	function show() {
		const words = filter.value.toLowerCase();
		const found =
			words ? order.filter(
					r => r.some(v => String(v).toLowerCase().includes(words)))
			      : order;

		body.replaceChildren(
			...found.slice(0, shown).map(r => element("tr", {}, ...r.map(cell))));
		count.textContent = found.length + " of " + rows.length + " rows" +
				    (found.length > shown ? ", " + shown + " shown" : "");
		more.hidden = found.length <= shown;
	}
	const titles = heads.map((name, i) => {
		const th = element("th", {scope : "col"});

		th.append(element("button", {
			type : "button",
			onclick : () => {
				down = column === i ? !down : false;
				column = i;
				order = [...rows ].sort((a, b) => compare(a[i], b[i]) *
								  (down ? -1 : 1));
				for (const t of titles)
					t.removeAttribute("aria-sort");
				th.setAttribute("aria-sort", down ? "descending" : "ascending");
				show();
			}
		},
				  name));
		return th;
	});

	filter.addEventListener("input", show);
	more.addEventListener("click", () => {
		shown *= 4;
		show();
	});
	show();
	return element("div", {}, element("div", {class : "bar"}, filter, count),
		       element("div", {class : "scroll", tabindex : 0},
			       element("table", {},
				       element("thead", {}, element("tr", {}, ...titles)), body)),
		       more);
}

function drawTables(run) {
	for (const [name, rows] of groupBy(run.globals, g => g.name)) {
		const statistic = typeof rows[0].value === "object" && rows[0].value !== null;
		const parts =
			statistic
				? Object.keys(
					  rows.reduce((a, b) => Object.keys(b.value).length >
										Object.keys(a.value)
											.length
									? b
									: a)
						  .value)
				: [];
		const keys = (rows[0].keys || []).map((k, i) => "key " + (i + 1));

		section("global-" + name.replace(/\W/g, "-"), "Global: " + name,
			sortedTable(
				[...keys, ...(statistic ? parts : [ "value" ]) ],
				rows.map(r => [...(r.keys || []),
					       ...(statistic ? parts.map(p => p in r.value
										      ? r.value[p]
										      : "")
							     : [ r.value ])])));
	}
	if (run.prints.length)
		section("output", "Output",
			sortedTable([ "time (s)", "process", "thread", "name", "probe", "text" ],
				    run.prints.map(p => [+p.time.toFixed(6), p.pid, p.tid, p.comm,
							 p.probe, p.text.replace(/\n$/, "")])));
	if (run.hits.length)
		section("hits", "Probes",
			sortedTable(
				[
					"probe", "at", "hits", "condition false", "min cycles",
					"avg cycles", "max cycles"
				],
				run.hits.map(h => [h.probe, h.at || "", h.hits, h.refused,
						   ...["min", "avg", "max"].map(
							   k => h.cycles ? h.cycles[k] : "")])));
	if (run.messages.length)
		section("messages", "Messages",
			sortedTable([ "time (s)", "kind", "from", "text" ],
				    run.messages.map(
					    m => [+m.since.toFixed(3), m.type, m.source, m.text])));
}
