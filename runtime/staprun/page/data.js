/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The data of the page: rows of JSON, described in out_html.c. It is foreign: shown as text only.
 */
"use strict";

/* A row; integers that a number of JavaScript cannot hold are BigInt, where JSON.parse() can. */
function parseRow(line) {
	if (!/\d{16}/.test(line))
		return JSON.parse(line);
	return JSON.parse(line, (key, value, context) =>
					typeof value === "number" && !Number.isSafeInteger(value) &&
							context && /^-?\d+$/.test(context.source)
						? BigInt(context.source)
						: value);
}

/* Statements have times since the start, in seconds. */
function readRun(text) {
	const run = {
		facts : {},
		sources : [],
		prints : [],
		flames : [],
		globals : [],
		views : [],
		histograms : [],
		hits : [],
		hitViews : [],
		messages : [],
		omitted : 0,
		start : null,
		end : null,
		damaged : 0
	};
	const strings = [], name = i => i < 0 ? "" : strings[i];
	const since = t => (Number(t) - Number(run.start ? run.start.time : 0)) / 1e9;
	const arrays = {
		r : row => run.facts = row[1],
		k : row => run.sources.push(row[1]),
		s : row => strings.push(row[1]),
		f : row => run.flames.push({title : row[1], names : row[2], tree : row[3]}),
		o : row => run.omitted = row[1],
		p : row => run.prints.push({
			time : since(row[1]),
			cpu : row[2],
			pid : row[3],
			tid : row[4],
			comm : name(row[5]),
			probe : name(row[6]),
			func : name(row[7]),
			at : name(row[8]),
			names : name(row[9]),
			text : row[10],
			args : row[11]
		}),
	};
	const objects = {
		start : row => run.start = row,
		end : row => run.end = row,
		global : row => (row.view ? run.views : run.globals).push(row),
		histogram : row => run.histograms.push(row),
		hits : row => (row.view ? run.hitViews : run.hits).push(row),
		warning : row => run.messages.push(row),
		error : row => run.messages.push(row),
		message : row => run.messages.push(row),
	};

	for (const line of text.split("\n")) {
		if (!line)
			continue;
		try {
			const row = parseRow(line),
			      take = Array.isArray(row) ? arrays[row[0]] : objects[row.type];

			if (!Array.isArray(row) && "time" in row)
				row.since = since(row.time);
			if (take)
				take(row);
		} catch (error) {
			run.damaged++; /* the last line of a run that was killed */
		}
	}
	run.seconds = run.end ? since(run.end.time) : 0;
	return run;
}

/* An element with attributes and children; strings become text. */
function element(tag, attributes, ...children) {
	const e = document.createElement(tag);

	for (const [key, value] of Object.entries(attributes || {}))
		if (key.startsWith("on"))
			e.addEventListener(key.slice(2), value);
		else
			e.setAttribute(key, value);
	e.append(...children);
	return e;
}

/* A section of the page with a heading and a link to it. */
function section(id, title, ...children) {
	const s = element("section", {id}, element("h2", {}, title), ...children);

	document.getElementById("main").append(s);
	document.getElementById("sections").append(element("a", {href : "#" + id}, title));
	return s;
}

function groupBy(rows, key) {
	const groups = new Map();

	for (const row of rows) {
		const k = key(row);

		if (!groups.has(k))
			groups.set(k, []);
		groups.get(k).push(row);
	}
	return groups;
}

function color(name) {
	return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}
