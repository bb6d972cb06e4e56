/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * HTTP server of metrics, by libmicrohttpd: one thread, and one page, which staprun renews when a
 * client asks for one and the page is older than a second. Such a client waits for at most two
 * seconds. Clients may be anyone who reaches the port: the number of connections, their memory and
 * their time are limited.
 */
#include "config.h"
#include "export.h"

#ifdef HAVE_LIBMICROHTTPD
#include "base/message.h"

#include <errno.h>
#include <microhttpd.h>
#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
	CLIENTS = 16,
	MEMORY = 16 << 10, /* bytes of a request */
	IDLE_S = 5,
	PORT_DIGITS = 6,
	HOST_SIZE = 64
};
#define FRESH_NS  1000000000ull  /* a page is served again for so long */
#define WAIT_NS   2000000000ull  /* for a newer page */
#define CLIENT_NS 30000000000ull /* for a whole connection */

struct client {
	int fd; /* -1: none */
	uint64_t since;
};

static struct server {
	struct MHD_Daemon *daemon;
	struct MHD_Response *page, *none, *other;
	uint64_t made; /* ns: when the page came; 0: none yet */
	struct MHD_Connection *waiting[CLIENTS];
	uint64_t wait_ends[CLIENTS];
	struct client clients[CLIENTS];
} server;

/* ---------------------------------------------------------------- answers */

/* One request for each connection: nothing is kept open between scrapes. */
static struct MHD_Response *new_response(char *text, size_t size, enum MHD_ResponseMemoryMode mode)
{
	struct MHD_Response *r = MHD_create_response_from_buffer(size, text, mode);

	MHD_add_response_header(r, "Content-Type", "text/plain; version=0.0.4; charset=utf-8");
	MHD_add_response_header(r, "X-Content-Type-Options", "nosniff");
	MHD_add_response_header(r, "Connection", "close");
	return r;
}

static struct MHD_Response *constant(const char *text)
{
	return new_response((char *)text, strlen(text), MHD_RESPMEM_PERSISTENT);
}

/* True if C waits for a newer page from now on. */
static bool begin_wait(struct MHD_Connection *c)
{
	uint64_t now = clock_ns();

	if (server.made && now - server.made < FRESH_NS)
		return false;
	for (size_t i = 0; i < CLIENTS; i++)
		if (!server.waiting[i]) {
			server.waiting[i] = c;
			server.wait_ends[i] = now + WAIT_NS;
			MHD_suspend_connection(c);
			tell(UST_EXPORT_REFRESH, "%s", "");
			return true;
		}
	return false;
}

static enum MHD_Result answer(void *arg, struct MHD_Connection *c, const char *url,
			      const char *method, const char *version, const char *data,
			      size_t *size, void **state)
{
	static char asked;

	(void)arg, (void)version, (void)data, (void)size;
	if (strcmp(method, MHD_HTTP_METHOD_GET) != 0 && strcmp(method, MHD_HTTP_METHOD_HEAD) != 0)
		return MHD_queue_response(c, MHD_HTTP_METHOD_NOT_ALLOWED, server.other);
	if (strcmp(url, "/metrics") != 0)
		return MHD_queue_response(c, MHD_HTTP_NOT_FOUND, server.other);
	if (!*state) {
		*state = &asked;
		if (begin_wait(c))
			return MHD_YES;
	}
	return server.page ? MHD_queue_response(c, MHD_HTTP_OK, server.page)
			   : MHD_queue_response(c, MHD_HTTP_SERVICE_UNAVAILABLE, server.none);
}

/* Answer those that wait: all, or only those who have waited long enough. */
static void end_waits(bool all)
{
	uint64_t now = clock_ns();

	for (size_t i = 0; i < CLIENTS; i++)
		if (server.waiting[i] && (all || now >= server.wait_ends[i])) {
			MHD_resume_connection(server.waiting[i]);
			server.waiting[i] = NULL;
		}
}

static void take_page(char *text, size_t size)
{
	if (server.page)
		MHD_destroy_response(server.page);
	server.page = new_response(text, size, MHD_RESPMEM_MUST_FREE);
	server.made = clock_ns();
	end_waits(true);
}

/* ---------------------------------------------------------------- clients */

static void note_client(void *arg, struct MHD_Connection *c, void **state,
			enum MHD_ConnectionNotificationCode code)
{
	const union MHD_ConnectionInfo *info = MHD_get_connection_info(
		c, MHD_CONNECTION_INFO_CONNECTION_FD);
	struct client *client = *state;

	(void)arg;
	if (code == MHD_CONNECTION_NOTIFY_CLOSED && client)
		client->fd = -1;
	for (size_t i = 0; i < CLIENTS && code == MHD_CONNECTION_NOTIFY_STARTED && info; i++)
		if (server.clients[i].fd < 0) {
			server.clients[i] = (struct client){info->connect_fd, clock_ns()};
			*state = &server.clients[i];
			return;
		}
}

/* A client that sends or reads a byte now and then would keep its connection for ever. */
static void end_slow_clients(void)
{
	uint64_t now = clock_ns();

	for (size_t i = 0; i < CLIENTS; i++)
		if (server.clients[i].fd >= 0 && now - server.clients[i].since > CLIENT_NS)
			shutdown(server.clients[i].fd, SHUT_RDWR);
}

/* ----------------------------------------------------------------- socket */

