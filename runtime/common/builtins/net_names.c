/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Builtins: names of address families, socket types, states and options, and protocols;
 * tapsets/socket.stp has these numbers. */
#include "common.h"

/* clang-format off: many names a line */
static const char *const families[] = {
	"UNSPEC",   "LOCAL",      "INET",    "AX25",      "IPX",     "APPLETALK", "NETROM",
	"BRIDGE",   "ATMPVC",     "X25",     "INET6",     "ROSE",    "DECNET",    "NETBEUI",
	"SECURITY", "KEY",        "NETLINK", "PACKET",    "ASH",     "ECONET",    "ATMSVC",
	"RDS",      "SNA",        "IRDA",    "PPPOX",     "WANPIPE", "LLC",       "IB",
	"MPLS",     "CAN",        "TIPC",    "BLUETOOTH", "IUCV",    "RXRPC",     "ISDN",
	"PHONET",   "IEEE802154", "CAIF",    "ALG",       "NFC",     "VSOCK",     "KCM",
	"QIPCRTR",  "SMC",        "XDP",     "MCTP",
};
/* clang-format on */

static const char *const states[] = {"FREE", "UNCONNECTED", "CONNECTING", "CONNECTED",
				     "DISCONNECTING"};

static const char *const socket_types[] = {NULL,   "STREAM", "DGRAM", "RAW", "RDM",   "SEQPACKET",
					   "DCCP", NULL,     NULL,    NULL,  "PACKET"};

/* In the order of the IANA protocol numbers. */
/* clang-format off: many names a line */
static const char *const protocols[] = {
	"IP",
	"ICMP",
	"IGMP",
	"GGP",
	"IPENCAP",
	"ST",
	"TCP",
	"CBT",
	"EGP",
	"IGP",
	"BBN-RCC",
	"NVP",
	"PUP",
	"ARGUS",
	"EMCON",
	"XNET",
	"CHAOS",
	"UDP",
	"MUX",
	"DCN",
	"HMP",
	"PRM",
	"XNS-IDP",
	"TRUNK-1",
	"TRUNK-2",
	"LEAF-1",
	"LEAF-2",
	"RDP",
	"IRTP",
	"ISO-TP4",
	"NETBLT",
	"MFE-NSP",
	"MERIT-INP",
	"SEP",
	"3PC",
	"IDPR",
	"XTP",
	"DDP",
	"IDPR-CMTP",
	"TP++",
	"IL",
	"IPV6",
	"SDRP",
	"IPV6-ROUTE",
	"IPV6-FRAG",
	"IDRP",
	"RSVP",
	"GRE",
	"MHRP",
	"BNA",
	"IPV6-CRYPT",
	"IPV6-AUTH",
	"I-NLSP",
	"SWIPE",
	"NARP",
	"MOBILE",
	"TLSP",
	"SKIP",
	"IPV6-ICMP",
	"IPV6-NONXT",
	"IPV6-OPTS",
	NULL,
	"CFTP",
	NULL,
	"SAT-EXPAK",
	"KRYPTOLAN",
	"RVD",
	"IPPC",
	NULL,
	"SAT-MON",
	"VISA",
	"IPCV",
	"CPNX",
	"CPHB",
	"WSN",
	"PVP",
	"BR-SAT-MON",
	"SUN-ND",
	"WB-MON",
	"WB-EXPAK",
	"ISO-IP",
	"VMTP",
	"SECURE-VMTP",
	"VINES",
	"TTP",
	"NSFNET-IGP",
	"DGP",
	"TCF",
	"EIGRP",
	"OSPF",
	"SPRITE-RPC",
	"LARP",
	"MTP",
	"AX.25",
	"IPIP",
	"MICP",
	"SCC-SP",
	"ETHERIP",
	"ENCAP",
	NULL,
	"GMTP",
	"IFMP",
	"PNNI",
	"PIM",
	"ARIS",
	"SCPS",
	"QNX",
	"A/N",
	"IPCOMP",
	"SNP",
	"COMPAQ-PEER",
	"IPX-IN-IP",
	"VRRP",
	"PGM",
	NULL,
	"L2TP",
	"DDX",
	"IATP",
	"STP",
	"SRP",
	"UTI",
	"SMP",
	"SM",
	"PTP",
	"ISIS",
	"FIRE",
	"CRTP",
	"CRDUP",
	"SSCOPMCE",
	"IPLT",
	"SPS",
	"PIPE",
	"SCTP",
	"FC",
	"RSVP-E2E-IGNORE",
	"Mobility-Header",
	"UDPLite",
	"MPLS-IN-IP",
};
/* clang-format on */

/* clang-format off: many names a line */
static const char *const tcp_states[] = {
	NULL,
	"TCP_ESTABLISHED",
	"TCP_SYN_SENT",
	"TCP_SYN_RECV",
	"TCP_FIN_WAIT1",
	"TCP_FIN_WAIT2",
	"TCP_TIME_WAIT",
	"TCP_CLOSE",
	"TCP_CLOSE_WAIT",
	"TCP_LAST_ACK",
	"TCP_LISTEN",
	"TCP_CLOSING",
};
/* clang-format on */

