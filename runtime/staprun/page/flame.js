/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Flame graphs: d3-flame-graph draws the frames that are wide enough to be seen at this zoom. */
"use strict";

const LEAST_WIDTH = 2, FRAME_HEIGHT = 18;

/* The tree in arrays, in preorder: node 0 is the root; end[i] is behind the last node below i. */
function flameTree(flame) {
	const n = flame.tree.length / 3 + 1;
	const t = {
		n,
		names : flame.names,
		name : new Int32Array(n),
		depth : new Int32Array(n),
		parent : new Int32Array(n),
		end : new Int32Array(n),
		total : new Float64Array(n)
	};
	const path = [ 0 ];

	t.name[0] = -1;
	t.parent[0] = -1;
	for (let i = 1, j = 0; i < n; i++, j += 3) {
		const depth = flame.tree[j] + 1;

		t.depth[i] = depth;
		t.name[i] = flame.tree[j + 1];
		t.total[i] = Number(flame.tree[j + 2]);
		t.parent[i] = path[depth - 1];
		path[depth] = i;
	}
	for (let i = n - 1; i >= 0; i--) {
		t.end[i] = Math.max(t.end[i], i + 1);
		if (i) {
			t.total[t.parent[i]] += t.total[i];
			t.end[t.parent[i]] = Math.max(t.end[t.parent[i]], t.end[i]);
		}
	}
	return t;
}

function frameName(t, i) {
	return i ? t.names[t.name[i]] : "all";
}

function flameNode(t, i) {
	return {name : frameName(t, i), value : t.total[i], index : i, children : []};
}

/* The frames below FOCUS that are at least LEAST_WIDTH pixels wide, and its callers above it. */
function visibleTree(t, focus, width) {
	const least = t.total[focus] * LEAST_WIDTH / width, root = flameNode(t, focus);
	const nodes = new Map([ [ focus, root ] ]);
	let top = root;

	for (let i = focus + 1; i < t.end[focus];) {
		const parent = nodes.get(t.parent[i]);

		if (t.total[i] < least || !parent) {
			i = t.end[i];
			continue;
		}
		const node = flameNode(t, i);

		parent.children.push(node);
		nodes.set(i++, node);
	}
	for (let i = t.parent[focus]; i >= 0; i = t.parent[i])
		top = {
			name : frameName(t, i),
			value : t.total[focus],
			index : i,
			children : [ top ]
		};
	return top;
}

/* Stacks with a frame that matches are counted once. */
function searchFlame(t, words) {
	const found = t.names.map(name => name.toLowerCase().includes(words));
	let sum = 0;

	for (let i = 1; i < t.n;)
		if (found[t.name[i]]) {
			sum += t.total[i];
			i = t.end[i];
		} else {
			i++;
		}
	return {found, sum};
}

function frameColor(name) {
	let h = 0;

	for (let i = 0; i < name.length; i++)
		h = (h * 31 + name.charCodeAt(i)) >>> 0;
	return d3.hsl(8 + h % 44, .72 + (h >> 8) % 20 / 100, .62 + (h >> 16) % 12 / 100)
		.formatHex();
}

function drawFlame(flame) {
	const t = flameTree(flame), box = element("div", {class : "flame"});
	const status = element("div", {class : "status", role : "status"});
	const search = element(
		"input",
		{type : "search", placeholder : "Search frames", "aria-label" : "Search frames"});
	const reset = element("button", {type : "button"}, "Reset zoom");
	const chart = flamegraph.default()
			      .cellHeight(FRAME_HEIGHT)
			      .transitionDuration(0)
			      .resetHeightOnZoom(true)
			      .inverted(true);
	let focus = 0, found = null;

	const percent = v => (100 * v / (t.total[0] || 1)).toFixed(2) + " %";
	const label = d => d.data.name + ": " + t.total[d.data.index] + " (" +
			   percent(t.total[d.data.index]) + ")";

	function zoom(i) {
		const at = document.activeElement && box.contains(document.activeElement);

		focus = i;
		chart.width(Math.max(300, box.clientWidth - 2));
		d3.select(box).datum(visibleTree(t, focus, chart.width())).call(chart);
		frames();
		status.textContent = frameName(t, focus) + ": " + t.total[focus] + " of " +
				     t.total[0] + " (" + percent(t.total[focus]) + ")";
		if (at)
			focusFrame(i);
	}
	function frames() {
		d3.select(box)
			.selectAll("g.frame")
			.attr("tabindex", d => d.data.index === focus ? 0 : -1)
			.attr("role", "button")
			.attr("aria-label", label)
			.on("click", (event, d) => zoom(d.data.index))
			.on("focus", (event, d) => status.textContent = label(d));
	}
	function focusFrame(i) {
		const g =
			d3.select(box).selectAll("g.frame").filter(d => d.data.index === i).node();

		if (g)
			g.focus();
	}
	/* Arrows move among frames, Enter zooms, Escape resets. */
	function key(event) {
		const d = d3.select(document.activeElement).datum();
		const near = d && d.parent ? d.parent.children : [];
		const at = near.indexOf(d);
		const to = !d || !d.data		? null
			   : event.key === "ArrowUp"	? d.parent
			   : event.key === "ArrowDown"	? (d.children || [])[0]
			   : event.key === "ArrowLeft"	? near[at - 1]
			   : event.key === "ArrowRight" ? near[at + 1]
							: null;

		if (event.key === "Escape")
			zoom(0);
		else if ((event.key === "Enter" || event.key === " ") && d && d.data)
			zoom(d.data.index);
		else if (to)
			focusFrame(to.data.index);
		else if (!event.key.startsWith("Arrow"))
			return;
		event.preventDefault();
	}
	search.addEventListener("input", () => {
		const words = search.value.toLowerCase();

		found = words ? searchFlame(t, words) : null;
		zoom(focus);
		if (found)
			status.textContent = "found in " + found.sum + " of " + t.total[0] + " (" +
					     percent(found.sum) + ")";
	});
	reset.addEventListener("click", () => zoom(0));
	box.addEventListener("keydown", key);
	chart.label(label).color(d => found && d.data.index && found.found[t.name[d.data.index]]
					      ? "#c77dff"
					      : frameColor(d.data.name));
	section("flame-" + flame.title.replace(/\W/g, "-"), "Stacks: " + flame.title,
		element("div", {class : "bar"}, search, reset,
			element("span", {class : "dim"},
				"click or Enter zooms, arrows move, Esc resets")),
		box, status);
	zoom(0);
	window.addEventListener("resize", () => zoom(focus));
}
