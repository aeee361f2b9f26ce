/* The PTX of a module's files, of a compiled program what it contains, or of texts in memory. */
#ifndef CHIP_MODULE_FILES_H
#define CHIP_MODULE_FILES_H

#include "chip/gpu_inside.h"

/* Empty: zeros except what the owner sets. */
struct module_files {
	struct gpu *gpu;           /* the files are noted there */
	struct gpu_module *module; /* its arena keeps the texts' names */
	struct module_text *texts;
	unsigned n;
	struct arena arena;
};

/* Appends the texts of a file. 0, or -1 and a message. */
int module_files_add(struct module_files *, const char *path, struct err *);

/* Appends a text in memory, under its name. 0, or -1 and a message. */
int module_files_text(struct module_files *, const struct module_text *, struct err *);

/* Gives the module copies of the texts. 0, or -1 and a message. */
int module_files_keep(const struct module_files *, struct err *);

/* Frees the texts; their names live as long as the module, those of files as long as the GPU. */
void module_files_free(struct module_files *);

#endif
