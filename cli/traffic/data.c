/* A profile's counts with names: rows of kernels, buffers, lines, SMs and channels. */
#include "cli/traffic/traffic.h"

#include "core/file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT_ROW(id, name, unit, text) {#name, unit, text},
const struct traffic_count traffic_counts[PROFILE_COUNT] = {PROFILE_COUNTS(COUNT_ROW)};

uint64_t traffic_bytes(const struct profile_row *r)
{
	return r->n[PROFILE_DRAM_READ] + r->n[PROFILE_DRAM_WRITE] + r->n[PROFILE_FLUSHED];
}

uint64_t traffic_stalls(const struct profile_row *r)
{
	return r->n[PROFILE_STALL_SM] + r->n[PROFILE_STALL_NOC] + r->n[PROFILE_STALL_L2] +
	       r->n[PROFILE_STALL_DRAM] + r->n[PROFILE_STALL_TRANSLATION];
}

double traffic_share(uint64_t part, uint64_t whole)
{
	return whole ? (double)part / (double)whole : -1;
}

bool traffic_applies(const struct traffic *t, enum traffic_view_id id, enum profile_count what)
{
	bool of_sm = what < PROFILE_TAKEN_READ || what >= PROFILE_STALL_SM;
	bool of_row = what >= PROFILE_ROW_HIT && what <= PROFILE_ROW_CONFLICT;

	if (what == PROFILE_STALL_TRANSLATION && !t->sum.translates)
		return false;
	return !(of_sm && id == VIEW_CHANNELS) && (!of_row || t->sum.has_rows);
}

double traffic_rate(const struct traffic *t)
{
	uint64_t moved = t->sum.total.n[PROFILE_DRAM_READ] + t->sum.total.n[PROFILE_DRAM_WRITE];
	double rate, ns = (double)t->cycles * t->sum.cycle_ps / 1000;

	rate = ns > 0 ? (double)moved / ns : 0;
	return t->peak_bytes_per_ns > 0 && rate > t->peak_bytes_per_ns ? t->peak_bytes_per_ns
								       : rate;
}

static void add(struct profile_row *to, const struct profile_row *from)
{
	for (unsigned i = 0; i < PROFILE_COUNT; i++)
		to->n[i] += from->n[i];
}

static bool is_zero(const struct profile_row *r)
{
	for (unsigned i = 0; i < PROFILE_COUNT; i++)
		if (r->n[i])
			return false;
	return true;
}

static void add_site(struct traffic_item *item, const struct profile_sum *s, uint32_t site)
{
	add(&item->counts, &s->site[site]);
	stall_row_add(&item->stalls, &s->stall_site[site]);
}

/* The instruction has done nothing, and nothing has waited for it. */
static bool is_idle(const struct profile_sum *s, uint32_t site)
{
	const struct stall_row *r = &s->stall_site[site];

	return is_zero(&s->site[site]) && !r->event[STALL_EXECUTED] && !traffic_stalled(r) &&
	       !traffic_caused(r);
}

static int by_traffic(const void *a, const void *b)
{
	const struct traffic_item *x = a, *y = b;
	uint64_t p = traffic_bytes(&x->counts), q = traffic_bytes(&y->counts);

	if (p != q)
		return p < q ? 1 : -1;
	return x->order < y->order ? -1 : 1;
}

static void sort(struct traffic_view *v)
{
	for (unsigned i = 0; i < v->n; i++)
		v->item[i].order = i;
	qsort(v->item, v->n, sizeof(*v->item), by_traffic);
}

/* ---- kernels */
/* Kernels of the same name and file, compiled several times, are one. */
static struct traffic_item *kernel_item(struct traffic_view *v, const struct program *p)
{
	for (unsigned i = 0; i < v->n; i++)
		if (!strcmp(v->item[i].name, p->name) && !strcmp(v->item[i].ptx_file, p->file))
			return &v->item[i];
	v->item[v->n] = (struct traffic_item){.name = p->name, .ptx_file = p->file};
	return &v->item[v->n++];
}

static void look_at_kernels(struct traffic *t)
{
	struct traffic_view *v = &t->view[VIEW_KERNELS];
	const struct profile_sum *s = &t->sum;

	*v = (struct traffic_view){"kernels", "kernel", "by kernel",
		arena_alloc(t->arena, s->nkernels + 1, sizeof(*v->item)), 0};
	for (uint32_t k = 0; k < s->nkernels; k++) {
		const struct profile_kernel *kernel = &s->kernel[k];
		struct traffic_item *item = kernel_item(v, kernel->program);

		item->launches += kernel->launches;
		for (uint32_t i = 0; i < kernel->program->ninstr; i++)
			add_site(item, s, kernel->first_site + i);
	}
	for (unsigned i = 0; i < v->n; i++)
		v->item[i].ptx_file = report_path(t->report, v->item[i].ptx_file);
	sort(v);
}

