-- FILE=HOST.json sqlite3 -bail DATABASE < load-json.sql
--
-- Adds the lines that --output=json wrote to FILE, in one transaction. The file's name without
-- .json is the column "host". Each file can be added once.

-- One row for each file: its lines "start" and "end", null if they are missing.
CREATE TABLE IF NOT EXISTS run(host TEXT PRIMARY KEY, start TEXT, end TEXT);

-- One row for each other line, except those of --monitor. The columns are the members of the line;
-- arrays and objects are JSON. "realtime" is "time" in nanoseconds since 1970.
CREATE TABLE IF NOT EXISTS record(
	host TEXT, type TEXT, time INTEGER, realtime INTEGER,
	cpu INTEGER, pid INTEGER, tid INTEGER, comm TEXT, probe TEXT, function TEXT, at TEXT,
	source TEXT, text TEXT, args TEXT, name TEXT, keys TEXT, keys_base64 TEXT,
	value,		-- integer or string
	statistic TEXT,	-- the value of a statistic
	scale TEXT, buckets TEXT, hits INTEGER, refused INTEGER, cycles TEXT);

-- The globals of all hosts, united by name and keys. Sums of 64-bit integers wrap, as in a script;
-- sum() of a whole integer would fail, so its halves are added.
CREATE VIEW IF NOT EXISTS merged AS
SELECT name, keys, hosts, ((high + (low >> 32)) << 32) | (low & 0xffffffff) AS value,
	count, min, max, ((sum_high + (sum_low >> 32)) << 32) | (sum_low & 0xffffffff) AS sum
FROM (SELECT name, keys, count(DISTINCT host) AS hosts,
		sum(value >> 32) AS high, sum(value & 0xffffffff) AS low,
		sum(json_extract(statistic, '$.count')) AS count,
		min(json_extract(statistic, '$.min')) AS min,
		max(json_extract(statistic, '$.max')) AS max,
		sum(json_extract(statistic, '$.sum') >> 32) AS sum_high,
		sum(json_extract(statistic, '$.sum') & 0xffffffff) AS sum_low
	FROM record
	WHERE type = 'global' AND typeof(value) <> 'text'
	GROUP BY name, keys, keys_base64);

CREATE TEMP TABLE file(host TEXT);
CREATE TEMP TABLE line(json TEXT);
-- JSON has no raw control characters, so a line is one field.
.mode ascii
.separator "\037" "\n"
.import '|basename -- "$FILE" .json' file
.import '|cat -- "$FILE"' line

-- The last line is incomplete if the host failed while staprun wrote it.
DELETE FROM line
WHERE rowid = (SELECT max(rowid) FROM line) AND NOT json_valid(json);

BEGIN;
INSERT INTO run
SELECT host,
	(SELECT json FROM line WHERE rowid = 1 AND json LIKE '{"type":"start",%'),
	(SELECT json FROM line WHERE json LIKE '{"type":"end",%')
FROM file;

INSERT INTO record
SELECT host,
	json_extract(json, '$.type'),
	json_extract(json, '$.time'),
	json_extract(json, '$.time')
		+ json_extract(start, '$.realtime') - json_extract(start, '$.time'),
	json_extract(json, '$.cpu'),
	json_extract(json, '$.pid'),
	json_extract(json, '$.tid'),
	json_extract(json, '$.comm'),
	json_extract(json, '$.probe'),
	json_extract(json, '$.function'),
	json_extract(json, '$.at'),
	json_extract(json, '$.source'),
	json_extract(json, '$.text'),
	json_extract(json, '$.args'),
	json_extract(json, '$.name'),
	json_extract(json, '$.keys'),
	json_extract(json, '$.keys_base64'),
	CASE WHEN json_type(json, '$.value') <> 'object' THEN json_extract(json, '$.value') END,
	CASE WHEN json_type(json, '$.value') = 'object' THEN json_extract(json, '$.value') END,
	json_extract(json, '$.scale'),
	json_extract(json, '$.buckets'),
	json_extract(json, '$.hits'),
	json_extract(json, '$.refused'),
	json_extract(json, '$.cycles')
FROM line, file JOIN run USING (host)
WHERE json_extract(json, '$.type') NOT IN ('start', 'end', 'view')
	AND json_extract(json, '$.view') IS NULL;
COMMIT;
