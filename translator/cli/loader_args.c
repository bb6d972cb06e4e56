/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Loader arguments: the options of ustap that staprun has too, as words of its command line. */
#include <inttypes.h>
#include "options.h"

static void add(arg_vec *a, const char *option, const char *value)
{
	vec_push(a, option);
	vec_push(a, value);
}

static void pass_process(const struct session *s, arg_vec *a)
{
	for (size_t i = 0; i < s->opt.pids.n; i++)
		add(a, "-x", xprintf("%" PRId64, s->opt.pids.v[i]));
}

static void pass_ready_fd(const struct session *s, arg_vec *a)
{
	if (s->opt.ready_fd)
		add(a, "--ready-fd", xprintf("%" PRId64, s->opt.ready_fd));
}

static void pass_format(const struct session *s, arg_vec *a)
{
	if (s->opt.format != FORMAT_TEXT)
		add(a, "--output", option_choices("--output").v[s->opt.format]);
}

static void pass_rotation(const struct session *s, arg_vec *a)
{
	if (s->opt.rotation)
		add(a, "-S", s->opt.rotation);
}

static void pass_report(const struct session *s, arg_vec *a)
{
	if (s->opt.report)
		add(a, "--report", s->opt.report);
}

static void pass_verbose(const struct session *s, arg_vec *a)
{
	for (int i = 0; i < verbose + s->opt.pass_verbose[4]; i++)
		vec_push(a, "-v");
}

/* For each row of option_rows, in their order: the function of a forwarded CALL. */
#define PASS_FLAG(field)         NULL
#define PASS_TEXT(field)         NULL
#define PASS_TEXTS(field)        NULL
#define PASS_NUMBER(field, most) NULL
#define PASS_CALL(x)             pass_##x
static void (*const pass[])(const struct session *s, arg_vec *a) = {
#define USTAP_OPTION(...)                               NULL,
#define BOTH_OPTION(...)                                NULL,
#define FORWARDED_OPTION(name, letter, value, how, ...) PASS_##how,
#define REFUSED_OPTION(...)                             NULL,
#include "../../runtime/include/options/options.def"
};

static void pass_number(const struct option_row *row, int64_t n, arg_vec *a)
{
	const char *name = option_row_name(row);

	if (n && row->value == MAY_HAVE_VALUE)
		vec_push(a, xprintf("%s=%" PRId64, name, n));
	else if (n)
		add(a, name, xprintf("%" PRId64, n));
}

static void pass_row(const struct session *s, size_t i, arg_vec *a)
{
	const struct option_row *row = &option_rows[i];
	const char *field = (const char *)&s->opt + row->field, *text;

	switch (row->how) {
	case FLAG:
		if (*(const bool *)field)
			vec_push(a, option_row_name(row));
		break;
	case TEXT:
		text = *(const char *const *)field;
		if (text)
			add(a, option_row_name(row), text);
		break;
	case TEXTS:
		for (size_t k = 0; k < ((const text_vec *)field)->n; k++)
			add(a, option_row_name(row), ((const text_vec *)field)->v[k]);
		break;
	case NUMBER:
		pass_number(row, *(const int64_t *)field, a);
		break;
	case CALL:
		pass[i](s, a);
		break;
	case NOTHING:
	case REFUSED:
		break;
	}
}

void loader_args(const struct session *s, arg_vec *a)
{
	for (size_t i = 0; i < option_count; i++)
		if (option_rows[i].forwarded)
			pass_row(s, i, a);
}
