/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The runtime interface of emitted C, which may use nothing else. It includes only its parts, so
 * that a script compiles without kernel headers, and is the same for both runtimes. The translator
 * treats this file as text; the runtime implements it.
 *
 * Conventions: a script's integer is ust_long. A script's string is a NUL-terminated `const char *`
 * into storage of ust_program.maxstringlen bytes; code that keeps it copies it with ust_strcpy(). A
 * call that can fail sets c->failed and the error text; emitted code then leaves for the innermost
 * catch, or for the end of the handler.
 */
#ifndef USTAP_RT_H
#define USTAP_RT_H

#include "ustap_context.h"
#include "ustap_memory.h"
#include "ustap_program.h"
#include "ustap_shape.h"
#include "ustap_stackmap.h"
#include "ustap_types.h"
#include "ustap_values.h"

#include "ustap_builtins.h"

#endif
