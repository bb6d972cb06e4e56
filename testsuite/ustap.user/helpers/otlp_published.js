// SPDX-License-Identifier: GPL-2.0-or-later
// otlp_published.js: read lines of OTLP/JSON, and say which requests they are. Each must be one by
// the published protocol, of which @opentelemetry/otlp-transformer has the generated code: as a
// message, and encoded and decoded again, it has the same members and values, and no others.
const path = require("path");
const { isDeepStrictEqual } = require("util");
const lines = require("fs").readFileSync(0, "utf8").split("\n").slice(0, -1);
const main = require.resolve("@opentelemetry/otlp-transformer");
const { collector } = require(path.join(path.dirname(main), "generated", "root.js"))
	.opentelemetry.proto;
const REQUESTS = {
	resourceLogs: collector.logs.v1.ExportLogsServiceRequest,
	resourceMetrics: collector.metrics.v1.ExportMetricsServiceRequest,
	resourceSpans: collector.trace.v1.ExportTraceServiceRequest,
};
// These are hexadecimal in OTLP/JSON, and base64 in the JSON of other messages.
const IDS = ["traceId", "spanId", "parentSpanId"];

// Without empty lists, which messages do not distinguish from missing ones.
function significant(value) {
	if (Array.isArray(value))
		return value.map(significant);
	if (value === null || typeof value !== "object")
		return value;
	return Object.fromEntries(Object.entries(value)
		.filter(([, v]) => !Array.isArray(v) || v.length)
		.map(([name, v]) => [name, significant(v)]));
}

function idsAs(value, to, from) {
	if (Array.isArray(value))
		return value.map((v) => idsAs(v, to, from));
	if (value === null || typeof value !== "object")
		return value;
	return Object.fromEntries(Object.entries(value).map(([name, v]) => [name,
		IDS.includes(name) ? Buffer.from(v, from).toString(to) : idsAs(v, to, from)]));
}

function check(line) {
	const want = JSON.parse(line);
	const [name] = Object.keys(want);
	const Request = REQUESTS[name];
	const message = Request.fromObject(idsAs(want, "base64", "hex"));
	const problem = Request.verify(message);
	if (problem)
		throw new Error(problem);
	for (const m of [message, Request.decode(Request.encode(message).finish())]) {
		const plain = Request.toObject(m, { longs: String, enums: Number, bytes: String });
		const got = idsAs(plain, "hex", "base64");
		if (!isDeepStrictEqual(significant(got), significant(want)))
			throw new Error(`${line}\nis, as a request, ${JSON.stringify(got)}`);
	}
	return name;
}

const counts = {};
for (const line of lines) {
	const name = check(line);
	counts[name] = (counts[name] || 0) + 1;
}
for (const name of Object.keys(REQUESTS))
	console.log(`${name}: ${counts[name] > 0}`);
