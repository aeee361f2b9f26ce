/* Mutates PTX text: bytes, words, numbers, lines. The same corpus, seed and number give the same
 * text on every host. */
#ifndef TESTS_FUZZ_MUTATE_H
#define TESTS_FUZZ_MUTATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct piece {
	char *bytes;
	size_t n;
};

struct pieces {
	struct piece *at;
	uint32_t n, room;
};

/* A zeroed struct is valid and empty. */
struct corpus {
	struct pieces texts; /* seeds */
	struct pieces words; /* of a dictionary */
};

/* A file, or all files *.ptx below a folder in the order of their names. False when one cannot be
 * read; `longest`: seeds of more bytes are left out. */
bool corpus_read(struct corpus *, const char *path, size_t longest);
/* A dictionary in AFL's and libFuzzer's format: "word" or name="word" on each line. */
bool corpus_read_words(struct corpus *, const char *path);
void corpus_drop(struct corpus *);

/* Text `number` of the stream `seed`: a mutated seed of the corpus. Returns its length, at most
 * `room`. */
size_t mutate(const struct corpus *, uint64_t seed, uint64_t number, char *out, size_t room);

/* Mutates the text itself, with no other source of words than the text. */
size_t mutate_alone(char *text, size_t n, size_t room, uint64_t seed);

#endif
