// SPDX-License-Identifier: GPL-2.0-or-later
// Search of the site: ranks the sections of search-index.js, [file, page, heading, text] each, by
// the words of the query, without those of STOP_WORDS.  All words must occur in a section or its
// titles; a word counts more in a heading than in a page's title, and more there than in the text,
// where it counts less the longer the text is.  Pages for developers come last.
"use strict";

const MAX_RESULTS = 30, EXCERPT = 160;
const STOP_WORDS = new Set("a an the of in on to for with how do i".split(" "));
const LAST_PAGES =
	/^(doc\/(internals|adding|compatibility|security|first-ten|releasing)|testsuite)/;

function wordScore(word, page, heading, text) {
	let score = 0;
	if (heading.includes(word)) score += heading === word ? 12 : 6;
	if (page.includes(word)) score += page.startsWith(word) ? 5 : 3;
	const times = text.split(word).length - 1;
	if (times) score += Math.min(times, 4) / (1 + Math.log2(1 + text.length / 400));
	return score;
}

function queryWords(query) {
	const words = query.toLowerCase().split(/\s+/).filter(Boolean);
	const rest = words.filter(word => !STOP_WORDS.has(word));
	return rest.length ? rest : words;
}

function search(query) {
	const words = queryWords(query), found = [];
	for (const section of searchIndex) {
		const [page, heading, text] = section.slice(1).map(part => part.toLowerCase());
		const scores = words.map(word => wordScore(word, page, heading, text));
		const weight = LAST_PAGES.test(section[0]) ? 0.5 : 1;
		if (words.length && scores.every(score => score > 0))
			found.push([weight * scores.reduce((a, b) => a + b), section]);
	}
	return found.sort((a, b) => b[0] - a[0]).slice(0, MAX_RESULTS).map(pair => pair[1]);
}

function excerpt(text, query) {
	const at = text.toLowerCase().indexOf(queryWords(query)[0]);
	const from = Math.max(0, at - EXCERPT / 4);
	return (from ? "…" : "") + text.slice(from, from + EXCERPT);
}

function show(form, query) {
	const list = document.getElementById("results"), found = search(query);
	list.replaceChildren();
	list.hidden = !query.trim();
	for (const [file, page, heading, text] of found) {
		const item = document.createElement("li"), link = document.createElement("a");
		const shown = document.createElement("p");
		link.href = form.dataset.up + file;
		link.textContent = heading && heading !== page ? page + ": " + heading : page;
		shown.textContent = excerpt(text, query);
		item.append(link, shown);
		list.append(item);
	}
	if (!found.length) list.textContent = "Nothing found.";
}

const form = document.getElementById("search"), input = form.elements.q;
form.addEventListener("submit", event => { event.preventDefault(); show(form, input.value); });
input.addEventListener("input", () => show(form, input.value));
const asked = new URLSearchParams(location.search).get("q");
if (asked) {
	input.value = asked;
	show(form, asked);
}
