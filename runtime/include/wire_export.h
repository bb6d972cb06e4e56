/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Messages between staprun and ustap-export, its process without privileges that serves or writes
 * metrics, or posts OTLP: packets of a SOCK_SEQPACKET socket, which is descriptor 3 there. The
 * first byte is one of enum ust_export; text follows it. Bodies to be posted arrive at descriptor
 * 4, a SOCK_STREAM socket, as frames: a struct ust_export_frame and the body.
 */
#ifndef USTAP_WIRE_EXPORT_H
#define USTAP_WIRE_EXPORT_H

#include <stdint.h>

#define UST_EXPORT_SOCKET 3
#define UST_EXPORT_FRAMES 4
/* Maximum length of a packet. */
#define UST_EXPORT_MAX 512

enum ust_export {
	/* to ustap-export */
	UST_EXPORT_PAGE = 'p', /* with the descriptor of a file that contains the page */
	/* to staprun */
	UST_EXPORT_READY = 'y',   /* text: where the metrics are */
	UST_EXPORT_FAILED = 'f',  /* text: why it ends */
	UST_EXPORT_HINT = 'h',    /* text: what to do instead, before UST_EXPORT_FAILED */
	UST_EXPORT_WARNING = 'w', /* text */
	UST_EXPORT_REFRESH = 'r', /* a newer page is wanted */
	/* text: how many log records, the number of the newest metrics, and how many spans the
	 * server has accepted so far; and how many data points it has rejected */
	UST_EXPORT_ACCEPTED = 'a'
};

/* Types of requests; each has its path below the URL. */
enum ust_export_signal {
	UST_EXPORT_LOGS,
	UST_EXPORT_METRICS,
	UST_EXPORT_SPANS,
	UST_EXPORT_SIGNALS
};

struct ust_export_frame {
	uint32_t signal; /* enum ust_export_signal */
	uint32_t size;   /* bytes of the body, which follows */
	uint64_t number; /* of records or spans in it; of metrics: 1, 2, ... */
};

/* The largest body; the largest sum of bodies that wait in staprun, and in ustap-export. */
#define UST_EXPORT_BODY_MAX  (16u << 20)
#define UST_EXPORT_QUEUE_MAX (32u << 20)

#endif