/* ---- buffers */
static const char *buffer_name(const struct traffic *t, uint32_t buffer)
{
	return buffer ? chip_profile_buffer(t->report->gpu, buffer) : "(none)";
}

static void look_at_buffers(struct traffic *t)
{
	struct traffic_view *v = &t->view[VIEW_BUFFERS];
	const struct profile_sum *s = &t->sum;

	*v = (struct traffic_view){"buffers", "buffer", "by buffer",
		arena_alloc(t->arena, s->nbuffers + 1, sizeof(*v->item)), 0};
	for (uint32_t b = 0; b < s->nbuffers; b++) {
		if (!b && is_zero(&s->buffer[b]))
			continue;
		v->item[v->n] = (struct traffic_item){.name = buffer_name(t, b), .number = b};
		add(&v->item[v->n++].counts, &s->buffer[b]);
	}
	sort(v);
}

/* ---- lines of PTX */
struct ptx_text {
	const char *path;
	struct explain_source source;
};

struct line_look {
	struct traffic *t;
	struct traffic_view *v;
	struct ptx_text *ptx;
	unsigned nptx;
};

static const struct explain_source *ptx_text(struct line_look *x, const char *path)
{
	const char *text = gpu_ptx(x->t->report->gpu, path);

	for (unsigned i = 0; i < x->nptx; i++)
		if (!strcmp(x->ptx[i].path, path))
			return &x->ptx[i].source;
	x->ptx[x->nptx] = (struct ptx_text){.path = path, .source = {.name = path}};
	if (text)
		explain_split(&x->ptx[x->nptx].source, text, x->t->arena);
	return &x->ptx[x->nptx++].source;
}

static const char *line_of(const struct explain_source *s, uint32_t line)
{
	return line && line <= s->nlines ? s->line[line - 1] : NULL;
}

static const char *buffer_of_site(const struct traffic *t, uint32_t site)
{
	uint32_t buffer = t->sum.site_buffer[site];

	if (buffer == PROFILE_NO_BUFFER)
		return NULL;
	return buffer == PROFILE_SEVERAL ? "(several)" : buffer_name(t, buffer);
}

static void name_line(struct line_look *x, struct traffic_item *item, const struct program *p,
	const struct src_line *l, const struct explain_source *cuda)
{
	const char *kernel = kernels_name(&x->t->kernels, p->name);
	char *name;

	kernel = kernel ? kernel : p->name;
	name = arena_alloc(x->t->arena, strlen(kernel) + 32, 1);
	snprintf(name, strlen(kernel) + 32, "%s:%u%s", kernel, l->ptx_line,
		l->spill ? " spill" : "");
	*item = (struct traffic_item){.name = name,
		.kernel = p->name,
		.ptx_file = report_path(x->t->report, l->ptx_file ? l->ptx_file : p->file),
		.ptx_line = l->ptx_line,
		.spill = l->spill,
		.ptx_text = l->spill ? "(spilled value)"
				     : line_of(ptx_text(x, l->ptx_file ? l->ptx_file : p->file),
					       l->ptx_line)};
	if (!program_cuda_file(p, l))
		return;
	item->cuda_file = report_path(x->t->report, cuda[l->cuda_file].name);
	item->cuda_line = l->cuda_line;
	item->cuda_text = line_of(&cuda[l->cuda_file], l->cuda_line);
}

/* The line's row among those from `first` on, which are the kernel's. */
static struct traffic_item *line_item(struct line_look *x, unsigned first, const struct program *p,
	const struct src_line *l, const struct explain_source *cuda)
{
	struct traffic_item *item;

	for (unsigned i = first; i < x->v->n; i++) {
		item = &x->v->item[i];
		if (item->ptx_line == l->ptx_line && item->spill == l->spill)
			return item;
	}
	item = &x->v->item[x->v->n++];
	name_line(x, item, p, l, cuda);
	return item;
}

static void look_at_lines_of(struct line_look *x, const struct profile_kernel *k)
{
	const struct program *p = k->program;
	const struct explain_source *cuda =
		explain_sources(p->module, p->file, x->t->files, x->t->arena);
	unsigned first = x->v->n;

	for (uint32_t i = 0; i < p->ninstr; i++) {
		uint32_t site = k->first_site + i;
		const struct src_line *l = &p->lines[p->code[i].line];
		struct traffic_item *item;
		const char *buffer;

		if (is_idle(&x->t->sum, site))
			continue;
		item = line_item(x, first, p, l, cuda);
		item->compiled = (uint32_t)(k - x->t->sum.kernel);
		buffer = buffer_of_site(x->t, site);
		if (item->buffer && buffer && strcmp(item->buffer, buffer))
			item->buffer = "(several)";
		else if (buffer)
			item->buffer = buffer;
		add_site(item, &x->t->sum, site);
	}
}

