/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Server: the conversation.  Messages are taken in their order; changes of documents take effect at
 * once, requests become jobs.  A document is checked when it has not changed for a moment.
 */
#include "config.h"
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "lsp.h"
#include "passes.h"

#define CHECK_DELAY 200 /* ms without a change before a check */

/* ------------------------------------------------------------- messages */

static void send_json(struct server *srv, json *message)
{
	size_t len;
	const char *text = json_object_to_json_string_length(
		message, JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE, &len);

	rpc_write(srv->out, text, len);
	json_object_put(message);
}

static json *message_new(void)
{
	json *m = json_object_new_object();

	json_put_text(m, "jsonrpc", "2.0");
	return m;
}

static void reply(struct server *srv, json *id, json *result)
{
	json *m = message_new();

	json_put(m, "id", json_object_get(id));
	json_put(m, "result", result);
	send_json(srv, m);
}

void server_error(struct server *srv, json *id, int code, const char *text)
{
	json *m = message_new(), *error = json_object_new_object();

	json_put(error, "code", json_object_new_int(code));
	json_put_text(error, "message", text);
	json_put(m, "id", json_object_get(id));
	json_put(m, "error", error);
	send_json(srv, m);
}

void server_notify(struct server *srv, const char *method, json *params)
{
	json *m = message_new();

	json_put_text(m, "method", method);
	json_put(m, "params", params);
	send_json(srv, m);
}

void server_log(struct server *srv, const char *text)
{
	json *params = json_object_new_object();

	json_put(params, "type", json_object_new_int(2)); /* a warning */
	json_put_text(params, "message", text);
	server_notify(srv, "window/logMessage", params);
}

/* ------------------------------------------------------------- the beginning and the end */

/* UTF-8 if the client takes it, as texts are kept so; all clients take UTF-16. */
static enum encoding choose_encoding(json *params)
{
	static const char *const names[] = {"utf-8", "utf-16", "utf-32"};
	static const enum encoding encodings[] = {ENCODING_UTF8, ENCODING_UTF16, ENCODING_UTF32};
	json *offered = json_at(params, "capabilities.general.positionEncodings");

	if (!json_object_is_type(offered, json_type_array))
		return ENCODING_UTF16;
	for (size_t k = 0; k < 3; k++)
		for (size_t i = 0; i < json_object_array_length(offered); i++) {
			const char *name = json_object_get_string(
				json_object_array_get_idx(offered, i));

			if (name && !strcmp(name, names[k]))
				return encodings[k];
		}
	return ENCODING_UTF16;
}

static bool offers_markdown(json *params)
{
	json *formats = json_at(params, "capabilities.textDocument.hover.contentFormat");

	if (!json_object_is_type(formats, json_type_array))
		return false;
	for (size_t i = 0; i < json_object_array_length(formats); i++) {
		const char *name = json_object_get_string(json_object_array_get_idx(formats, i));

		if (name && !strcmp(name, "markdown"))
			return true;
	}
	return false;
}

static json *capabilities(const struct server *srv)
{
	static const char *const encoding_names[] = {"utf-16", "utf-8", "utf-32"};
	static const char *const providers[] = {"hoverProvider", "definitionProvider",
						"referencesProvider", "documentHighlightProvider",
						"documentSymbolProvider"};
	static const char *const triggers[] = {".", "\"", "$", "@", "/", ">"};
	json *c = json_object_new_object(), *sync = json_object_new_object(),
	     *completion = json_object_new_object();
	json *chars = json_object_new_array();

	json_put_text(c, "positionEncoding", encoding_names[srv->encoding]);
	json_put(sync, "openClose", json_object_new_boolean(1));
	json_put(sync, "change", json_object_new_int(2)); /* by parts */
	json_put(sync, "save", json_object_new_boolean(1));
	json_put(c, "textDocumentSync", sync);
	for (size_t i = 0; i < sizeof triggers / sizeof *triggers; i++)
		json_object_array_add(chars, json_text(triggers[i]));
	json_put(completion, "triggerCharacters", chars);
	json_put(c, "completionProvider", completion);
	for (size_t i = 0; i < sizeof providers / sizeof *providers; i++)
		json_put(c, providers[i], json_object_new_boolean(1));
	return c;
}

static void initialize(struct server *srv, json *id, json *params)
{
	json *result = json_object_new_object(), *info = json_object_new_object();

	srv->encoding = choose_encoding(params);
	srv->snippets = json_object_get_boolean(json_at(
		params, "capabilities.textDocument.completion.completionItem.snippetSupport"));
	srv->markdown = offers_markdown(params);
	srv->state = LSP_RUNNING;
	json_put(result, "capabilities", capabilities(srv));
	json_put_text(info, "name", "ustap");
	json_put_text(info, "version", PACKAGE_VERSION);
	json_put(result, "serverInfo", info);
	reply(srv, id, result);
}

