/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Messages between staprun and ustap-export, its process without privileges that serves or writes
 * metrics: packets of a SOCK_SEQPACKET socket, which is descriptor 3 there. The first byte is one
 * of enum ust_export; text follows it.
 */
#ifndef USTAP_WIRE_EXPORT_H
#define USTAP_WIRE_EXPORT_H

#define UST_EXPORT_SOCKET 3
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
	UST_EXPORT_REFRESH = 'r'  /* a newer page is wanted */
};

#endif