static void look_at_lines(struct traffic *t)
{
	const struct profile_sum *s = &t->sum;
	struct line_look x = {.t = t, .v = &t->view[VIEW_LINES]};
	unsigned files = 1;

	for (uint32_t k = 0; k < s->nkernels; k++)
		files += s->kernel[k].program->nlines + 1;
	x.ptx = arena_alloc(t->arena, files, sizeof(*x.ptx));
	*x.v = (struct traffic_view){"lines", "PTX line", "by PTX line",
		arena_alloc(t->arena, s->nsites + 1, sizeof(*x.v->item)), 0};
	for (uint32_t k = 0; k < s->nkernels; k++)
		look_at_lines_of(&x, &s->kernel[k]);
	sort(x.v);
}

/* ---- SMs and channels */
static void look_at_parts(struct traffic *t, enum traffic_view_id id, const char *prefix,
	const struct profile_row *rows, unsigned n)
{
	struct traffic_view *v = &t->view[id];

	v->item = arena_alloc(t->arena, n, sizeof(*v->item));
	v->n = n;
	for (unsigned i = 0; i < n; i++) {
		char *name = arena_alloc(t->arena, 24, 1);

		snprintf(name, 24, "%s.%u", prefix, i);
		v->item[i] = (struct traffic_item){.name = name, .order = i, .counts = rows[i]};
	}
}

static void note_metric(struct traffic *t, const struct metric *m)
{
	if (!strcmp(m->name, "gpc__cycles_elapsed.max"))
		t->cycles = m->count;
	else if (!strcmp(m->name, "sched__cycles_long_scoreboard.sum"))
		t->long_scoreboard = m->count;
	else if (!strcmp(m->name, "sched__cycles_lg_throttle.sum"))
		t->lg_throttle = m->count;
	if (!strncmp(m->name, "sched__cycles_", 14))
		t->scheduler_cycles += m->count;
}

static void note_setting(
	void *ctx, const char *path, const char *value, const struct param_def *def, bool given)
{
	(void)def;
	(void)given;
	if (!strcmp(path, "chip.bytes_per_ns"))
		*(double *)ctx = strtod(value, NULL);
}

void traffic_look(struct traffic *t, const struct report *r, struct arena *arena)
{
	t->report = r;
	t->arena = arena;
	kernels_of(r->gpu, arena, &t->kernels);
	chip_profile_sum(r->gpu, arena, &t->sum);
	t->metrics.arena = arena;
	run_part_metrics(r->gpu, &(struct run_part){.what = PART_RUN}, &t->metrics);
	for (unsigned i = 0; i < t->metrics.n; i++)
		note_metric(t, &t->metrics.at[i]);
	config_echo(r->config, note_setting, &t->peak_bytes_per_ns);
	look_at_kernels(t);
	look_at_buffers(t);
	look_at_lines(t);
	t->view[VIEW_SMS] = (struct traffic_view){"sms", "SM", "by SM", NULL, 0};
	look_at_parts(t, VIEW_SMS, "sm", t->sum.sm, t->sum.sms);
	for (unsigned i = 0; i < t->sum.sms; i++)
		t->view[VIEW_SMS].item[i].stalls = t->sum.stall_sm[i];
	t->view[VIEW_CHANNELS] =
		(struct traffic_view){"channels", "channel", "by channel", NULL, 0};
	look_at_parts(t, VIEW_CHANNELS, "dram", t->sum.channel, t->sum.channels);
}

const char *traffic_name(
	const struct traffic *t, enum traffic_view_id id, const struct traffic_item *i)
{
	const char *name = id == VIEW_KERNELS ? kernels_name(&t->kernels, i->name) : NULL;

	return name ? name : i->name;
}

double traffic_imbalance(const struct traffic *t, enum traffic_view_id id)
{
	const struct traffic_view *v = &t->view[id];
	uint64_t most = 0, all = 0;

	for (unsigned i = 0; i < v->n; i++) {
		uint64_t bytes = traffic_bytes(&v->item[i].counts);

		most = bytes > most ? bytes : most;
		all += bytes;
	}
	return all ? (double)most * v->n / (double)all : 0;
}

uint64_t traffic_flow(const struct traffic *t, uint32_t buffer, unsigned channel)
{
	return traffic_bytes(&t->sum.channel_buffer[channel][buffer]);
}
