/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One OTLP request at a time to a path of the server, and the meaning of its response. */
#ifndef REQUEST_H
#define REQUEST_H

#ifdef HAVE_OTLP
#include <curl/curl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { URL_MAX = 2000 };

/* Judgement of a response. */
struct answer {
	enum { ACCEPTED, RETRY, REFUSED } verdict;
	uint64_t rejected; /* ACCEPTED: records or data points that the server does not take */
	unsigned wait_s;   /* RETRY: it asks for so many seconds; 0: it does not */
	char why[256];     /* "": it says nothing */
};

struct request;

/* For requests to URL with HEADERS, which must live as long; OWNER is CURLINFO_PRIVATE. It is never
 * freed. */
struct request *request_new(const char *url, const struct curl_slist *headers, void *owner);
/* The handle that posts BODY, of SIZE bytes, which must live until its end. */
CURL *request_prepare(struct request *r, const char *body, size_t size);
/* Judge the response, after the transfer ended with RESULT. */
struct answer request_answer(const struct request *r, CURLcode result);

/* The headers of each request and those of LIST, "KEY=VALUE,..." with percent-encoded values; NULL
 * is allowed. *BAD: number of the first pair that is left out, because it is malformed or changes
 * the form of the request; 0: none. */
struct curl_slist *request_headers(const char *list, unsigned *bad);
/* True for an http or https URL without query and fragment. */
bool request_url_valid(const char *url);

#endif
#endif
