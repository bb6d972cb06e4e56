/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the answers share: they are made in children. */
#ifndef VIEW_H
#define VIEW_H

#include "lsp.h"
#include "edit/edit.h"

void view_open(struct view *v, struct server *srv, const struct document *d);
const char *uri_path(const char *uri); /* "" if it is no file */
const char *path_uri(const char *path);
size_t view_offset(const struct view *v, json *params); /* of params.position */
json *range_of(const struct view *v, struct loc loc);
json *location_of(const struct view *v, struct loc loc); /* with its file; NULL: it has none */

#endif
