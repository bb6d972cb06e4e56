/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Talks with itself through the loopback device of a network namespace of its own, and prints what the library's probes of the
 * network shall say of that.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <net/if.h>
#include <net/if_arp.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

enum { PORT = 47811 };

static char data[8192];

static void need(int ok, const char *what)
{
	if (ok)
		return;
	perror(what);
	exit(1);
}

static struct ifreq loopback(void)
{
	struct ifreq r = {0};

	strcpy(r.ifr_name, "lo");
	return r;
}

static void up(void)
{
	struct ifreq r = loopback();
	int s = socket(AF_INET, SOCK_DGRAM, 0);

	r.ifr_flags = IFF_UP;
	need(!ioctl(s, SIOCSIFFLAGS, &r), "lo");
	close(s);
}

static struct sockaddr_in6 address(int family, int port, socklen_t *size)
{
	struct sockaddr_in6 six = {.sin6_family = AF_INET6, .sin6_port = htons(port), .sin6_addr = IN6ADDR_LOOPBACK_INIT};
	struct sockaddr_in four = {.sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};

	*size = family == AF_INET ? sizeof four : sizeof six;
	if (family == AF_INET)
		memcpy(&six, &four, sizeof four);
	return six;
}

static int port_of(int s)
{
	struct sockaddr_in6 a;
	socklen_t size = sizeof a;

	need(!getsockname(s, (void *)&a, &size), "getsockname");
	return ntohs(a.sin6_port);
}

static const char *text(int family) { return family == AF_INET ? "127.0.0.1" : "::1"; }

static int listening(int family)
{
	int s = socket(family, SOCK_STREAM, 0);
	socklen_t size;
	struct sockaddr_in6 a = address(family, PORT, &size);

	need(s >= 0 && !bind(s, (void *)&a, size) && !listen(s, 1), "listen");
	return s;
}

static void tcp(int family)
{
	struct iovec v[2] = {{data, 150}, {data, 150}};
	int l = listening(family), c = socket(family, SOCK_STREAM, 0), s, one = 1;
	socklen_t size;
	struct sockaddr_in6 a = address(family, PORT, &size);
	struct sockaddr none = {.sa_family = AF_UNSPEC};

	need(!connect(c, (void *)&a, size), "connect");
	need((s = accept(l, NULL, NULL)) >= 0, "accept");
	need(!setsockopt(c, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one), "setsockopt");
	printf("option 6 TCP_NODELAY %d\n", (int)sizeof one);
	need(!getsockopt(c, IPPROTO_TCP, TCP_INFO, data, &(socklen_t){sizeof data}), "getsockopt");
	need(send(c, data, 100, 0) == 100 && write(c, data, 200) == 200 && writev(c, v, 2) == 300, "send");
	for (int n = 100; n <= 300; n += 100)
		printf("send %d of %d\nsent %d\n", n, family, n);
	for (int n = 100; n <= 300; n += 100) {
		need(recv(s, data, n, 0) == n, "recv");
		printf("room for %d\nreceived %d: %s:%d of %s:%d, %d\n", n, n, text(family), PORT, text(family), port_of(c), family);
	}
	printf("drop %s:%d of %s:%d, %d\ndropped 0\n", text(family), PORT, text(family), port_of(c), family);
	need(!connect(s, &none, sizeof none), "disconnect");
	close(c);
	close(l);
	close(s);
}

static void udp(int family)
{
	int r = socket(family, SOCK_DGRAM, 0), c = socket(family, SOCK_DGRAM, 0);
	socklen_t size;
	struct sockaddr_in6 a = address(family, PORT, &size);
	struct sockaddr none = {.sa_family = AF_UNSPEC};

	need(!bind(r, (void *)&a, size), "bind");
	need(sendto(c, data, 1000, 0, (void *)&a, size) == 1000, "sendto");
	printf("send 1000 to %s:%d, %d\nsent 1000\n", text(family), PORT, family);
	need(recv(r, data, sizeof data, 0) == 1000, "recv");
	printf("room for %zu on %d\nreceived 1000 on %d\n", sizeof data, PORT, PORT);
	need(!connect(c, (void *)&a, size) && send(c, data, 10, 0) == 10, "send");
	printf("send 10 to %s:%d, %d\nsent 10\n", text(family), PORT, family);
	printf("alone %s:%d of %s:%d\nalone now 0\n", text(family), port_of(c), text(family), PORT);
	need(!connect(c, &none, sizeof none), "disconnect");
	close(c);
	close(r);
}

