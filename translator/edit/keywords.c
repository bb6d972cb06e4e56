/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Keywords: the words of the language, for completion and hovering.  unit/test_words compares them
 * with the scanner's. */
#include <string.h>
#include "edit.h"

/* clang-format off */
const struct keyword keywords[] = {
	{"probe", "probe POINT, ... { ... }",
		"A handler: what is done when one of the points is hit. With `NAME = POINTS` it "
		"declares an alias."},
	{"global", "global NAME, NAME[SIZE], NAME = VALUE",
		"Variables and arrays that all handlers share; shown at the end if nothing reads "
		"them."},
	{"function", "function NAME:TYPE(PARAMETER:TYPE, ...) { ... }",
		"A function of the script; types may be left out where they can be inferred."},
	{"private", "private global ...", "What follows is seen in its file only."},
	{"@define", "@define NAME(PARAMETERS) %( ... %)",
		"A macro: @NAME(...) stands for the text between the parentheses."},
	{"if", "if (CONDITION) STATEMENT else STATEMENT",
		"In a list of probe points: the point counts while the condition holds."},
	{"else", "if (CONDITION) STATEMENT else STATEMENT",
		"What is done if the condition does not hold."},
	{"while", "while (CONDITION) STATEMENT",
		"A loop; MAXACTION limits the statements of a handler."},
	{"for", "for (START; CONDITION; STEP) STATEMENT", "A loop, as in C."},
	{"foreach", "foreach ([KEY, ...] in ARRAY- limit N) STATEMENT",
		"Goes over an array. + and - behind a key or the array sort, upwards and "
		"downwards."},
	{"in", "[KEY, ...] in ARRAY", "Whether the array has the element; in foreach, the array."},
	{"limit", "foreach (KEY in ARRAY limit N)", "At most so many turns of the loop."},
	{"break", "break", "Leaves the innermost loop."},
	{"continue", "continue", "Goes on with the next turn of the innermost loop."},
	{"next", "next",
		"Leaves the handler; in a function, the next function of this name is tried."},
	{"return", "return VALUE", "Leaves a function."},
	{"delete", "delete ARRAY[KEY, ...]",
		"Removes an element, all elements, or resets a variable."},
	{"try", "try { ... } catch (MESSAGE) { ... }",
		"Errors in the first block go to the second."},
	{"catch", "try { ... } catch (MESSAGE) { ... }",
		"What is done after an error in the try block."},
	{"print", "print(VALUE)", "Prints a number, string or histogram."},
	{"println", "println(VALUE, ...)", "Prints values and ends the line."},
	{"printd", "printd(DELIMITER, VALUE, ...)", "Prints values with a delimiter between them."},
	{"printdln", "printdln(DELIMITER, VALUE, ...)",
		"Prints values with a delimiter between them, and ends the line."},
	{"printf", "printf(FORMAT, VALUE, ...)",
		"Prints by a format: %d %u %x %o %s %c %p %b %m %M."},
	{"sprint", "sprint(VALUE, ...)", "What print prints, as a string."},
	{"sprintln", "sprintln(VALUE, ...)", "What println prints, as a string."},
	{"sprintd", "sprintd(DELIMITER, VALUE, ...)", "What printd prints, as a string."},
	{"sprintdln", "sprintdln(DELIMITER, VALUE, ...)", "What printdln prints, as a string."},
	{"sprintf", "sprintf(FORMAT, VALUE, ...)", "What printf prints, as a string."},
	{"@count", "@count(STATISTIC)", "How many values were added to it."},
	{"@sum", "@sum(STATISTIC)", "The sum of its values."},
	{"@min", "@min(STATISTIC)", "The smallest of its values."},
	{"@max", "@max(STATISTIC)", "The largest of its values."},
	{"@avg", "@avg(STATISTIC)", "The average of its values."},
	{"@variance", "@variance(STATISTIC)", "The variance of its values."},
	{"@hist_log", "@hist_log(STATISTIC)", "A histogram by powers of two, to be printed."},
	{"@hist_linear", "@hist_linear(STATISTIC, LOW, HIGH, WIDTH)",
		"A histogram by equal steps, to be printed."},
	{"@defined", "@defined($VARIABLE)",
		"Whether the variable is there, known when the script is compiled."},
	{"@probewrite", "@probewrite(VARIABLE)",
		"In an alias: whether the handler writes to the variable."},
	{"@entry", "@entry(EXPRESSION)",
		"In a return probe: the value when the function was entered."},
	{"@var", "@var(\"NAME@FILE\", \"MODULE\")", "A variable of the program by name."},
	{"@cast", "@cast(VALUE, \"TYPE\", \"MODULE\")",
		"A value as a pointer to a C type, for -> and []."},
	{"@enum", "@enum(\"NAME\", \"MODULE\")", "The value of an enumerator of the program."},
	{"@const", "@const(\"NAME\")", "The value of a C constant; needs guru mode."},
	{"@perf", "@perf(\"NAME\")",
		"What the counter of perf. ... .counter(\"NAME\") has counted."},
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
