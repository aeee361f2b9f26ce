/* Descriptions of machines: those that are compiled in (machines/NAME.yaml), and files of users. A
 * description has settings, each a value or [value, source]; a title (machine), what it is (about),
 * what it was validated against (validated), its sources (key: citation), and a base whose settings
 * it changes. */
#ifndef RUNS_DESCRIPTION_H
#define RUNS_DESCRIPTION_H

#include "core/config.h"
#include "core/text.h"
#include "runs/options.h"
#include "runs/source.h"

/* The machine that is taken when none is named. It describes the parameters' defaults. */
#define DESCRIPTION_DEFAULT "m12"

/* A source that is none: the value is a guess, and the words say why this one. */
#define DESCRIPTION_ASSUMED "assumed"

/* A description that is compiled in: the lines of its file. */
struct machine_text {
	const char *name;
	const char *const *lines; /* ended by NULL */
};

/* All of this build, sorted by name, ended by one without a name. tools/list-machines writes it. */
extern const struct machine_text machine_texts[];

struct described_source {
	const char *key, *citation;
};

/* A setting. */
struct described_value {
	const char *path, *value;
	const char *source; /* a key of the sources, "assumed", or NULL: none is given */
	const char *words;  /* what follows the key: a table, a reason; "" */
	const char *place;  /* "machines/m12.yaml:12:3" */
};

struct description {
	const char *name;                      /* as it was asked for: "m12", "big.yaml" */
	const char *file;                      /* its path in messages */
	const char *title, *about, *validated; /* NULL: not said */
	const struct described_source *sources;
	unsigned nsources;
	const struct described_value *values; /* without the base's */
	unsigned nvalues;
	const struct description *base;   /* NULL: the defaults */
	const struct description *before; /* the machine named before, which this one overrides */
};

/* Reads a description and its bases: of a machine's name, or of a YAML file (the name has a '/' or
 * ends in .yaml or .yml); a base is a name, or a file relative to this one. All faults in err, NULL
 * then; faults of sources alone leave its settings usable, for more faults. It lives in the
 * source's arena. */
const struct description *description_read(const char *name, struct source *, struct err *);

/* Enters the settings, those of bases first, each a layer of its own. The default machine enters
 * none, unless it overrides another one. 0 or -1. */
int description_enter(const struct description *, struct config *, struct err *);

/* Reads and enters a machine: on top of those that the source named before. 0 or -1. */
int description_take(const char *name, struct source *, struct config *, struct err *);

/* The value of a path, in the description or the nearest base that has it; NULL: none. */
const struct described_value *description_value(const struct description *, const char *path);

/* Reports on stderr which values of each of several machines the later ones override, in one note;
 * nothing when none is. Reads them into the source. 0 or -1. */
int description_tell_overridden(const struct string_list *names, struct source *, struct err *);

/* Its title; of one that has none its base's, with "changed by". Raw text for reports. */
void description_title(const struct description *, struct text *);

/* As JSON: name, title, what it was validated against, and the machines that it changes. */
struct json_t *description_json(const struct description *);

/* What it was validated against, one sentence. What changes a machine was not validated. */
const char *description_validated(const struct description *);

#endif
