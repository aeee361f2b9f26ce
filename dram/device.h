/* DRAM devices as tables: the geometry of one channel, and its timings in command clocks (CK). */
#ifndef DRAM_DEVICE_H
#define DRAM_DEVICE_H

#include "core/config.h"

/* The geometry, of a channel. X(P, T, name, unit, sentence). */
#define DRAM_SHAPE(X, P, T) \
	X(P, T, burst_bytes, "bytes", "Bytes of a read or write") \
	X(P, T, burst_ck, "CK", "Time of a read's or write's data on the bus") \
	X(P, T, groups, "groups", "Bank groups") \
	X(P, T, banks, "banks", "Banks, of all groups") \
	X(P, T, row_bytes, "bytes", "Bytes of a bank's row") \
	X(P, T, rows, "rows", "Rows of a bank")

/* Every timing, in CK from command to command unless said otherwise. X(P, T, name, sentence); P and
 * T are the caller's. */
#define DRAM_TIMINGS(X, P, T) \
	X(P, T, cl, "From a read to its first data beat (CL)") \
	X(P, T, cwl, "From a write to its first data beat (CWL)") \
	X(P, T, rcdrd, "From activate to read (tRCDRD)") \
	X(P, T, rcdwr, "From activate to write (tRCDWR)") \
	X(P, T, rp, "From precharge to activate (tRP)") \
	X(P, T, ras, "From activate to precharge (tRAS)") \
	X(P, T, rc, "From activate to activate of one bank (tRC)") \
	X(P, T, rrds, "Between activates of different bank groups (tRRD_S)") \
	X(P, T, rrdl, "Between activates of one bank group (tRRD_L)") \
	X(P, T, faw, "Window that holds at most four activates (tFAW)") \
	X(P, T, a32w, "Window that holds at most 32 activates (t32AW)") \
	X(P, T, ccds, "Between reads, or writes, of different bank groups (tCCD_S)") \
	X(P, T, ccdl, "Between reads, or writes, of one bank group (tCCD_L)") \
	X(P, T, wr, "From a write's last data beat to precharge (tWR)") \
	X(P, T, wtrs, "From a write's last data beat to a read of another bank group (tWTR_S)") \
	X(P, T, wtrl, "From a write's last data beat to a read of its bank group (tWTR_L)") \
	X(P, T, rtp, "From a read to precharge (tRTP)") \
	X(P, T, ppd, "Between precharges (tPPD)") \
	X(P, T, rtw, "From a read to a write") \
	X(P, T, refi, "Between refreshes (tREFI)") \
	X(P, T, rfc, "From a refresh to the next activate (tRFC)") \
	X(P, T, rfcb, "From a refresh of one bank to its next activate (tRFCSB)") \
	X(P, T, rrefd, "From a refresh of one bank to another's or an activate (tRREFD)")

#define DRAM_TIMING_FIELD(P, T, name, text) uint32_t name;
struct dram_timings {
	DRAM_TIMINGS(DRAM_TIMING_FIELD, , )
};

#define DRAM_LEAST_BYTES 16u /* of a burst, or of the part of one that is used */

struct dram_device {
	const char *name, *text;
	uint32_t tck_ps;
	uint32_t burst_bytes, burst_ck;
	uint32_t groups, banks;   /* powers of two, at most 64 banks */
	uint32_t row_bytes, rows; /* powers of two */
	unsigned channels;        /* of a memory, unless the chip says otherwise */
	struct dram_timings t;
};

/* Terminated by a row without a name. */
extern const struct dram_device dram_devices[];

/* The device of that name; else NULL and a message that lists them. `where` names the parameter. */
const struct dram_device *dram_device_find(const char *name, const char *where, struct err *);

/* Its default address map: the bursts of a line in a row, lines in turn over the bank groups. */
#define DRAM_MAP_TEXT 32u
void dram_device_map(const struct dram_device *, char text[DRAM_MAP_TEXT]);

/* All constraints that a device violates, one message each (ERR_INPUT). 0 or -1. */
int dram_device_check(const struct dram_device *, struct err *);

/* A channel's peak bandwidth at that command clock. */
static inline double dram_bytes_per_ns(const struct dram_device *d, uint32_t tck_ps)
{
	return d->burst_bytes * 1000.0 / ((double)d->burst_ck * tck_ps);
}

/* From the acceptance of a row hit's read to its last data beat: the command is issued one clock
 * after acceptance. */
static inline uint32_t dram_hit_ck(const struct dram_device *d)
{
	return 1 + d->t.cl + d->burst_ck;
}

#endif
