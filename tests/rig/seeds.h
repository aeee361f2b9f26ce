/* How many random cases a test tries. */
#ifndef TESTS_RIG_SEEDS_H
#define TESTS_RIG_SEEDS_H

#include <stdlib.h>

#if defined(__SANITIZE_ADDRESS__)
#define SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SANITIZED 1
#endif
#endif
#ifndef SANITIZED
#define SANITIZED 0
#endif

/* The usual number, a quarter of it under AddressSanitizer: it takes three times as long and looks
 * for other faults, which do not hide in numbers. WARPBEAM_TEST_SEEDS=N is any other number. */
static inline unsigned seeds(unsigned usual)
{
	const char *n = getenv("WARPBEAM_TEST_SEEDS");

	return n ? (unsigned)strtoul(n, NULL, 10) : SANITIZED ? (usual + 3) / 4 : usual;
}

/* Of cases that are alike, such as all workloads: each, or under AddressSanitizer each second. */
static inline unsigned stride(void)
{
	return SANITIZED ? 2 : 1;
}

#endif
