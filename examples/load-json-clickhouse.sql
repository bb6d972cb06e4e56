-- clickhouse-local --path=DIRECTORY --param_files='web*.json' < load-json-clickhouse.sql
--
-- Adds the lines that --output=json wrote to the files to the database "ustap". The name of a file
-- without .json is the column "host". Each file can be added once. ClickHouse has no transactions:
-- the files are checked before anything is added, and "run" is written last.

CREATE DATABASE IF NOT EXISTS ustap;

-- One row for each file: its lines "start" and "end", null if they are missing.
CREATE TABLE IF NOT EXISTS ustap.run(host String, start Nullable(String), end Nullable(String))
ENGINE = MergeTree ORDER BY host;

-- One row for each other line, except those of --monitor. The columns are the members of the line;
-- arrays, objects and "value" are JSON. "realtime" is "time" in nanoseconds since 1970.
CREATE TABLE IF NOT EXISTS ustap.record(
	host LowCardinality(String), type LowCardinality(String), time Int64, realtime Int64,
	cpu Nullable(Int64), pid Nullable(Int64), tid Nullable(Int64),
	comm LowCardinality(Nullable(String)), probe LowCardinality(Nullable(String)),
	function LowCardinality(Nullable(String)), at LowCardinality(Nullable(String)),
	source Nullable(String), text Nullable(String), args Nullable(String),
	name LowCardinality(Nullable(String)), keys Nullable(String), keys_base64 Nullable(String),
	value Nullable(String),		-- integer or string
	statistic Nullable(String),	-- the value of a statistic
	scale Nullable(String), buckets Nullable(String), hits Nullable(Int64),
	refused Nullable(Int64), cycles Nullable(String))
ENGINE = MergeTree ORDER BY (host, type, time);

-- The globals of all hosts, united by name and keys. Sums of 64-bit integers wrap, as in a script.
CREATE VIEW IF NOT EXISTS ustap.merged AS
SELECT name, keys, uniqExact(host) AS hosts, sum(toInt64OrNull(value)) AS value,
	sum(JSONExtract(statistic, 'count', 'Nullable(Int64)')) AS count,
	min(JSONExtract(statistic, 'min', 'Nullable(Int64)')) AS min,
	max(JSONExtract(statistic, 'max', 'Nullable(Int64)')) AS max,
	sum(JSONExtract(statistic, 'sum', 'Nullable(Int64)')) AS sum
FROM (SELECT name, keys, keys_base64, host, record.value AS value, statistic FROM ustap.record
	WHERE type = 'global' AND NOT startsWith(ifNull(record.value, '0'), '"'))
GROUP BY name, keys, keys_base64;

SELECT throwIf(count() > 0, 'a file was added already') FROM ustap.run
WHERE host IN (SELECT replaceRegexpOne(_file, '\\.json$', '')
	FROM file({files:String}, 'LineAsString', 'line String'))
FORMAT Null;

-- The last line is incomplete if the host failed while staprun wrote it: then there is no line
-- "end".
SELECT throwIf(countIf(NOT valid) > countIf(NOT valid AND NOT endsWith(line, '}'))
		OR countIf(NOT valid) > 1
		OR (countIf(NOT valid) = 1 AND countIf(valid AND startsWith(line, '{"type":"end",')) > 0),
	'malformed JSON')
FROM (SELECT _file AS path, line, isValidJSON(line) AS valid
	FROM file({files:String}, 'LineAsString', 'line String'))
GROUP BY path
FORMAT Null;

INSERT INTO ustap.record
SELECT host, JSONExtractString(line, 'type') AS type,
	JSONExtractInt(line, 'time') AS time, time + begun.shift,
	JSONExtract(line, 'cpu', 'Nullable(Int64)'),
	JSONExtract(line, 'pid', 'Nullable(Int64)'),
	JSONExtract(line, 'tid', 'Nullable(Int64)'),
	JSONExtract(line, 'comm', 'Nullable(String)'),
	JSONExtract(line, 'probe', 'Nullable(String)'),
	JSONExtract(line, 'function', 'Nullable(String)'),
	JSONExtract(line, 'at', 'Nullable(String)'),
	JSONExtract(line, 'source', 'Nullable(String)'),
	JSONExtract(line, 'text', 'Nullable(String)'),
	nullIf(JSONExtractRaw(line, 'args'), ''),
	JSONExtract(line, 'name', 'Nullable(String)'),
	nullIf(JSONExtractRaw(line, 'keys'), ''),
	nullIf(JSONExtractRaw(line, 'keys_base64'), ''),
	if(startsWith(JSONExtractRaw(line, 'value') AS raw, '{'), NULL, nullIf(raw, '')),
	if(startsWith(raw, '{'), raw, NULL),
	JSONExtract(line, 'scale', 'Nullable(String)'),
	nullIf(JSONExtractRaw(line, 'buckets'), ''),
	JSONExtract(line, 'hits', 'Nullable(Int64)'),
	JSONExtract(line, 'refused', 'Nullable(Int64)'),
	nullIf(JSONExtractRaw(line, 'cycles'), '')
FROM (SELECT replaceRegexpOne(_file, '\\.json$', '') AS host, line
	FROM file({files:String}, 'LineAsString', 'line String')
	WHERE isValidJSON(line)) AS lines
LEFT JOIN (SELECT replaceRegexpOne(_file, '\\.json$', '') AS host,
		JSONExtractInt(line, 'realtime') - JSONExtractInt(line, 'time') AS shift
	FROM file({files:String}, 'LineAsString', 'line String')
	WHERE startsWith(line, '{"type":"start",')) AS begun USING (host)
WHERE type NOT IN ('start', 'end', 'view') AND NOT JSONHas(line, 'view');

INSERT INTO ustap.run
SELECT replaceRegexpOne(_file, '\\.json$', '') AS host,
	anyIf(toNullable(line), startsWith(line, '{"type":"start",')),
	anyIf(toNullable(line), startsWith(line, '{"type":"end",') AND isValidJSON(line))
FROM file({files:String}, 'LineAsString', 'line String')
GROUP BY host;
