/* What is served of a command that runs, as JSON. */
#include "cli/serve/serve.h"

#include "chip/chip.h"
#include "runs/json.h"
#include "runs/pace.h"
#include "runs/report.h"

#include <math.h>
#include <string.h>

#define SCHEMA 1
#define EVERY_S 0.1
#define LISTED 200 /* jobs of each state, at most */

/* ---- moments */
static void find_bytes(void *ctx, const struct metric *m)
{
	if (!strcmp(m->name, "dram__bytes.sum"))
		*(uint64_t *)ctx = m->count;
}

static struct serve_moment look(const struct serve_state *s)
{
	const struct served *l = &s->served;
	struct serve_moment m = {.wall_s = pace_now_s() - s->start_s,
		.jobs_done =
			l->count[SERVED_DONE] + l->count[SERVED_FAILED] + l->count[SERVED_KNOWN]};

	if (l->gpu) {
		struct chip_progress p = chip_progress(l->gpu);

		m.cycle = p.cycle;
		m.warp_instructions = p.warp_instructions;
		m.ctas_done = p.ctas_done;
		chip_metrics(l->gpu, find_bytes, &m.dram_bytes);
	}
	return m;
}

/* When the list is full, every other moment is given up. */
void serve_look(struct serve_state *s)
{
	double now = pace_now_s();

	if (now < s->next_s && !s->over)
		return;
	s->next_s = now + EVERY_S * s->stride;
	if (s->moments == SERVE_MOMENTS) {
		s->moments /= 2;
		s->stride *= 2;
		for (unsigned i = 0; i < s->moments; i++)
			s->moment[i] = s->moment[2 * i];
	}
	s->moment[s->moments++] = look(s);
}

static json_t *moments(const struct serve_state *s)
{
	static const struct {
		const char *name;
		size_t at;
	} rows[] = {{"cycle", offsetof(struct serve_moment, cycle)},
		{"warp_instructions", offsetof(struct serve_moment, warp_instructions)},
		{"dram_bytes", offsetof(struct serve_moment, dram_bytes)},
		{"ctas_done", offsetof(struct serve_moment, ctas_done)},
		{"jobs_done", offsetof(struct serve_moment, jobs_done)}};
	json_t *j = json_object(), *times = json_array();

	for (unsigned i = 0; i < s->moments; i++)
		json_append(times, json_number(s->moment[i].wall_s));
	json_add(j, "wall_s", times);
	for (unsigned r = 0; r < ARRAY_LEN(rows); r++) {
		json_t *list = json_array();

		for (unsigned i = 0; i < s->moments; i++)
			json_append(list,
				json_whole(*(const uint64_t *)(const void
						*)((const char *)&s->moment[i] + rows[r].at)));
		json_add(j, rows[r].name, list);
	}
	return j;
}

/* ---- the simulation of this process */
static json_t *simulation(const struct gpu *g)
{
	struct chip_progress p = chip_progress(g);
	json_t *j = json_object(), *metrics = json_object();

	json_add(j, "cycle", json_whole(p.cycle));
	json_add(j, "warp_instructions", json_whole(p.warp_instructions));
	json_add(j, "ctas", json_whole(p.ctas));
	json_add(j, "ctas_done", json_whole(p.ctas_done));
	json_add(j, "launches", json_whole(chip_launches(g)));
	chip_metrics(g, report_json_metric, metrics);
	json_add(j, "metrics", metrics);
	return j;
}

/* ---- runs in processes of their own */
static const char *const state_names[] = {"waits", "runs", "done", "failed", "known"};

/* Those that run, and of the others the last ones. */
static json_t *listed(const struct served *l, double now_s)
{
	json_t *list = json_array();
	unsigned n[SERVED_STATES] = {0};

	for (unsigned i = l->njobs; i-- > 0;) {
		const struct served_job *job = &l->jobs[i];
		json_t *j;

		if (job->state == SERVED_WAITS || n[job->state]++ >= LISTED)
			continue;
		j = json_object();
		json_add(j, "name", json_name(job->name ? job->name : ""));
		json_add(j, "state", json_string(state_names[job->state]));
		json_add(j, "took_s",
			json_number(
				job->state == SERVED_RUNS ? now_s - job->start_s : job->took_s));
		json_append(list, j);
	}
	return list;
}

static json_t *jobs(const struct served *l)
{
	json_t *j = json_object();

	json_add(j, "all", json_whole(l->njobs));
	for (unsigned i = 0; i < SERVED_STATES; i++)
		json_add(j, state_names[i], json_whole(l->count[i]));
	json_add(j, "list", listed(l, pace_now_s()));
	return j;
}

int serve_json(const struct serve_state *s, struct text *out)
{
	json_t *j = json_object();

	json_add(j, "schema", json_integer(SCHEMA));
	json_add(j, "program", json_program());
	json_add(j, "command", json_name(s->command));
	json_add(j, "target", json_name(s->target));
	json_add(j, "wall_s", json_number(pace_now_s() - s->start_s));
	json_add(j, "over", json_boolean(s->over));
	json_add(j, "result", s->over ? json_string(exit_codes[s->code].name) : json_null());
	json_add(j, "message", json_name(s->message));
	json_add(j, "simulation", s->served.gpu ? simulation(s->served.gpu) : json_null());
	json_add(j, "jobs", s->served.njobs ? jobs(&s->served) : json_null());
	json_add(j, "moments", moments(s));
	return json_print(j, out);
}
