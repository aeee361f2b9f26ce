/* A stream of bytes, packed with Zstandard, with a checksum over all of it. */
#ifndef PROGRAM_STREAM_H
#define PROGRAM_STREAM_H

#include "core/file.h"

/* False: this build has no Zstandard. */
bool stream_possible(void);

struct stream_out;
/* What is put goes, packed, behind what the file has. NULL and a message when there is no memory.
 */
struct stream_out *stream_begin(struct file_out *, struct err *);
void stream_put(struct stream_out *, const void *bytes, size_t n);
/* The last bytes, and the checksum. Frees it; 0, or -1 when there was no memory. */
int stream_end(struct stream_out *, struct err *);

struct stream_in;
/* Unpacks n bytes, which must stay. NULL and a message when there is no memory. */
struct stream_in *stream_open(const void *bytes, size_t n, struct err *);
/* The next n bytes; false: there are fewer, or they are damaged. */
bool stream_get(struct stream_in *, void *bytes, size_t n);
/* Unpacks the rest: true when all of it was whole, by the checksum. */
bool stream_whole(struct stream_in *);
void stream_close(struct stream_in *); /* accepts NULL */

#endif