/* ------------------------------------------------------------- documents */

static const char *uri_of(json *params) { return json_string_at(params, "textDocument.uri"); }

/* The check that runs is of a text that is not there any more. */
static void check_later(struct server *srv, struct document *d, uint64_t delay)
{
	jobs_drop_checks(srv, d->uri);
	d->check_at = now_ms() + delay;
}

static void did_open(struct server *srv, json *params)
{
	json *text = json_at(params, "textDocument.text");
	const char *uri = uri_of(params);

	if (!uri || !json_object_is_type(text, json_type_string))
		return;
	document_open(&srv->documents, uri, json_object_get_string(text),
		      (size_t)json_object_get_string_len(text),
		      json_object_get_int64(json_at(params, "textDocument.version")));
	check_later(srv, document_find(srv->documents, uri), 0);
}

static void did_change(struct server *srv, json *params)
{
	struct document *d = document_find(srv->documents, uri_of(params));

	if (!d)
		return;
	if (!document_change(d, json_at(params, "contentChanges"), srv->encoding))
		server_log(srv, "invalid change of a document");
	d->version = json_object_get_int64(json_at(params, "textDocument.version"));
	check_later(srv, d, CHECK_DELAY);
}

static void did_save(struct server *srv, json *params)
{
	struct document *d = document_find(srv->documents, uri_of(params));

	if (d)
		check_later(srv, d, 0);
}

static void did_close(struct server *srv, json *params)
{
	const char *uri = uri_of(params);
	json *none;

	if (!document_find(srv->documents, uri))
		return;
	jobs_drop_checks(srv, uri);
	document_close(&srv->documents, uri);
	none = json_object_new_object();
	json_put_text(none, "uri", uri);
	json_put(none, "diagnostics", json_object_new_array());
	server_notify(srv, "textDocument/publishDiagnostics", none);
}

static void cancel(struct server *srv, json *params)
{
	json *id = json_at(params, "id");

	if (id)
		job_cancel(srv, id);
}

static void exit_now(struct server *srv, json *params)
{
	(void)params;
	srv->status = srv->state == LSP_SHUT_DOWN ? 0 : 1;
	srv->state = LSP_GONE;
}

/* ------------------------------------------------------------- dispatch */

static const struct {
	const char *method;
	void (*act)(struct server *srv, json *params);
} notifications[] = {
	{"textDocument/didOpen", did_open}, {"textDocument/didChange", did_change},
	{"textDocument/didSave", did_save}, {"textDocument/didClose", did_close},
	{"$/cancelRequest", cancel},        {"exit", exit_now},
};

static const struct {
	const char *method;
	answer_fn answer;
} requests[] = {
	{"textDocument/completion", answer_completion},
	{"textDocument/hover", answer_hover},
	{"textDocument/definition", answer_definition},
	{"textDocument/references", answer_references},
	{"textDocument/documentHighlight", answer_highlights},
	{"textDocument/documentSymbol", answer_symbols},
};

static void notified(struct server *srv, const char *method, json *params)
{
	bool running = srv->state == LSP_RUNNING || !strcmp(method, "exit");

	for (size_t i = 0; running && i < sizeof notifications / sizeof *notifications; i++)
		if (!strcmp(notifications[i].method, method)) {
			notifications[i].act(srv, params);
			return;
		}
}

static void start_answer(struct server *srv, json *id, answer_fn answer, json *params)
{
	const struct document *d = document_find(srv->documents, uri_of(params));

	if (!d)
		server_error(srv, id, RPC_PARAMS, "the document is not open");
	else if (!job_start(srv, id, d, answer, params))
		server_error(srv, id, RPC_INTERNAL, strerror(errno));
}

static void requested(struct server *srv, json *id, const char *method, json *params)
{
	for (size_t i = 0; i < sizeof requests / sizeof *requests; i++)
		if (!strcmp(requests[i].method, method)) {
			start_answer(srv, id, requests[i].answer, params);
			return;
		}
	server_error(srv, id, RPC_NO_METHOD, method);
}

