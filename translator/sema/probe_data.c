/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Data of probes without sites: the members of the union in struct probe, for emitted C and dumps.
 */
#include <stddef.h>
#include <string.h>
#include "sema/program.h"

#define FIELD(member, name, form)                                       \
	{                                                               \
#name, offsetof(struct probe, member.name), form, false \
	}
#define DUMPED(member, name, form)                                     \
	{                                                              \
#name, offsetof(struct probe, member.name), form, true \
	}

static const struct probe_field life[] = {
	DUMPED(life, priority, FIELD_NUMBER), FIELD(life, after_error, FIELD_FLAG), {0}};
static const struct probe_field timer[] = {
	DUMPED(timer, period, FIELD_NUMBER), FIELD(timer, spread, FIELD_NUMBER), {0}};
static const struct probe_field process[] = {DUMPED(process, pid, FIELD_NUMBER), {0}};
static const struct probe_field file[] = {FIELD(file, path, FIELD_TEXT),
					  DUMPED(file, size, FIELD_NUMBER),
					  FIELD(file, mode, FIELD_NUMBER),
					  {0}};
static const struct probe_field perf[] = {
	FIELD(perf, type, FIELD_COUNT),    FIELD(perf, config, FIELD_ADDRESS),
	DUMPED(perf, count, FIELD_NUMBER), FIELD(perf, by_rate, FIELD_FLAG),
	FIELD(perf, counter, FIELD_TEXT),  {0}};
static const struct probe_field data[] = {FIELD(data, symbol, FIELD_TEXT),
					  DUMPED(data, addr, FIELD_ADDRESS),
					  FIELD(data, length, FIELD_LENGTH),
					  FIELD(data, is_read, FIELD_FLAG),
					  {0}};
static const struct probe_field packet[] = {FIELD(packet, family, FIELD_NUMBER),
					    FIELD(packet, hook, FIELD_NUMBER),
					    DUMPED(packet, priority, FIELD_NUMBER),
					    {0}};

const struct probe_data probe_data[] = {
	[HOLDS_LIFE] = {"life", life},          [HOLDS_TIMER] = {"timer", timer},
	[HOLDS_PROCESS] = {"process", process}, [HOLDS_FILE] = {"file", file},
	[HOLDS_PERF] = {"perf", perf},          [HOLDS_DATA] = {"data", data},
	[HOLDS_PACKET] = {"packet", packet},
};

int64_t probe_field_number(const struct probe *p, const struct probe_field *f)
{
	const void *at = (const char *)p + f->offset;

	switch (f->form) {
	case FIELD_NUMBER:
	case FIELD_ADDRESS:
	case FIELD_LENGTH:
		return *(const int64_t *)at;
	case FIELD_COUNT:
		return *(const unsigned *)at;
	case FIELD_FLAG:
		return *(const bool *)at;
	case FIELD_TEXT:
		break;
	}
	return 0;
}

bool probe_runs_alone(const struct probe *p)
{
	static const char *const alone[] = {"UST_PROBE_BEGIN", "UST_PROBE_END", "UST_PROBE_ERROR"};

	for (size_t i = 0; p->kind->rt && i < ARRAY_LEN(alone); i++)
		if (!strcmp(p->kind->rt, alone[i]))
			return true;
	return false;
}
