/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Marks around frames of files that the translator did not read, which staprun replaces by the name
 * in the file's symbol table (described in wire.h). Only directly printed text has marks: in
 * strings they would be visible to the script.
 */
#include "unwind/unwind.h"
#include "wire_records.h"

/* Room for a mark and its text, without the two copies of the path. */
enum { ROOM = 1024, MAX_PATH = 1024 };

/* True if PATH is absolute and has no control characters, which end a mark. */
static bool is_plain(const char *path)
{
	u32 n;

	for (n = 0; path[n]; n++)
		if ((unsigned char)path[n] < ' ' || n >= MAX_PATH)
			return false;
	return *path == '/';
}

static void put_field(struct ust_out *o, u64 v)
{
	char digits[20];

	ust_put(o, digits, fmt_hex(digits, v));
	ust_put(o, " ", 1);
}

bool name_mark_begin(struct ust_ctx *c, struct ust_out *o, const struct name_mark *m)
{
	u64 key = port_name_key();
	char build_id[IMAGE_BUILD_ID];

	if (!key || !o->c || !(ust_program.flags & UST_PROG_NAMES) || !m->path ||
	    !is_plain(m->path) || !mapped_image_build_id(c, m->header, build_id))
		return false;
	/* a mark and its text must be in one record */
	if ((size_t)(o->end - o->p) < ROOM + 2 * strlen(m->path))
		ctx_flush(c, false);
	ust_put(o, UST_NAME_MARK, 1);
	put_field(o, key);
	put_field(o, (u64)ust_pid(c));
	put_field(o, m->addr);
	put_field(o, m->in_file);
	put_field(o, (m->behind_call ? UST_NAME_BEHIND_CALL : 0) | (m->brief ? UST_NAME_BRIEF : 0) |
			     (ust_program.flags & UST_PROG_RAW_NAMES ? UST_NAME_RAW : 0));
	ust_put_s(o, build_id);
	ust_put(o, " ", 1);
	ust_put_s(o, m->path);
	ust_put(o, UST_NAME_TEXT, 1);
	return true;
}

void name_mark_end(struct ust_out *o) { ust_put(o, UST_NAME_MARK, 1); }
