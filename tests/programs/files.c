/* All files of small programs. */
#include "tests/programs/programs.h"

extern const struct program_file bits_programs, hand_programs, hash_programs, image_programs,
	lang_programs, linear_programs, number_programs, old_programs, reduce_programs,
	sort_programs, sync_programs, text_programs;

const struct program_file *const program_files[] = {
	&bits_programs,
	&hand_programs,
	&hash_programs,
	&image_programs,
	&lang_programs,
	&linear_programs,
	&number_programs,
	&old_programs,
	&reduce_programs,
	&sort_programs,
	&sync_programs,
	&text_programs,
	NULL,
};
