/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The language server: what its process shares.
 *
 * It reads messages, keeps the documents, and answers nothing itself: each request, and each check
 * of a document, is a child process, which has all documents as they were when it was made, runs
 * the compiler's passes, and writes its answer into a pipe.  So a pass may use as much memory as it
 * likes, end in a crash or take long: the child is gone afterwards, and can be ended when the
 * client does not want its answer any more.
 *
 *   server -> {rpc, document, job} ; job's child -> answer -> {complete, hover, where, diagnose} ->
 * analyse, thing
 *
 * Memory of this process is malloc()ed and freed; that of children is in the arena and the kernel's
 * to reclaim.
 */
#ifndef LSP_H
#define LSP_H

#include <json-c/json.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

typedef struct json_object json;
struct session;

/* ------------------------------------------------------------------- rpc.c */

/* Input that was received and not parsed yet. */
struct stream {
	int fd;
	char *buf;
	size_t n, cap, skip;
};

enum rpc { RPC_MORE, RPC_MESSAGE, RPC_TOO_LARGE };
bool rpc_fill(struct stream *in); /* false at the end of the input */
/* The next whole message; BODY is malloc()ed. */
enum rpc rpc_next(struct stream *in, char **body, size_t *len);
/* Write the message BODY with its Content-Length header to FD, waiting for the reader. False: the
 * client is gone, errno is set. */
bool rpc_write(int fd, const char *body, size_t len);

/* -------------------------------------------------------------- position.c */

enum encoding { ENCODING_UTF16, ENCODING_UTF8, ENCODING_UTF32 };

/* The byte that LINE and CHARACTER, counted in units of ENCODING from 0, mean; positions beyond
 * the end of the line or text are clamped. */
size_t position_offset(const char *text, size_t len, enum encoding e, int64_t line,
		       int64_t character);
/* CHARACTER of byte AT of the line that begins at byte LINE. */
int64_t position_character(const char *text, enum encoding e, size_t line, size_t at);
/* Where the line after byte FROM begins; LEN if it is the last line. */
size_t position_next_line(const char *text, size_t len, size_t from);

/* -------------------------------------------------------------- document.c */

struct document {
	struct document *next;
	char *uri;
	char *text;
	size_t len; /* text[len] is 0 */
	int64_t version;
	uint64_t check_at; /* when it is to be checked, ms; 0: it is */
};

/* The open document with this URI; NULL if it is not open. */
struct document *document_find(struct document *list, const char *uri);
/* Add a document to *LIST, or replace the content of one that is open. Copies URI and TEXT to the
 * heap. */
void document_open(struct document **list, const char *uri, const char *text, size_t len,
		   int64_t version);
/* Remove and free the document; nothing happens if it is not open. */
void document_close(struct document **list, const char *uri);
/* CHANGES of a didChange notification, in order; false if they make no sense. */
bool document_change(struct document *d, json *changes, enum encoding e);

/* ---------------------------------------------------------------- server.c */

struct server {
	struct session *base; /* options of the command line */
	struct stream in;
	int out;
	enum { LSP_NEW, LSP_RUNNING, LSP_SHUT_DOWN, LSP_GONE } state;
	int status; /* of exit */
	enum encoding encoding;
	bool snippets, markdown; /* capabilities of the client */
	struct document *documents;
	struct job *jobs;
	size_t njobs;
};

/* JSON-RPC's and LSP's numbers. */
enum {
	RPC_PARSE = -32700,
	RPC_INVALID = -32600,
	RPC_NO_METHOD = -32601,
	RPC_PARAMS = -32602,
	RPC_INTERNAL = -32603,
	LSP_NOT_INITIALIZED = -32002,
	LSP_CANCELLED = -32800,
	LSP_FAILED = -32803
};

/* Answer the request ID (borrowed) with an error CODE of the enum above and TEXT. */
void server_error(struct server *srv, json *id, int code, const char *text);
void server_notify(struct server *srv, const char *method, json *params); /* takes PARAMS */
/* Show TEXT in the client's log as a warning (window/logMessage). */
void server_log(struct server *srv, const char *text);

/* ------------------------------------------------------------------- job.c */

/* A child that makes an answer. */
struct job {
	struct job *next;
	pid_t pid;
	int fd;
	json *id; /* of the request; NULL: it checks a document */
	char *uri;
	char *buf;
	size_t n, cap;
	uint64_t deadline;
};

enum { MAX_JOBS = 12 };
typedef json *(*answer_fn)(struct server *srv, const struct document *d, json *params);

/* CLOCK_MONOTONIC in milliseconds, for deadlines. */
uint64_t now_ms(void);
/* Fork a child that computes ANSWER for D and writes it to a pipe, so that a script that crashes
 * the compiler or takes long does not stop the server. ID: of the request, NULL for a check of a
 * document. False: no process or pipe could be made; the caller answers with an error. */
bool job_start(struct server *srv, json *id, const struct document *d, answer_fn answer,
	       json *params);
/* some of what J says; it is gone if that was all */
void job_read(struct server *srv, struct job *j);
/* Kill the job of request ID and answer it with LSP_CANCELLED. False: no such job. */
bool job_cancel(struct server *srv, json *id);
/* Kill the checks of the document URI, whose text has changed. */
void jobs_drop_checks(struct server *srv, const char *uri);
/* Kill jobs past their deadline and answer their requests with LSP_FAILED. */
void jobs_overdue(struct server *srv);
/* Kill all jobs, without answers. */
void jobs_end(struct server *srv);

/* ------------------------------------------------------------------ json.c */

json *json_text(const char *s); /* invalid UTF-8 in S is replaced */
/* Set obj[key]. Takes the reference to VALUE; NULL is JSON's null. */
void json_put(json *obj, const char *key, json *value);
/* Set obj[key] to the string S, as from json_text(). */
void json_put_text(json *obj, const char *key, const char *s);
json *json_at(json *obj, const char *path);              /* "a.b.c"; NULL */
const char *json_string_at(json *obj, const char *path); /* NULL if it is not a string */

/* ------------------------------------------------ the answers, in children */

/* Answers to requests: each runs in a child of job_start(), for the document D and the request's
 * PARAMS (borrowed), and returns the result as a new object, NULL for JSON's null. All memory goes
 * with the child. answer_check(): PublishDiagnosticsParams. */
json *answer_check(struct server *srv, const struct document *d, json *params);
/* textDocument/completion: a CompletionList. */
json *answer_completion(struct server *srv, const struct document *d, json *params);
/* textDocument/hover: a Hover; NULL in comments and where nothing is known. */
json *answer_hover(struct server *srv, const struct document *d, json *params);
/* textDocument/definition: an array of Location. */
json *answer_definition(struct server *srv, const struct document *d, json *params);
/* textDocument/references: an array of Location, with the declarations if PARAMS.context asks for
 * them. */
json *answer_references(struct server *srv, const struct document *d, json *params);
/* textDocument/documentHighlight: an array of DocumentHighlight. */
json *answer_highlights(struct server *srv, const struct document *d, json *params);
/* textDocument/documentSymbol: an array of DocumentSymbol, one for each declaration. */
json *answer_symbols(struct server *srv, const struct document *d, json *params);

#endif
