/* The sum in the first line of a PTX file that workloads/ptx.sh made: the POSIX cksum of what
 * follows. */
#include "workloads/workload.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define SUM_LINE "// Do not edit. Sum: "

static uint32_t crc_byte(uint32_t crc, unsigned char byte)
{
	crc ^= (uint32_t)byte << 24;
	for (unsigned i = 0; i < 8; i++)
		crc = crc << 1 ^ (crc >> 31 ? 0x04c11db7u : 0);
	return crc;
}

/* POSIX.1-2008, cksum: the bytes, then their number, its low byte first. */
static uint32_t posix_cksum(const char *bytes, size_t n)
{
	uint32_t crc = 0;

	for (size_t i = 0; i < n; i++)
		crc = crc_byte(crc, (unsigned char)bytes[i]);
	for (size_t rest = n; rest; rest >>= 8)
		crc = crc_byte(crc, (unsigned char)rest);
	return ~crc;
}

bool workload_sum_holds(const char *text, size_t bytes)
{
	const char *body = memchr(text, '\n', bytes);
	uint32_t crc;
	uint64_t n;

	if (!body || strncmp(text, SUM_LINE, sizeof(SUM_LINE) - 1) != 0)
		return true;
	body++;
	if (sscanf(text + sizeof(SUM_LINE) - 1, "%" SCNu32 " %" SCNu64, &crc, &n) != 2)
		return false;
	return n == bytes - (size_t)(body - text) && crc == posix_cksum(body, n);
}