static void sockets(void)
{
	struct iovec v = {data, 70};
	struct msghdr m = {.msg_iov = &v, .msg_iovlen = 1};
	int p[2];

	printf("create 1 5 0\ncreate 1 5 0\n");
	need(!socketpair(AF_UNIX, SOCK_SEQPACKET, 0, p), "socketpair");
	printf("send 50\nreceive 50\nsend 60\nwrite\nreceive 60\nread\nsend 70\nreceive 70\n");
	need(send(p[0], data, 50, 0) == 50 && recv(p[1], data, sizeof data, 0) == 50, "send");
	need(write(p[0], data, 60) == 60 && read(p[1], data, sizeof data) == 60, "write");
	need(sendmsg(p[0], &m, 0) == 70 && recvmsg(p[1], &m, 0) == 70, "sendmsg");
	printf("receive -11\n");
	need(recv(p[1], data, sizeof data, MSG_DONTWAIT) < 0, "nothing");
	printf("close\nclose\n");
	close(p[0]);
	close(p[1]);
}

/* Three messages by one call. */
static void several(void)
{
	struct iovec v = {data, 80};
	struct mmsghdr m[3] = {{.msg_hdr = {.msg_iov = &v, .msg_iovlen = 1}}};
	int p[2];

	m[1] = m[2] = m[0];
	need(!socketpair(AF_UNIX, SOCK_SEQPACKET, 0, p), "socketpair");
	need(sendmmsg(p[0], m, 3, 0) == 3 && recvmmsg(p[1], m, 3, 0, NULL) == 3, "messages");
}

static void device(void)
{
	struct ifreq r = loopback();
	int s = socket(AF_INET, SOCK_DGRAM, 0);
	struct sockaddr_in a = {.sin_family = AF_INET, .sin_port = htons(9), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};

	printf("register lo\nopen lo\n");
	need(sendto(s, data, 1000, 0, (void *)&a, sizeof a) == 1000, "sendto");
	/* with the header of Ethernet, of IP and of UDP */
	printf("transmit lo %d 0x800\nhard_transmit lo %d 0x800\nrx lo 0x800\nreceive lo %d 0x800\n", 14 + 20 + 8 + 1000,
	       14 + 20 + 8 + 1000, 20 + 8 + 1000);
	need(!ioctl(s, SIOCGIFMTU, &r), "mtu");
	printf("ioctl 0x%x lo\nioctl 0x%x lo\nmtu lo %d 16000\n", SIOCGIFMTU, SIOCSIFMTU, r.ifr_mtu);
	r.ifr_mtu = 16000;
	need(!ioctl(s, SIOCSIFMTU, &r), "mtu");
	printf("ioctl 0x%x lo\nmac lo 00:00:00:00:00:00 02:00:00:00:00:2a 6\n", SIOCSIFHWADDR);
	r = loopback();
	r.ifr_hwaddr.sa_family = ARPHRD_LOOPBACK;
	memcpy(r.ifr_hwaddr.sa_data, "\2\0\0\0\0\52", 6);
	need(!ioctl(s, SIOCSIFHWADDR, &r), "address");
	printf("promiscuous lo 1 1 0\npromiscuous lo -1 0 1\n");
	r = loopback();
	r.ifr_flags = IFF_UP | IFF_PROMISC;
	need(!ioctl(s, SIOCSIFFLAGS, &r), "flags");
	r.ifr_flags = IFF_UP;
	need(!ioctl(s, SIOCSIFFLAGS, &r), "flags");
	printf("close lo\n");
	r.ifr_flags = 0;
	need(!ioctl(s, SIOCSIFFLAGS, &r), "flags");
	close(s);
}

/* ------------------------------------------------- what the kernel counts */

/* The value of NAME in the lines that begin with WHAT: one has the names, the next the values. */
static long counted(const char *file, const char *what, const char *name)
{
	static char names[8192], values[8192];
	FILE *f = fopen(file, "r");
	long v = -1;

	need(f != NULL, file);
	while (fgets(names, sizeof names, f) && fgets(values, sizeof values, f)) {
		char *n = names, *m = values, *key, *number;

		if (strncmp(names, what, strlen(what)))
			continue;
		while ((key = strsep(&n, " \n")) && (number = strsep(&m, " \n")))
			if (!strcmp(key, name))
				v = atol(number);
	}
	fclose(f);
	return v;
}

/* No listener. */
static void refused(int family)
{
	socklen_t size;
	struct sockaddr_in6 a = address(family, PORT + 1, &size);
	int s = socket(family, SOCK_STREAM, 0);

	need(connect(s, (void *)&a, size) < 0, "connect");
	close(s);
}

