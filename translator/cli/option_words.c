/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What shells say of options, and complete behind them: one row for each row of option_table.c that
 * is not refused, by its long name if it has one.  unit/test_words compares the two.
 */
#include <string.h>
#include "options.h"

/* clang-format off */
const struct option_words option_words[] = {
	{"-e", TAKES_SCRIPT, NULL, "the script itself"},
	{"-E", TAKES_SCRIPT, NULL, "this script, too"},
	{"-I", TAKES_DIRECTORY, NULL, "look for library functions there first"},
	{"-D", TAKES_WORD,
		"MAXACTION= MAXNESTING= MAXSTRINGLEN= MAXMAPENTRIES= MAXERRORS= MAXSKIPPED=",
		"set a limit"},
	{"-G", TAKES_TEXT, NULL, "the initial value of a global"},
	{"-g", TAKES_NOTHING, NULL, "guru mode: allow what may do harm"},
	{"-u", TAKES_NOTHING, NULL, "do not optimise"},
	{"-w", TAKES_NOTHING, NULL, "no warnings"},
	{"-W", TAKES_NOTHING, NULL, "warnings are errors"},
	{"-P", TAKES_NOTHING, NULL, "nothing: parameters are always found"},
	{"--prologue-searching", TAKES_WORD, "never always auto",
		"nothing: parameters are always found"},
	{"--skip-badvars", TAKES_NOTHING, NULL, "target variables that are not there read as 0"},
	{"--compatible", TAKES_TEXT, NULL, "what scripts ask of systemtap_v"},
	{"--check-version", TAKES_NOTHING, NULL, "say what depends on --compatible"},
	{"--privilege", TAKES_WORD, "stapusr stapsys stapdev", "only what these may do"},
	{"--unprivileged", TAKES_NOTHING, NULL, "only what stapusr may do"},
	{"--no-global-var-display", TAKES_NOTHING, NULL, "do not show globals at the end"},
	{"--no-end-after-error", TAKES_NOTHING, NULL, "run no end probes after a run-time error"},
	{"-d", TAKES_PROGRAM, NULL, "the symbols of this file are wanted"},
	{"--no-demangle", TAKES_NOTHING, NULL, "symbols of C++ and Rust as they are"},
	{"--ldd", TAKES_NOTHING, NULL, "the symbols of all libraries are wanted"},
	{"--all-modules", TAKES_NOTHING, NULL, "the symbols of all modules are wanted"},
	{"-c", TAKES_COMMAND, NULL, "run this command, trace it alone"},
	{"-x", TAKES_PROCESS, NULL, "trace this process alone"},
	{"--children", TAKES_NOTHING, NULL, "and the processes that it starts"},
	{"--target-status", TAKES_NOTHING, NULL, "exit with the status of the command"},
	{"--ready-fd", TAKES_TEXT, NULL,
	 "write \"ready\" to this descriptor when probes are armed"},
	{"--ready-command", TAKES_COMMAND, NULL, "run this when probes are armed"},
	{"--quiet", TAKES_NOTHING, NULL, "do not say when probing begins"},
	{"-o", TAKES_FILE, NULL, "write the output there"},
	{"--output", TAKES_WORD, "text json folded trace-event", "the form of the output"},
	{"-S", TAKES_TEXT, NULL, "begin another file after so many megabytes"},
	{"-s", TAKES_TEXT, NULL, "buffer of each processor in megabytes"},
	{"-T", TAKES_TEXT, NULL, "stop after so many seconds"},
	{"-F", TAKES_NOTHING, NULL, "leave the script running"},
	{"-t", TAKES_NOTHING, NULL, "how often each probe was hit"},
	{"--monitor", TAKES_TEXT, NULL, "show that and the globals while it runs"},
	{"--language-server", TAKES_NOTHING, NULL, "serve an editor"},
	{"--interactive", TAKES_NOTHING, NULL, "type the script line by line"},
	{"--suppress-handler-errors", TAKES_NOTHING, NULL,
		"errors in probes are counted, nothing else"},
	{"--suppress-time-limits", TAKES_NOTHING, NULL, "no MAXACTION"},
	{"--runtime", TAKES_WORD, "auto kernel user", "where the script runs"},
	{"--dyninst", TAKES_NOTHING, NULL, "--runtime=user"},
	{"-p", TAKES_WORD, "1 2 3 4 5", "stop after this pass"},
	{"-r", TAKES_KERNEL, NULL, "build for that kernel"},
	{"-R", TAKES_DIRECTORY, NULL, "sources of the runtime"},
	{"-a", TAKES_TEXT, NULL, "the machine's architecture"},
	{"-m", TAKES_TEXT, NULL, "name of the module"},
	{"--modinfo", TAKES_TEXT, NULL, "put NAME=VALUE into the module's information"},
	{"-k", TAKES_NOTHING, NULL, "keep the temporary directory"},
	{"--tmpdir", TAKES_DIRECTORY, NULL, "the temporary directory"},
	{"--prepare", TAKES_NOTHING, NULL, "make scripts for this kernel build fast"},
	{"--cache", TAKES_NOTHING, NULL, "show what the cache holds"},
	{"--list", TAKES_NOTHING, NULL, "list scripts in processes and loaded modules"},
	{"--cleanup", TAKES_TEXT, NULL,
	 "remove what a killed run has left in a process, or a module"},
	{"--clean-cache", TAKES_NOTHING, NULL, "empty the cache"},
	{"--disable-cache", TAKES_NOTHING, NULL, "do not use the cache"},
	{"--poison-cache", TAKES_NOTHING, NULL, "do not read the cache"},
	{"--save-uprobes", TAKES_NOTHING, NULL, "nothing"},
	{"--rlimit-as", TAKES_TEXT, NULL, "limit ustap's memory"},
	{"--rlimit-cpu", TAKES_TEXT, NULL, "limit ustap's time"},
	{"--rlimit-nproc", TAKES_TEXT, NULL, "limit ustap's processes"},
	{"--rlimit-stack", TAKES_TEXT, NULL, "limit ustap's stack"},
	{"--rlimit-fsize", TAKES_TEXT, NULL, "limit the size of ustap's files"},
	{"-v", TAKES_NOTHING, NULL, "say what is done"},
	{"--vp", TAKES_TEXT, NULL, "say what is done in each pass"},
	{"--explain", TAKES_NOTHING, NULL, "say where each probe point is"},
	{"--expect-hits", TAKES_NOTHING, NULL, "a probe that was not hit is a failure"},
	{"--report", TAKES_WORD, "tap junit", "a report of the run"},
	{"--sign-module", TAKES_TEXT, NULL, "sign the kernel module with KEY,CERT"},
	{"--strict", TAKES_NOTHING, NULL, "what is lost, cut or skipped is a failure"},
	{"--timeout", TAKES_TEXT, NULL, "end it after so many seconds"},
	{"--color", TAKES_WORD, "never always auto", "colours in messages"},
	{"--colour", TAKES_WORD, "never always auto", "colours in messages"},
	{"--dump", TAKES_PASS, NULL, "print what a pass made"},
	{"--dump-probe-types", TAKES_NOTHING, NULL, "list the kinds of probe points"},
	{"--dump-probe-aliases", TAKES_NOTHING, NULL, "list the library's aliases"},
	{"--dump-functions", TAKES_NOTHING, NULL, "list the functions"},
	{"--version", TAKES_NOTHING, NULL, "print the version"},
	{"--help", TAKES_NOTHING, NULL, "print the options"},
	{"--download-debuginfo", TAKES_WORD, "no", "nothing: see DEBUGINFOD_URLS"},
	{"-l", TAKES_POINTS, NULL, "the probe points that a pattern stands for"},
	{"-L", TAKES_POINTS, NULL, "the same, with the variables there"},
	{NULL, TAKES_NOTHING, NULL, NULL},
};
/* clang-format on */

const char *option_row_name(const struct option_row *row)
{
	return row->name ? xprintf("--%s", row->name) : xprintf("-%c", row->letter);
}

const struct option_words *option_words_of(const struct option_row *row)
{
	const char *name = option_row_name(row);

	for (const struct option_words *w = option_words; w->option; w++)
		if (!strcmp(w->option, name))
			return w;
	return NULL;
}
