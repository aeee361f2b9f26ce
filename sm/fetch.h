/* Read-only caches of an SM beside the L1, in two levels: of constants, and of instructions. A line
 * that neither level has comes from the L2, through the SM's port to the network; warps wait for
 * it, active, without issuing. */
#ifndef SM_FETCH_H
#define SM_FETCH_H

#include "mem/cache.h"
#include "msg/audit.h"
#include "sm/reasons.h"

struct sm;

#define FETCH_NEARS 4u  /* as many schedulers as an SM can have */
#define FETCH_LINES 64u /* as many warps: each waits for one line at most */
#define FETCH_AHEAD 16u /* lines that a near cache's stream buffer can have */
#define FETCH_OUT (FETCH_LINES + FETCH_NEARS * FETCH_AHEAD)

/* Where a fetcher's memory is, as the timing model sees it: below all device buffers. Parameters of
 * launches have 4 KB each. */
#define FETCH_PARAMETERS UINT64_C(0x04000000)
#define FETCH_CODE UINT64_C(0x08000000)
#define FETCH_CODE_BYTES UINT64_C(0x08000000)

enum fetch_mode { FETCH_OFF, FETCH_PERFECT, FETCH_REAL };

/* A cache's geometry; bytes 0: there is none. */
struct fetch_shape {
	const char *name; /* of its parameters: "const.l1" */
	uint64_t bytes, line_bytes, ways;
};

/* Caches of the near shape in front of one of the far shape. */
struct fetch_shapes {
	struct fetch_shape near, far;
	unsigned nears;
};

struct fetch_cache {
	struct policy lru;
	struct cache *cache;
	uint64_t line_bytes;
};

/* A line that is on its way. */
struct fetch_line {
	uint64_t line;
	uint64_t warps;  /* that wait for it */
	uint8_t packets; /* still to come; 0: the entry is unused */
};

struct fetcher {
	struct fetch_cache near[FETCH_NEARS], far;
	unsigned nears;
	uint32_t tag;                     /* of its packets */
	struct fetch_line out[FETCH_OUT]; /* from FETCH_LINES on: asked for ahead */
	uint64_t asked, arrived;          /* bytes */
};

/* Tags of packets: TAG_FETCH, which fetcher, and its entry of `out`. */
#define TAG_FETCH 0x20000000u
#define TAG_FETCH_CODE 0x10000000u

/* Faults go into err. */
void fetcher_init(
	struct sm *, struct fetcher *, const struct fetch_shapes *, struct arena *, struct err *);

/* Looks an address up; what the far cache has is filled into the near one. */
enum fetched { FETCHED_NEAR, FETCHED_FAR, FETCHED_NOT };
enum fetched fetch_look_up(struct fetcher *, unsigned near, uint64_t address, uint64_t cycle);
bool fetch_near_has(struct fetcher *, unsigned near, uint64_t address, uint64_t cycle);
bool fetch_far_has(struct fetcher *, uint64_t address, uint64_t cycle);
void fetch_fill_near(struct fetcher *, unsigned near, uint64_t address, uint64_t cycle);

/* The warp's instruction of that number waits for the address's line, which neither cache has. */
void fetch_request(struct sm *, struct fetcher *, unsigned w, uint32_t instr, uint64_t address);

/* The same, where no warp waits yet: `w` and `instr` are whose miss asks for more. False: too many
 * are on their way. */
bool fetch_ahead(struct sm *, struct fetcher *, unsigned w, uint32_t instr, uint64_t address);

/* Takes a reply, whose last part arrives in cycle `ready`: of the line's last packet into the far
 * cache, and to the warps that wait for it. */
void fetch_arrived(struct sm *, const struct packet *, uint64_t ready, uint64_t cycle);

/* ---- warps that wait: for a line (`what`: FETCH_WAITS_*), or until a cycle */
#define FETCH_WAITS_CONSTANT 1u
#define FETCH_WAITS_CODE 2u
struct fetch_waits {
	uint64_t from[FETCH_LINES]; /* by warp: it would issue in this cycle at the earliest */
	uint8_t what[FETCH_LINES];
};
uint64_t fetch_from(const struct sm *, unsigned w);
void fetch_hold(struct sm *, unsigned w, unsigned what);
void fetch_delay(struct sm *, unsigned w, unsigned what, uint64_t until);
void fetch_release(struct sm *, unsigned w, unsigned what, uint64_t until);

#endif
