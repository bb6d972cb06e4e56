/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Helpers of the answers, which run in child processes. */
#ifndef VIEW_H
#define VIEW_H

#include "lsp.h"
#include "edit/edit.h"

/* Set up V for the document D, which must outlive it; see view_make(). */
void view_open(struct view *v, struct server *srv, const struct document *d);
const char *uri_path(const char *uri); /* "" if it is not a file URI */
/* The file: URI of PATH, with other bytes than RFC 3986's unreserved ones percent-encoded. In the
 * arena. */
const char *path_uri(const char *path);
size_t view_offset(const struct view *v, json *params); /* of params.position */
/* LSP's Range of LOC as a new JSON object, in the client's position encoding. */
json *range_json(const struct view *v, struct loc loc);
json *location_json(const struct view *v, struct loc loc); /* with its file; NULL if it has no file
							    */

#endif