/* clang-format off: many names a line */
static const char *const tcp_options[] = {
	NULL,
	"TCP_NODELAY",
	"TCP_MAXSEG",
	"TCP_CORK",
	"TCP_KEEPIDLE",
	"TCP_KEEPINTVL",
	"TCP_KEEPCNT",
	"TCP_SYNCNT",
	"TCP_LINGER2",
	"TCP_DEFER_ACCEPT",
	"TCP_WINDOW_CLAMP",
	"TCP_INFO",
	"TCP_QUICKACK",
	"TCP_CONGESTION",
	"TCP_MD5SIG",
	NULL,
	"TCP_THIN_LINEAR_TIMEOUTS",
	"TCP_THIN_DUPACK",
	"TCP_USER_TIMEOUT",
	"TCP_REPAIR",
	"TCP_REPAIR_QUEUE",
	"TCP_QUEUE_SEQ",
	"TCP_REPAIR_OPTIONS",
	"TCP_FASTOPEN",
	"TCP_TIMESTAMP",
	"TCP_NOTSENT_LOWAT",
	"TCP_CC_INFO",
	"TCP_SAVE_SYN",
	"TCP_SAVED_SYN",
	"TCP_REPAIR_WINDOW",
	"TCP_FASTOPEN_CONNECT",
	"TCP_ULP",
	"TCP_MD5SIG_EXT",
	"TCP_FASTOPEN_KEY",
	"TCP_FASTOPEN_NO_COOKIE",
	"TCP_ZEROCOPY_RECEIVE",
	"TCP_INQ",
	"TCP_TX_DELAY",
};
/* clang-format on */

/* clang-format off: many names a line */
static const char *const ipv6_options[] = {
	NULL,
	"IPV6_ADDRFORM",
	"IPV6_2292PKTINFO",
	"IPV6_2292HOPOPTS",
	"IPV6_2292DSTOPTS",
	"IPV6_2292RTHDR",
	"IPV6_2292PKTOPTIONS",
	"IPV6_CHECKSUM",
	"IPV6_2292HOPLIMIT",
	"IPV6_NEXTHOP",
	"IPV6_AUTHHDR",
	"IPV6_FLOWINFO",
	NULL,
	NULL,
	NULL,
	NULL,
	"IPV6_UNICAST_HOPS",
	"IPV6_MULTICAST_IF",
	"IPV6_MULTICAST_HOPS",
	"IPV6_MULTICAST_LOOP",
	"IPV6_ADD_MEMBERSHIP",
	"IPV6_DROP_MEMBERSHIP",
	"IPV6_ROUTER_ALERT",
	"IPV6_MTU_DISCOVER",
	"IPV6_MTU",
	"IPV6_RECVERR",
	"IPV6_V6ONLY",
	"IPV6_JOIN_ANYCAST",
	"IPV6_LEAVE_ANYCAST",
	"IPV6_MULTICAST_ALL",
	"IPV6_ROUTER_ALERT_ISOLATE",
	"IPV6_RECVERR_RFC4884",
	"IPV6_FLOWLABEL_MGR",
	"IPV6_FLOWINFO_SEND",
	"IPV6_IPSEC_POLICY",
	"IPV6_XFRM_POLICY",
	"IPV6_HDRINCL",
	NULL,
	NULL,
	NULL,
	NULL,
	NULL,
	NULL,
	NULL,
	NULL,
	NULL,
	NULL,
	NULL,
	NULL,
	"IPV6_RECVPKTINFO",
	"IPV6_PKTINFO",
	"IPV6_RECVHOPLIMIT",
	"IPV6_HOPLIMIT",
	"IPV6_RECVHOPOPTS",
	"IPV6_HOPOPTS",
	"IPV6_RTHDRDSTOPTS",
	"IPV6_RECVRTHDR",
	"IPV6_RTHDR",
	"IPV6_RECVDSTOPTS",
	"IPV6_DSTOPTS",
	"IPV6_RECVPATHMTU",
	"IPV6_PATHMTU",
	"IPV6_DONTFRAG",
	"IPV6_USE_MIN_MTU",
	NULL,
	NULL,
	"IPV6_RECVTCLASS",
	"IPV6_TCLASS",
	NULL,
	NULL,
	"IPV6_AUTOFLOWLABEL",
	NULL,
	"IPV6_ADDR_PREFERENCES",
	"IPV6_MINHOPCOUNT",
	"IPV6_ORIGDSTADDR",
	"IPV6_TRANSPARENT",
	"IPV6_UNICAST_IF",
	"IPV6_RECVFRAGSIZE",
	"IPV6_FREEBIND",
};
/* clang-format on */

#define TABLE(t)                           \
	{                                  \
		t, sizeof(t) / sizeof *(t) \
	}
static const struct {
	const char *const *names;
	u32 n;
} tables[] = {
	TABLE(families),   TABLE(states),      TABLE(socket_types), TABLE(protocols),
	TABLE(tcp_states), TABLE(tcp_options), TABLE(ipv6_options),
};
enum { NTABLES = sizeof tables / sizeof *tables };

const char *ust_net_name(struct ust_ctx *c, char *dst, ust_long table, ust_long n)
{
	const char *name = NULL;

	(void)c;
	(void)dst;
	if (table >= 0 && table < NTABLES && n >= 0 && n < tables[table].n)
		name = tables[table].names[n];
	return name ? name : "UNDEF";
}

ust_long ust_net_number(struct ust_ctx *c, ust_long table, const char *name)
{
	u32 i;

	(void)c;
	if (table < 0 || table >= NTABLES)
		return -1;
	for (i = 0; i < tables[table].n; i++)
		if (tables[table].names[i] && !ust_strcmp(tables[table].names[i], name))
			return i;
	return -1;
}
