/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Policies of approved modules. */
#ifndef STAPRUN_SESSION_POLICY_H
#define STAPRUN_SESSION_POLICY_H

#include <stdbool.h>
#include <stddef.h>

#include "base/command_words.h"

struct options;

/* Rights of a member of stapusr on an approved module: its NAME.policy; see staprun(8). */
struct policy {
	struct policy_global *globals;
	size_t nglobals;
	struct words options;
	unsigned buffer_mb, seconds; /* 0: no limit */
	bool own;
};

/* Parse SIZE bytes of the file PATH, which is for messages. False after a message with the line;
 * call policy_free() in any case. */
bool policy_parse(struct policy *p, const char *path, const char *text, size_t size);
void policy_free(struct policy *p);
/* Check O against P, and apply limits that O does not set. False after a message. */
bool policy_permits(const struct policy *p, struct options *o);
/* Apply the policy of O's module, if there is one. */
bool policy_apply(struct options *o);

#endif
