/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Requests of OTLP over HTTP, by libcurl, and what their responses mean. The server is not trusted:
 * time, headers and the part of a body that is read are limited, redirections are not followed, and
 * texts are bounded. Neither files nor variables of the environment configure libcurl, except those
 * that staprun passes.
 */
#include "config.h"
#include "request.h"

#ifdef HAVE_OTLP
#include <inttypes.h>
#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum {
	REQUEST_MS = 10000,
	CONNECT_MS = 5000,
	HEADERS_MAX = 64 << 10,  /* bytes of all headers of a response */
	RESPONSE_MAX = 64 << 10, /* bytes of a response that are read */
	NESTING_MAX = 16,
	WAIT_MAX_S = 3600
};

struct request {
	CURL *easy;
	char error[CURL_ERROR_SIZE];
	size_t headers, got; /* bytes */
	bool headers_end;    /* the empty line behind the headers has arrived */
	char response[RESPONSE_MAX];
};

/* ------------------------------------------------------------- responses */

static size_t take_header(char *text, size_t size, size_t n, void *arg)
{
	struct request *r = arg;

	r->headers_end = *text == '\r' || *text == '\n';
	r->headers += size * n;
	return r->headers > HEADERS_MAX ? 0 : size * n;
}

/* Bytes that exceed the buffer are dropped. */
static size_t take_response(char *text, size_t size, size_t n, void *arg)
{
	struct request *r = arg;
	size_t room = RESPONSE_MAX - r->got, part = size * n < room ? size * n : room;

	memcpy(r->response + r->got, text, part);
	r->got += part;
	return size * n;
}

/* The object that the response consists of; NULL: it is not JSON. To be released. */
static struct json_object *parse(const struct request *r)
{
	struct json_tokener *t = json_tokener_new_ex(NESTING_MAX);
	struct json_object *o = t ? json_tokener_parse_ex(t, r->response, (int)r->got) : NULL;

	if (t)
		json_tokener_free(t);
	if (json_object_is_type(o, json_type_object))
		return o;
	json_object_put(o);
	return NULL;
}

static const char *text_member(const struct json_object *o, const char *name)
{
	struct json_object *v = NULL;

	if (!json_object_object_get_ex(o, name, &v) || !json_object_is_type(v, json_type_string))
		return "";
	return json_object_get_string(v);
}

/* A 64-bit integer is a string in JSON of protobuf; numbers are accepted, too. */
static uint64_t number_member(const struct json_object *o, const char *name)
{
	struct json_object *v = NULL;
	int64_t n = json_object_object_get_ex(o, name, &v) ? json_object_get_int64(v) : 0;

	return n > 0 ? (uint64_t)n : 0;
}

/* Status 200: all was accepted, or all but some records. */
static void judge_accepted(const struct request *r, struct answer *a)
{
	static const char *const rejected[] = {"rejectedLogRecords", "rejectedDataPoints",
					       "rejectedSpans"};
	struct json_object *o = parse(r), *partial = NULL;

	a->verdict = ACCEPTED;
	if (o && json_object_object_get_ex(o, "partialSuccess", &partial) &&
	    json_object_is_type(partial, json_type_object)) {
		for (size_t i = 0; i < sizeof rejected / sizeof *rejected; i++)
			a->rejected += number_member(partial, rejected[i]);
		snprintf(a->why, sizeof a->why, "%s", text_member(partial, "errorMessage"));
	}
	json_object_put(o);
}

static void judge_failed(const struct request *r, long status, struct answer *a)
{
	struct json_object *o = parse(r);
	const char *text = o ? text_member(o, "message") : "";

	snprintf(a->why, sizeof a->why, "HTTP status %ld%s%s", status, *text ? ": " : "", text);
	json_object_put(o);
	/* the codes of the specification, "OTLP/HTTP Response", that permit another attempt */
	a->verdict = status == 429 || status == 502 || status == 503 || status == 504 ? RETRY
										      : REFUSED;
}

