// SPDX-License-Identifier: GPL-2.0-or-later
// clickhouse.js DIRECTORY FILES: run the SQL on standard input, in which the parameter "files" is
// FILES; each row of results is a line of JSON. chdb is the engine of ClickHouse as a library.
const { Session } = require("chdb");
const fs = require("fs");

// The statements: no literal or comment of ours contains "; " at the end of a line.
const statements = fs.readFileSync(0, "utf8").replace(/--.*$/gm, "").split(/;\s*(?:\n|$)/);
const session = new Session(process.argv[2]);
try {
	for (const statement of statements)
		if (statement.trim()) {
			const text = session.queryBind(statement, { files: process.argv[3] || "" },
				"JSONEachRow");
			if (text && text.trim())
				console.log(text.trim());
		}
} catch (e) {
	console.error(String(e.message || e));
	process.exitCode = 1;
}
