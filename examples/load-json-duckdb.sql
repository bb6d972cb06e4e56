-- SET VARIABLE files = 'web*.json';  or a list of names; then these statements, in DuckDB
-- 1.1 or later.
--
-- Adds the lines that --output=json wrote to the files, in one transaction. A file's name without
-- .json is the column "host". Each file can be added once.

-- One row for each file: its lines "start" and "end", null if they are missing.
CREATE TABLE IF NOT EXISTS run(host VARCHAR PRIMARY KEY, "start" JSON, "end" JSON);

-- One row for each other line, except those of --monitor. The columns are the members of the line;
-- "realtime" is "time" in nanoseconds since 1970.
CREATE TABLE IF NOT EXISTS record(
	host VARCHAR, type VARCHAR, time BIGINT, realtime BIGINT,
	cpu BIGINT, pid BIGINT, tid BIGINT, comm VARCHAR, probe VARCHAR, function VARCHAR,
	"at" VARCHAR, source VARCHAR, text VARCHAR, args JSON, name VARCHAR, keys JSON,
	keys_base64 JSON,
	value JSON,	-- integer or string
	statistic STRUCT(count BIGINT, min BIGINT, max BIGINT, sum BIGINT, avg BIGINT,
		p50 BIGINT, p90 BIGINT, p99 BIGINT, "p99.9" BIGINT),	-- the value of a statistic
	scale VARCHAR, buckets STRUCT(low BIGINT, high BIGINT, count BIGINT)[],
	hits BIGINT, refused BIGINT,
	cycles STRUCT(min BIGINT, avg BIGINT, max BIGINT, sum BIGINT));

-- The sum of 64-bit integers, which wraps as in a script.
CREATE OR REPLACE MACRO wrapped_sum(x) AS
	((sum(x)::HUGEINT + (1::HUGEINT << 63)) & ((1::HUGEINT << 64) - 1)) - (1::HUGEINT << 63);

-- The globals of all hosts, united by name and keys.
CREATE OR REPLACE VIEW merged AS
SELECT name, keys, count(DISTINCT host) AS hosts,
	wrapped_sum(CASE WHEN json_type(value) <> 'VARCHAR' THEN value::BIGINT END)::BIGINT AS value,
	sum(statistic.count)::BIGINT AS count, min(statistic.min) AS min,
	max(statistic.max) AS max, wrapped_sum(statistic.sum)::BIGINT AS sum
FROM record
WHERE type = 'global' AND json_type(value) IS DISTINCT FROM 'VARCHAR'
GROUP BY name, keys, keys_base64;

BEGIN;
CREATE OR REPLACE TEMP TABLE line AS
SELECT parse_filename(filename)[:-6] AS host, line,
	json_valid(line) AS valid, line LIKE '{"type":"start",%' AS first,
	line LIKE '{"type":"end",%' AND valid AS last
-- a control character that JSON does not have in its text separates columns, of which there is one
FROM read_csv(getvariable('files'), columns = {'line': 'VARCHAR'}, header = false, delim = '\x1f',
	quote = '', escape = '', max_line_size = 16777216, filename = true);

-- The last line is incomplete if the host failed while staprun wrote it: then there is no line
-- "end".
SELECT error(host || ': malformed JSON')
FROM line GROUP BY host
HAVING count(*) FILTER (NOT valid) > count(*) FILTER (NOT valid AND line NOT LIKE '%}') OR
	count(*) FILTER (NOT valid) > 1 OR
	count(*) FILTER (NOT valid) = 1 AND count(*) FILTER (last) > 0;

INSERT INTO run
SELECT host, max(line) FILTER (first), max(line) FILTER (last) FROM line GROUP BY host;

INSERT INTO record
SELECT host, j.type, j.time, j.time + (start->>'realtime')::BIGINT - (start->>'time')::BIGINT,
	j.cpu, j.pid, j.tid, j.comm, j.probe, j.function, j."at", j.source, j.text, j.args, j.name,
	j.keys, j.keys_base64,
	CASE WHEN json_type(j.value) <> 'OBJECT' THEN j.value END,
	CASE WHEN json_type(j.value) = 'OBJECT' THEN json_transform(j.value, '{"count": "BIGINT",
		"min": "BIGINT", "max": "BIGINT", "sum": "BIGINT", "avg": "BIGINT",
		"p50": "BIGINT", "p90": "BIGINT", "p99": "BIGINT", "p99.9": "BIGINT"}') END,
	j.scale, j.buckets, j.hits, j.refused, j.cycles
FROM (SELECT host, json_transform(line, '{"type": "VARCHAR", "time": "BIGINT", "cpu": "BIGINT",
		"pid": "BIGINT", "tid": "BIGINT", "comm": "VARCHAR", "probe": "VARCHAR",
		"function": "VARCHAR", "at": "VARCHAR", "source": "VARCHAR", "text": "VARCHAR",
		"args": "JSON", "name": "VARCHAR", "keys": "JSON", "keys_base64": "JSON",
		"value": "JSON", "scale": "VARCHAR",
		"buckets": [{"low": "BIGINT", "high": "BIGINT", "count": "BIGINT"}],
		"hits": "BIGINT", "refused": "BIGINT",
		"cycles": {"min": "BIGINT", "avg": "BIGINT", "max": "BIGINT", "sum": "BIGINT"},
		"view": "BOOLEAN"}') AS j
	FROM line WHERE valid AND NOT first AND NOT last)
JOIN run USING (host)
WHERE j.type <> 'view' AND j.view IS NULL;
COMMIT;
