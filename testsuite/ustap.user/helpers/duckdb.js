// SPDX-License-Identifier: GPL-2.0-or-later
// duckdb.js DATABASE: run the SQL on standard input; each row of results is a line of JSON.
const { DuckDBInstance } = require("@duckdb/node-api");
const fs = require("fs");

async function main() {
	const instance = await DuckDBInstance.create(process.argv[2]);
	const connection = await instance.connect();
	const statements = await connection.extractStatements(fs.readFileSync(0, "utf8"));
	for (let i = 0; i < statements.count; i++) {
		const statement = await statements.prepare(i);
		const reader = await statement.runAndReadAll();
		for (const row of reader.getRowObjectsJson())
			console.log(JSON.stringify(row));
	}
	connection.closeSync();
	instance.closeSync();
}

main().catch((e) => {
	console.error(String(e.message || e));
	process.exitCode = 1;
});