static unsigned retry_after(const struct request *r, long status)
{
	curl_off_t s = 0;

	if (status != 429 && status != 503)
		return 0;
	curl_easy_getinfo(r->easy, CURLINFO_RETRY_AFTER, &s);
	return s < 0 ? 0 : s > WAIT_MAX_S ? WAIT_MAX_S : (unsigned)s;
}

struct answer request_answer(const struct request *r, CURLcode result)
{
	struct answer a = {.verdict = RETRY};
	long status = 0;

	curl_easy_getinfo(r->easy, CURLINFO_RESPONSE_CODE, &status);
	if (r->headers > HEADERS_MAX)
		snprintf(a.why, sizeof a.why, "the headers of the response are too large");
	else if (result)
		snprintf(a.why, sizeof a.why, "%s",
			 *r->error ? r->error : curl_easy_strerror(result));
	else if (!r->headers_end) /* not an error for libcurl */
		snprintf(a.why, sizeof a.why, "the response ends within its headers");
	else if (status / 100 == 2)
		judge_accepted(r, &a);
	else
		judge_failed(r, status, &a);
	if (!result)
		a.wait_s = retry_after(r, status);
	return a;
}

/* -------------------------------------------------------------- requests */

static void allow_http(CURL *c)
{
#if LIBCURL_VERSION_NUM >= 0x075500
	curl_easy_setopt(c, CURLOPT_PROTOCOLS_STR, "http,https");
#else
	curl_easy_setopt(c, CURLOPT_PROTOCOLS, (long)(CURLPROTO_HTTP | CURLPROTO_HTTPS));
#endif
}

struct request *request_new(const char *url, const struct curl_slist *headers, void *owner)
{
	struct request *r = calloc(1, sizeof *r);
	const char *trusted = getenv("OTEL_EXPORTER_OTLP_CERTIFICATE");

	if (!r || !(r->easy = curl_easy_init()))
		abort();
	allow_http(r->easy);
	curl_easy_setopt(r->easy, CURLOPT_URL, url);
	curl_easy_setopt(r->easy, CURLOPT_HTTPHEADER, headers);
	curl_easy_setopt(r->easy, CURLOPT_PRIVATE, owner);
	curl_easy_setopt(r->easy, CURLOPT_POST, 1L);
	curl_easy_setopt(r->easy, CURLOPT_FOLLOWLOCATION, 0L);
	curl_easy_setopt(r->easy, CURLOPT_HTTP09_ALLOWED, 0L);
	curl_easy_setopt(r->easy, CURLOPT_NOSIGNAL, 1L);
	curl_easy_setopt(r->easy, CURLOPT_PROXY, "");
	curl_easy_setopt(r->easy, CURLOPT_TIMEOUT_MS, (long)REQUEST_MS);
	curl_easy_setopt(r->easy, CURLOPT_CONNECTTIMEOUT_MS, (long)CONNECT_MS);
	curl_easy_setopt(r->easy, CURLOPT_ERRORBUFFER, r->error);
	curl_easy_setopt(r->easy, CURLOPT_HEADERFUNCTION, take_header);
	curl_easy_setopt(r->easy, CURLOPT_HEADERDATA, r);
	curl_easy_setopt(r->easy, CURLOPT_WRITEFUNCTION, take_response);
	curl_easy_setopt(r->easy, CURLOPT_WRITEDATA, r);
	if (trusted && *trusted)
		curl_easy_setopt(r->easy, CURLOPT_CAINFO, trusted);
	return r;
}

CURL *request_prepare(struct request *r, const char *body, size_t size)
{
	r->headers = r->got = 0;
	r->headers_end = false;
	*r->error = 0;
	curl_easy_setopt(r->easy, CURLOPT_POSTFIELDS, body);
	curl_easy_setopt(r->easy, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)size);
	return r->easy;
}