/* A reset of an unknown connection, which is not answered. */
static void stray(int family)
{
	struct {
		unsigned int from, to;
		unsigned short protocol, length;
		struct tcphdr h;
	} p = {htonl(INADDR_LOOPBACK), htonl(INADDR_LOOPBACK), htons(IPPROTO_TCP), htons(sizeof p.h),
	       {.source = htons(PORT + 3), .dest = htons(PORT + 1), .rst = 1, .doff = sizeof p.h / 4}};
	const unsigned short *word = (const void *)&p;
	unsigned int sum = 0;
	int offset = 16;
	socklen_t size;
	struct sockaddr_in6 a = address(family, 0, &size);
	int s = socket(family, SOCK_RAW, IPPROTO_TCP);

	for (size_t i = 0; i < sizeof p / 2; i++)
		sum += word[i];
	p.h.check = (unsigned short)~((sum & 0xffff) + (sum >> 16));
	need(family == AF_INET || !setsockopt(s, IPPROTO_IPV6, IPV6_CHECKSUM, &offset, sizeof offset), "checksum");
	need(sendto(s, &p.h, sizeof p.h, 0, (void *)&a, size) == sizeof p.h, "reset");
	close(s);
}

/* More want to connect than are let wait; one of them asks again. */
static void crowd(void)
{
	enum { MANY = 4 };
	socklen_t size;
	struct sockaddr_in6 a = address(AF_INET, PORT + 2, &size);
	int l = socket(AF_INET, SOCK_STREAM, 0), s[MANY];

	need(!bind(l, (void *)&a, size) && !listen(l, 0), "listen");
	for (int i = 0; i < MANY; i++) {
		s[i] = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
		connect(s[i], (void *)&a, size);
		usleep(20000);
	}
	usleep(1500000);
	for (int i = 0; i < MANY; i++)
		close(s[i]);
	close(l);
}

/* A message that needs several packets. */
static void parts(void)
{
	struct ifreq r = loopback();
	socklen_t size;
	struct sockaddr_in6 a = address(AF_INET, PORT, &size);
	int s = socket(AF_INET, SOCK_DGRAM, 0), c = socket(AF_INET, SOCK_DGRAM, 0);

	r.ifr_mtu = 1500;
	need(!ioctl(s, SIOCSIFMTU, &r), "mtu");
	need(!bind(s, (void *)&a, size) && sendto(c, data, sizeof data, 0, (void *)&a, size) == sizeof data, "sendto");
	need(recv(s, data, sizeof data, 0) == sizeof data, "recv");
	close(c);
	close(s);
}

static void counts(void)
{
	static const char *const tcp_names[] = {"ActiveOpens", "PassiveOpens", "AttemptFails", "EstabResets", "CurrEstab", "InSegs",
		"OutSegs", "RetransSegs", "OutRsts"};
	static const char *const ip_names[] = {"InReceives", "OutRequests", "ReasmReqds", "FragOKs"};
	static const char *const linux_names[] = {"ListenOverflows", "ListenDrops", "DelayedACKs"};

	need(freopen("/dev/null", "w", stdout) != NULL, "null");
	tcp(AF_INET);
	tcp(AF_INET6);
	refused(AF_INET);
	refused(AF_INET6);
	stray(AF_INET);
	stray(AF_INET6);
	crowd();
	parts();
	usleep(500000);
	need(freopen("counted", "w", stdout) != NULL, "counted");
	for (size_t i = 0; i < sizeof tcp_names / sizeof *tcp_names; i++)
		printf("%s %ld\n", tcp_names[i], counted("/proc/self/net/snmp", "Tcp:", tcp_names[i]));
	for (size_t i = 0; i < sizeof ip_names / sizeof *ip_names; i++)
		printf("%s %ld\n", ip_names[i], counted("/proc/self/net/snmp", "Ip:", ip_names[i]));
	for (size_t i = 0; i < sizeof linux_names / sizeof *linux_names; i++)
		printf("%s %ld\n", linux_names[i], counted("/proc/self/net/netstat", "TcpExt:", linux_names[i]));
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";

	need(!unshare(CLONE_NEWNET), "unshare");
	up();
	if (!strcmp(what, "tcp") || !strcmp(what, "udp")) {
		void (*talk)(int) = *what == 't' ? tcp : udp;

		talk(AF_INET);
		talk(AF_INET6);
	}
	if (!strcmp(what, "sockets"))
		sockets();
	if (!strcmp(what, "several"))
		several();
	if (!strcmp(what, "device"))
		device();
	if (!strcmp(what, "counts"))
		counts();
	return 0;
}
