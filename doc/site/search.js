// SPDX-License-Identifier: GPL-2.0-or-later
// Search of the site: ranks the sections of search-index.js, [file, page, heading, text] each, by
// the words of the query.  All words must occur in a section or its titles; a word counts more in
// a heading than in a page's title, and more there than in the text.
"use strict";

const MAX_RESULTS = 30, EXCERPT = 160;

function wordScore(word, page, heading, text) {
	let score = 0;
	if (heading.includes(word)) score += heading === word ? 12 : 6;
	if (page.includes(word)) score += page.startsWith(word) ? 5 : 3;
	if (text.includes(word)) score += 1 + Math.min(text.split(word).length - 1, 3) / 3;
	return score;
}

function search(query) {
	const words = query.toLowerCase().split(/\s+/).filter(Boolean);
	const found = [];
	for (const section of searchIndex) {
		const [page, heading, text] = section.slice(1).map(part => part.toLowerCase());
		const scores = words.map(word => wordScore(word, page, heading, text));
		if (words.length && scores.every(score => score > 0))
			found.push([scores.reduce((a, b) => a + b), section]);
	}
	return found.sort((a, b) => b[0] - a[0]).slice(0, MAX_RESULTS).map(pair => pair[1]);
}

function excerpt(text, query) {
	const at = text.toLowerCase().indexOf(query.toLowerCase().split(/\s+/)[0]);
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