/* --------------------------------------------------------------- headers */

/* RFC 9110, 5.6.2: a token */
static bool is_token(const char *s, size_t n)
{
	static const char more[] = "!#$%&'*+-.^_`|~";

	for (size_t i = 0; i < n; i++)
		if (!((s[i] >= '0' && s[i] <= '9') || (s[i] >= 'a' && s[i] <= 'z') ||
		      (s[i] >= 'A' && s[i] <= 'Z') || (s[i] && strchr(more, s[i]))))
			return false;
	return n;
}

/* Headers that the request itself determines. */
static bool is_ours(const char *name, size_t n)
{
	static const char *const ours[] = {
		"content-type", "content-length", "content-encoding", "transfer-encoding",
		"host",         "expect",         "connection"};

	for (size_t i = 0; i < sizeof ours / sizeof *ours; i++)
		if (strlen(ours[i]) == n && !strncasecmp(ours[i], name, n))
			return true;
	return false;
}

static void trim(const char **s, size_t *n)
{
	while (*n && strchr(" \t", **s))
		++*s, --*n;
	while (*n && strchr(" \t", (*s)[*n - 1]))
		--*n;
}

/* KEY=VALUE with a percent-encoded value. False: it is malformed, and *HEADERS unchanged. */
static bool add_header(struct curl_slist **headers, const char *s, size_t n)
{
	const char *equal = memchr(s, '=', n), *value = equal + 1;
	size_t key = equal ? (size_t)(equal - s) : 0, len = equal ? n - key - 1 : 0;
	char line[HEADERS_MAX / 8], *plain;
	int size = 0;
	bool ok;

	trim(&s, &key);
	if (!equal || !is_token(s, key) || is_ours(s, key))
		return false;
	trim(&value, &len);
	plain = curl_easy_unescape(NULL, value, (int)len, &size);
	ok = plain && (size_t)size == strlen(plain) && !plain[strcspn(plain, "\r\n")] &&
	     key + (size_t)size + 3 < sizeof line;
	if (ok) {
		/* libcurl sends a header without value if a semicolon follows its name */
		snprintf(line, sizeof line, size ? "%.*s: %s" : "%.*s;%s", (int)key, s, plain);
		*headers = curl_slist_append(*headers, line);
	}
	curl_free(plain);
	return ok;
}

struct curl_slist *request_headers(const char *list, unsigned *bad)
{
	struct curl_slist *headers = curl_slist_append(NULL, "Content-Type: application/json");

	headers = curl_slist_append(headers, "Expect:");
	*bad = 0;
	for (unsigned i = 1; list && *list; i++) {
		size_t n = strcspn(list, ",");

		if (strspn(list, " \t") < n && !add_header(&headers, list, n) && !*bad)
			*bad = i;
		list += n + (list[n] == ',');
	}
	return headers;
}

/* ------------------------------------------------------------------- URL */

static char *url_part(CURLU *u, CURLUPart part)
{
	char *text = NULL;

	return curl_url_get(u, part, &text, 0) ? NULL : text;
}

bool request_url_valid(const char *url)
{
	CURLU *u = curl_url();
	char *scheme, *query, *fragment;
	bool ok;

	if (!u)
		return false;
	ok = strlen(url) <= URL_MAX && !url[strcspn(url, " \t\r\n")] &&
	     !curl_url_set(u, CURLUPART_URL, url, CURLU_NON_SUPPORT_SCHEME);
	scheme = url_part(u, CURLUPART_SCHEME);
	query = url_part(u, CURLUPART_QUERY);
	fragment = url_part(u, CURLUPART_FRAGMENT);
	ok = ok && scheme && (!strcmp(scheme, "http") || !strcmp(scheme, "https")) && !query &&
	     !fragment;
	curl_free(scheme);
	curl_free(query);
	curl_free(fragment);
	curl_url_cleanup(u);
	return ok;
}

#endif
