/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Keywords: the words of the language, for completion and hovering.  unit/test_words compares them
 * with the scanner's. */
#include <string.h>
#include "edit.h"

/* clang-format off */
const struct keyword keywords[] = {
	{"probe", "probe POINT, ... { ... }",
		"A handler, run when one of the probe points is hit. `NAME = POINTS` "
		"declares an alias."},
	{"global", "global NAME, NAME[SIZE], NAME = VALUE",
		"Variables and arrays shared by all handlers; printed at the end if "
		"the script never reads them."},
	{"function", "function NAME:TYPE(PARAMETER:TYPE, ...) { ... }",
		"A function of the script; types are optional where they can be inferred."},
	{
		"private", "private global ...", "The declaration that follows is "
		"visible only in its file."},
	{"@define", "@define NAME(PARAMETERS) %( ... %)",
		"A macro: @NAME(...) stands for the text between the parentheses."},
	{"if", "if (CONDITION) STATEMENT else STATEMENT",
		"Behind a probe point: the probe is armed while the condition holds."},
	{"else", "if (CONDITION) STATEMENT else STATEMENT",
		"The statement to run if the condition does not hold."},
	{"while", "while (CONDITION) STATEMENT",
		"A loop; MAXACTION limits the statements of a handler."},
	{"for", "for (START; CONDITION; STEP) STATEMENT", "A loop, as in C."},
	{"foreach", "foreach ([KEY, ...] in ARRAY- limit N) STATEMENT",
		"Iterates over an array. + and - behind a key or the array sort, "
		"ascending and descending."},
	{
		"in", "[KEY, ...] in ARRAY", "Tests whether the array has the "
		"element; in foreach, names the array."},
	{"limit", "foreach (KEY in ARRAY limit N)", "Limits the number of iterations."},
	{"break", "break", "Leaves the innermost loop."},
	{"continue", "continue", "Continues with the next iteration of the innermost loop."},
	{"next", "next",
		"Leaves the handler; in a function, the next function of this name is tried."},
	{"return", "return VALUE", "Leaves a function."},
	{"delete", "delete ARRAY[KEY, ...]",
		"Removes an element, all elements, or resets a variable."},
	{"try", "try { ... } catch (MESSAGE) { ... }",
		"Runs the second block after an error in the first."},
	{"catch", "try { ... } catch (MESSAGE) { ... }",
		"The block to run after an error in the try block."},
	{"print", "print(VALUE)", "Prints a number, string or histogram."},
	{"println", "println(VALUE, ...)", "Prints values and ends the line."},
	{"printd", "printd(DELIMITER, VALUE, ...)", "Prints values with a delimiter between them."},
	{"printdln", "printdln(DELIMITER, VALUE, ...)",
		"Prints values with a delimiter between them, and ends the line."},
	{"printf", "printf(FORMAT, VALUE, ...)",
		"Prints by a format: %d %u %x %o %s %c %p %b %m %M."},
	{"sprint", "sprint(VALUE, ...)", "Returns the output of print as a string."},
	{"sprintln", "sprintln(VALUE, ...)", "Returns the output of println as a string."},
	{"sprintd", "sprintd(DELIMITER, VALUE, ...)", "Returns the output of printd as a string."},
	{
		"sprintdln", "sprintdln(DELIMITER, VALUE, ...)", "Returns the output "
		"of printdln as a string."},
	{"sprintf", "sprintf(FORMAT, VALUE, ...)", "Returns the output of printf as a string."},
	{"@count", "@count(STATISTIC)", "The number of values added to the statistic."},
	{"@sum", "@sum(STATISTIC)", "The sum of its values."},
	{"@min", "@min(STATISTIC)", "The smallest of its values."},
	{"@max", "@max(STATISTIC)", "The largest of its values."},
	{"@avg", "@avg(STATISTIC)", "The average of its values."},
	{"@variance", "@variance(STATISTIC)", "The variance of its values."},
	{
		"@percentile", "@percentile(STATISTIC, PERCENT)", "The value that PERCENT of "
		"its values, as 99 or 99.9, do not exceed, within 1 %."},
	{"@median", "@median(STATISTIC)", "Its 50th percentile."},
	{
		"@hist_log", "@hist_log(STATISTIC)", "A histogram with buckets by "
		"powers of two, to be printed."},
	{"@hist_linear", "@hist_linear(STATISTIC, LOW, HIGH, WIDTH)",
		"A histogram with buckets of equal width, to be printed."},
	{"@defined", "@defined($VARIABLE)",
		"1 if the variable exists at the probe point, decided at compile time."},
	{"@probewrite", "@probewrite(VARIABLE)",
		"In an alias: 1 if the handler writes to the variable."},
	{"@entry", "@entry(EXPRESSION)",
		"In a return probe: the value when the function was entered."},
	{"@var", "@var(\"NAME@FILE\", \"MODULE\")", "A variable of the program by name."},
	{"@cast", "@cast(VALUE, \"TYPE\", \"MODULE\")",
		"A value as a pointer to a C type, for -> and []."},
	{"@enum", "@enum(\"NAME\", \"MODULE\")", "The value of an enumerator of the program."},
	{"@const", "@const(\"NAME\")", "The value of a C constant; needs guru mode."},
	{"@perf", "@perf(\"NAME\")",
		"The value of the counter defined by perf. ... .counter(\"NAME\")."},
	{"@uderef", "@uderef(SIZE, ADDRESS)", "A number in the program's memory."},
	{"@kderef", "@kderef(SIZE, ADDRESS)", "A number in the kernel's memory."},
	{"@uregister", "@uregister(NUMBER)", "A register of the program, by its DWARF number."},
	{"@kregister", "@kregister(NUMBER)", "A register of the kernel, by its DWARF number."},
	{NULL, NULL, NULL},
};
/* clang-format on */

const struct keyword *keyword_find(const char *word)
{
	for (const struct keyword *k = keywords; k->word; k++)
		if (!strcmp(k->word, word))
			return k;
	return NULL;
}