/* Split "[ADDRESS:]PORT"; an address with colons is in brackets. False: it is malformed. */
static bool split(const char *where, char host[HOST_SIZE], char port[PORT_DIGITS])
{
	const char *colon = strrchr(where, ':'), *digits = colon ? colon + 1 : where;
	size_t n = colon ? (size_t)(colon - where) : 0;

	if (!*digits || strlen(digits) >= PORT_DIGITS || digits[strspn(digits, "0123456789")] ||
	    atoi(digits) > UINT16_MAX)
		return false;
	strcpy(port, digits);
	if (!colon) {
		strcpy(host, "127.0.0.1");
		return true;
	}
	if (*where == '[' && n > 2 && where[n - 1] == ']') {
		where++;
		n -= 2;
	} else if (memchr(where, ':', n)) {
		return false;
	}
	if (!n || n >= HOST_SIZE)
		return false;
	memcpy(host, where, n);
	host[n] = 0;
	if (!strcmp(host, "localhost"))
		strcpy(host, "127.0.0.1");
	return true;
}

/* The port that S listens at. */
static unsigned port_of(int s)
{
	struct sockaddr_storage a;
	socklen_t size = sizeof a;

	if (getsockname(s, (struct sockaddr *)&a, &size))
		return 0;
	return ntohs(a.ss_family == AF_INET6 ? ((struct sockaddr_in6 *)&a)->sin6_port
					     : ((struct sockaddr_in *)&a)->sin_port);
}

/* Fails without a message, but sets errno. */
static int listen_at(const struct addrinfo *a)
{
	int s = socket(a->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0), one = 1;

	if (s < 0)
		return -1;
	setsockopt(s, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
	if (!bind(s, a->ai_addr, a->ai_addrlen) && !listen(s, CLIENTS))
		return s;
	close(s);
	return -1;
}

/* A socket that listens at WHERE; -1 after a message. */
static int open_socket(const char *where)
{
	const struct addrinfo numeric = {.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV | AI_PASSIVE,
					 .ai_socktype = SOCK_STREAM};
	char host[HOST_SIZE], port[PORT_DIGITS];
	struct addrinfo *a = NULL;
	int s = -1;

	if (!split(where, host, port) || getaddrinfo(host, port, &numeric, &a)) {
		tell(UST_EXPORT_HINT,
		     "give PORT, ADDRESS:PORT with a numeric address, or FILE.prom");
		tell(UST_EXPORT_FAILED, "\"%.100s\" is not an address", where);
		return -1;
	}
	s = listen_at(a);
	if (s < 0)
		tell(UST_EXPORT_FAILED, "cannot listen at %s: %s", where, strerror(errno));
	freeaddrinfo(a);
	if (s >= 0)
		tell(UST_EXPORT_READY,
		     strchr(host, ':') ? "http://[%s]:%u/metrics" : "http://%s:%u/metrics", host,
		     port_of(s));
	return s;
}

/* --------------------------------------------------------------- the loop */

static bool start_daemon(int socket)
{
	server.none = constant("no values yet\n");
	server.other = constant("metrics are at /metrics\n");
	for (size_t i = 0; i < CLIENTS; i++)
		server.clients[i].fd = -1;
	server.daemon = MHD_start_daemon(
		MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME, 0, NULL, NULL, answer, NULL,
		MHD_OPTION_LISTEN_SOCKET, socket, MHD_OPTION_CONNECTION_LIMIT, (unsigned)CLIENTS,
		MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)MEMORY, MHD_OPTION_CONNECTION_TIMEOUT,
		(unsigned)IDLE_S, MHD_OPTION_NOTIFY_CONNECTION, note_client, NULL, MHD_OPTION_END);
	return server.daemon;
}

/* Wait for staprun or a client. */
static void wait_for_events(void)
{
	const union MHD_DaemonInfo *info = MHD_get_daemon_info(server.daemon,
							       MHD_DAEMON_INFO_EPOLL_FD);
	struct pollfd p[] = {{.fd = UST_EXPORT_SOCKET, .events = POLLIN},
			     {.fd = info ? info->epoll_fd : -1, .events = POLLIN}};
	MHD_UNSIGNED_LONG_LONG ms = 200;

	if (MHD_get_timeout(server.daemon, &ms) != MHD_YES || ms > 200)
		ms = 200;
	poll(p, 2, (int)ms);
}

int serve_pages(const char *where)
{
	int socket = open_socket(where);
	size_t size = 0;
	char *page;

	if (socket < 0)
		return EXIT_FAILURE;
	if (!start_daemon(socket)) {
		tell(UST_EXPORT_FAILED, "the HTTP server does not start: %s", strerror(errno));
		return EXIT_FAILURE;
	}
	for (;;) {
		wait_for_events();
		if (!receive_page(&page, &size))
			break;
		if (page)
			take_page(page, size);
		end_waits(false);
		end_slow_clients();
		MHD_run(server.daemon);
	}
	return EXIT_SUCCESS;
}

#else

#include <stdlib.h>

int serve_pages(const char *where)
{
	tell(UST_EXPORT_HINT, "install libmicrohttpd-dev and build ustap again, or write a file: "
			      "--prometheus=FILE.prom");
	tell(UST_EXPORT_FAILED, "%s: this ustap was built without libmicrohttpd", where);
	return EXIT_FAILURE;
}

#endif
