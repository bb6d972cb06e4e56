/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tokenize(): the rest of the last string passed remains in the context, after the data of the
 * match, until the handler ends.
 */
#include "common.h"

static bool is_in(char ch, const char *set)
{
	for (; *set; set++)
		if (*set == ch)
			return true;
	return false;
}

/* The next token of the text at *REST, which advances to after it; returns its length. */
static u32 next_token(const char **rest, const char *delim, const char **token)
{
	const char *p = *rest;

	while (*p && is_in(*p, delim))
		p++;
	*token = p;
	while (*p && !is_in(*p, delim))
		p++;
	*rest = *p ? p + 1 : p;
	return (u32)(p - *token);
}

const char *ust_tokenize(struct ust_ctx *c, char *dst, const char *input, const char *delim)
{
	struct ctx *x = ctx_of(c);
	struct ust_out o;
	const char *token;
	u32 n;

	if (*input) {
		char *kept = x->frames + ctx_frames_bytes() - ctx_tokens_bytes();

		ust_strcpy(kept, input);
		x->tokens = kept;
	}
	ust_out_string(&o, dst);
	if (x->tokens) {
		const char *from = x->tokens;

		n = next_token(&x->tokens, delim, &token);
		ust_put(&o, token, n);
		ctx_work(c, (u64)(x->tokens - from) * (strlen(delim) + 1));
	}
	ust_out_finish(&o);
	return dst;
}
