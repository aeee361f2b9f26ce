/* Coalescing: the lines and 16-byte granules that one warp access touches, in order of first lane.
 */
#ifndef MEM_COALESCE_H
#define MEM_COALESCE_H

#include "msg/packet.h"
#include "ptx/exec/exec.h"

struct line_access {
	uint64_t line;    /* device address, multiple of LINE_BYTES */
	uint32_t lanes;   /* lanes with bytes in it */
	uint8_t granules; /* as in struct packet */
	uint8_t bytes; /* distinct bytes requested, at most 128: useful against fetched (0 means 0)
			*/
};

/* Returns the number of lines. Elements are aligned, so that one never crosses a line, and a lane
 * has one line; but a local access of more than a word touches the lane's word in up to eight
 * lines, because local memory is interleaved by words (a->addr is the first one, each next one is
 * 128 bytes further). */
#define COALESCE_MAX (WARP_LANES * LANE_BYTES_MAX / 4)
unsigned coalesce(const struct access *, struct line_access out[COALESCE_MAX]);

/* The same of `corners` corners of a fetch's texels, from `first` on; at most 4. */
unsigned coalesce_texels(const struct texels *, unsigned first, unsigned corners,
	struct line_access out[COALESCE_MAX]);

#endif