/* Dispatch a request, if the state of the session allows it. */
static void request(struct server *srv, json *id, const char *method, json *params)
{
	if (srv->state == LSP_NEW && strcmp(method, "initialize")) {
		server_error(srv, id, LSP_NOT_INITIALIZED, "the first request must be initialize");
	} else if (srv->state == LSP_NEW) {
		initialize(srv, id, params);
	} else if (srv->state != LSP_RUNNING || !strcmp(method, "initialize")) {
		server_error(srv, id, RPC_INVALID,
			     srv->state == LSP_RUNNING ? "initialize was sent twice"
						       : "only exit may follow shutdown");
	} else if (!strcmp(method, "shutdown")) {
		jobs_end(srv);
		srv->state = LSP_SHUT_DOWN;
		reply(srv, id, NULL);
	} else {
		requested(srv, id, method, params);
	}
}

static void handle(struct server *srv, json *message)
{
	json *id = NULL, *params = json_at(message, "params");
	const char *method = json_string_at(message, "method");
	bool has_id = json_object_is_type(message, json_type_object) &&
		      json_object_object_get_ex(message, "id", &id);

	if (!method && has_id && (json_at(message, "result") || json_at(message, "error")))
		return; /* a response; nothing was asked */
	if (!method)
		server_error(srv, id, RPC_INVALID, "the message is not a request");
	else if (has_id)
		request(srv, id, method, params);
	else
		notified(srv, method, params);
}

static void take_message(struct server *srv, const char *body, size_t len)
{
	struct json_tokener *tok = json_tokener_new_ex(128);
	json *message;

	json_tokener_set_flags(tok, JSON_TOKENER_VALIDATE_UTF8);
	message = json_tokener_parse_ex(tok, body, (int)len + 1); /* its NUL ends numbers */
	if (json_tokener_get_error(tok) != json_tokener_success)
		server_error(srv, NULL, RPC_PARSE,
			     json_tokener_error_desc(json_tokener_get_error(tok)));
	else
		handle(srv, message);
	json_object_put(message);
	json_tokener_free(tok);
}

/* ------------------------------------------------------------- the loop */

static void take_messages(struct server *srv)
{
	char *body;
	size_t len;

	while (srv->state != LSP_GONE && srv->njobs < MAX_JOBS) {
		enum rpc what = rpc_next(&srv->in, &body, &len);

		if (what == RPC_MORE)
			return;
		if (what == RPC_TOO_LARGE) {
			server_error(srv, NULL, RPC_INVALID, "the message is too large");
			continue;
		}
		take_message(srv, body, len);
		free(body);
	}
}

static void start_checks(struct server *srv)
{
	for (struct document *d = srv->documents; d; d = d->next)
		if (d->check_at && d->check_at <= now_ms() && srv->njobs < MAX_JOBS) {
			d->check_at = 0;
			job_start(srv, NULL, d, answer_check, NULL);
		}
}

/* ms until something is to be done; -1: when there is input. */
static int time_left(const struct server *srv)
{
	uint64_t next = UINT64_MAX, now = now_ms();

	for (const struct document *d = srv->documents; d; d = d->next)
		if (d->check_at && srv->njobs < MAX_JOBS)
			next = d->check_at < next ? d->check_at : next;
	for (const struct job *j = srv->jobs; j; j = j->next)
		next = j->deadline < next ? j->deadline : next;
	return next == UINT64_MAX ? -1 : next <= now ? 0 : (int)(next - now);
}

/* Wait, and take what there is; false at the end of the input. */
static bool wait_and_take(struct server *srv)
{
	struct job *jobs[MAX_JOBS + 1];
	struct pollfd fds[MAX_JOBS + 1] = {
		{.fd = srv->njobs < MAX_JOBS ? srv->in.fd : -1, .events = POLLIN}};
	size_t n = 1;
	bool more = true;

	for (struct job *j = srv->jobs; j; j = j->next) {
		jobs[n] = j;
		fds[n++] = (struct pollfd){.fd = j->fd, .events = POLLIN};
	}
	if (poll(fds, n, time_left(srv)) < 0)
		return errno == EINTR;
	for (size_t i = 1; i < n; i++)
		if (fds[i].revents)
			job_read(srv, jobs[i]);
	if (fds[0].revents)
		more = rpc_fill(&srv->in);
	return more;
}

int language_server(struct session *s)
{
	struct server srv = {.base = s, .in = {.fd = STDIN_FILENO}, .status = 1};

	srv.out = dup(STDOUT_FILENO);
	dup2(STDERR_FILENO, STDOUT_FILENO); /* nothing that is printed gets among the messages */
	signal(SIGPIPE, SIG_IGN);
	while (srv.state != LSP_GONE && wait_and_take(&srv)) {
		take_messages(&srv);
		start_checks(&srv);
		jobs_overdue(&srv);
	}
	jobs_end(&srv);
	while (srv.documents)
		document_close(&srv.documents, srv.documents->uri);
	free(srv.in.buf);
	close(srv.out);
	return srv.status;
}
