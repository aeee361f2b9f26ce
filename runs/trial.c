/* Running trials: in the child a session of its own, in the parent its result. */
#include "runs/trial.h"

#include "core/base.h"
#include "runs/checkpoint/checkpoint.h"
#include "runs/json.h"
#include "runs/work.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* The header of a child's messages and report. */
struct answer_head {
	uint32_t code; /* enum err_code */
	uint32_t message_bytes;
};

/* ---- in the child */
int trial_open(const struct trial *t, const struct run_options *o, struct session *s,
	struct work *works, struct err *err)
{
	unsigned next = 0;

	if (session_open_machine(s, o, &t->machine, err))
		return -1;
	for (unsigned i = 0; i < t->nparties; i++) {
		const char *target = t->parties[i].target;
		struct scenario *scenario = work_is_scenario(target) ? s->scenarios[next++] : NULL;

		if (work_open(&works[i], target, scenario, o, s->gpu, s->config, &s->arena, err))
			return -1;
		works[i].silent = true; /* stdout is the parent's */
		if (works[i].workload)
			works[i].workload->seed += t->parties[i].seed;
	}
	return config_finish(s->config, err);
}

/* True when all queued launches of the party are complete. */
static bool waits(const struct gpu *g, unsigned party)
{
	for (unsigned i = 0; i < chip_launches(g); i++) {
		struct launch_report l;

		chip_launch_report(g, i, &l);
		if (l.stream / PARTY_STREAMS == party && !l.complete)
			return false;
	}
	return true;
}

/* What runs on the chip. */
struct crew {
	const struct trial *t;
	struct gpu *gpu;
	struct work *works;
	bool *finished;
	bool at_rest; /* after a run of the chip: all that was queued is complete */
};

static int run_chip(
	struct crew *c, uint64_t max_cycles, const struct host_hooks *hooks, struct err *err)
{
	c->at_rest = true;
	return c->t->streams ? chip_run_stream(c->gpu, max_cycles, hooks, &c->at_rest, err)
			     : work_run(c->works, max_cycles, hooks, err);
}

/* Lets every waiting party continue. 1: the chip has work; 0: no party has more to do; or -1. */
static int advance(struct crew *c, struct err *err)
{
	const struct trial *t = c->t;
	int any = !c->at_rest;

	for (unsigned i = 0; i < t->nparties; i++) {
		int more;

		if (c->finished[i] || !waits(c->gpu, t->parties[i].place.stream / PARTY_STREAMS))
			continue;
		gpu_place(c->gpu, &t->parties[i].place);
		more = work_advance(&c->works[i], err);
		if (more < 0)
			return -1;
		c->finished[i] = !more;
		any |= more;
	}
	return any;
}

/* ---- its checkpoint */
const char *trial_state_file(const char *beside, const char *key, struct arena *arena)
{
	const char *slash = strrchr(beside, '/');
	size_t head = slash ? (size_t)(slash - beside) + 1 : 0, n = head + strlen(key) + 8;
	char *path = arena_alloc(arena, n, 1);

	snprintf(path, n, "%.*s%s.state", (int)head, beside, key);
	return path;
}

static bool is_there(const char *path)
{
	return path && !access(path, F_OK);
}

static bool keeps_checkpoint(const struct trial *t, const struct work *works)
{
	bool possible = t->state_file && !t->act && !t->untimed;

	for (unsigned i = 0; i < t->nparties; i++)
		possible = possible && checkpoint_possible(&works[i]);
	return possible;
}

/* On which SMs and in which streams the parties run. */
static const char *place_words(const struct trial *t, struct arena *arena)
{
	struct text words = {0};
	const char *out;

	for (unsigned i = 0; t->streams && i < t->nparties; i++) {
		const struct gpu_place *at = &t->parties[i].place;

		text_raw(&words, "stream %u on", at->stream);
		for (unsigned k = 0; k < ARRAY_LEN(at->sms); k++)
			text_raw(&words, " %llx", (unsigned long long)at->sms[k]);
		text_raw(&words, "\n");
	}
	out = arena_strdup(arena, text_str(&words));
	text_clear(&words);
	return out;
}

static int again(void *ctx, struct err *err)
{
	const struct host_hooks none = {0};

	return run_chip(ctx, 0, &none, err) ? -1 : advance(ctx, err);
}

/* A file that cannot be used is removed: the trial begins. */
static struct checkpoint *open_checkpoint(
	struct crew *crew, const struct run_options *o, struct arena *arena, struct err *err)
{
	const struct trial *t = crew->t;
	struct checkpoint_options *own = arena_alloc(arena, 1, sizeof(*own));
	struct checkpoint_host host = {.works = crew->works,
		.n = t->nparties,
		.words = place_words(t, arena),
		.again = again,
		.ctx = crew};
	struct checkpoint *c;
	struct err wrong = {0};

	if (keeps_checkpoint(t, crew->works)) {
		own->every = o->checkpoint.every;
		own->at_term = own->every;
		own->file = own->every ? t->state_file : NULL;
		own->resume = is_there(t->state_file) ? t->state_file : NULL;
	}
	c = checkpoint_open_host(&host, own, NULL, own->resume ? &wrong : err);
	if (c || !own->resume)
		return c;
	output_note("note: not used: %.*s", (int)strcspn(err_text(&wrong), "\n"), err_text(&wrong));
	err_clear(&wrong);
	unlink(own->resume);
	own->resume = NULL;
	return checkpoint_open_host(&host, own, NULL, err);
}

/* It is of this build and of these inputs, and still does not fit: not the trial's fault. */
static int remove_checkpoint(const struct trial *t, struct err *err)
{
	unlink(t->state_file);
	err_add(err, ERR_HOST, "%s is removed: the same command runs it from its beginning",
		t->state_file);
	err->code = ERR_HOST;
	return -1;
}

static int begin_checkpoint(const struct trial *t, struct checkpoint *c, struct err *err)
{
	if (c->start)
		output_note(
			"%s: goes on from %s", t->name ? t->name : t->parties[0].target, c->start);
	if (!checkpoint_begin(c, err))
		return 0;
	return c->start ? remove_checkpoint(t, err) : -1;
}

/* ---- its run */
static int run_all(struct crew *crew, const struct run_options *o, struct session *s,
	struct checkpoint *c, struct err *err)
{
	struct host_hooks hooks = o->watch ? o->watch(s->gpu, &s->arena)
					   : (struct host_hooks){.broken = output_broken};

	hooks = checkpoint_hooks(c, &hooks);
	for (;;) {
		int more, bad = run_chip(crew, o->max_cycles, &hooks, err);

		if (checkpoint_spoiled(c))
			return remove_checkpoint(crew->t, err);
		if (checkpoint_check(c, err) || bad)
			return -1;
		more = advance(crew, err);
		if (more <= 0)
			return more;
		checkpoint_advanced(c);
	}
}

/* The one party, without timing. */
static int run_untimed(struct session *s, struct work *w, struct err *err)
{
	struct untimed_limits limits = {.warp_instructions = UINT64_C(1) << 40};
	struct untimed_counts counts = {0};
	int more;

	do {
		if (work_run_untimed(w, &limits, &counts, err))
			return -1;
		more = work_advance(w, err);
	} while (more > 0);
	text_add(&s->out, "{\"warp_instructions\": %llu}",
		(unsigned long long)counts.warp_instructions);
	return more;
}

/* Determines what all parties will launch, before the first of them does. */
static int foresee(const struct trial *t, struct session *s, struct work *works, struct err *err)
{
	for (unsigned i = 0; i < t->nparties; i++)
		if (work_foresee(&works[i], s->gpu, err))
			return -1;
	return 0;
}

static int run_trial(
	const struct trial *t, const struct run_options *o, struct session *s, struct err *err)
{
	struct work *works = arena_alloc(&s->arena, t->nparties, sizeof(*works));
	struct crew crew = {.t = t, .works = works};
	struct checkpoint *c;
	enum verdict verdict;

	if (trial_open(t, o, s, works, err))
		return -1;
	crew.gpu = s->gpu;
	crew.finished = arena_alloc(&s->arena, t->nparties, sizeof(*crew.finished));
	c = open_checkpoint(&crew, o, &s->arena, err);
	if (!c)
		return -1;
	gpu_output(s->gpu, &(struct exec_output){0}); /* stdout is the parent's */
	if (chip_must_foresee(s->gpu) && foresee(t, s, works, err))
		return -1;
	for (unsigned i = 0; i < t->nparties; i++) {
		gpu_place(s->gpu, &t->parties[i].place);
		if (work_setup(&works[i], s->gpu, err))
			return -1;
	}
	if (begin_checkpoint(t, c, err))
		return -1;
	if (t->untimed ? run_untimed(s, works, err) : run_all(&crew, o, s, c, err))
		return -1;
	for (unsigned i = 0; i < t->nparties; i++)
		if (work_verify(&works[i], s->gpu, &verdict, err))
			return -1;
	if (!t->untimed)
		chip_close(s->gpu);
	return 0;
}

static int describe(
	const struct trial *t, const struct run_options *o, struct session *s, struct err *err)
{
	const char *target = t->parties[0].target;
	struct report r = {.gpu = s->gpu,
		.config = s->config,
		.target = target,
		.program = work_report_words(target, &s->arena),
		.is_workload = work_kind(target) == WORK_WORKLOAD,
		.size = o->size ? "full" : "small",
		.seed = o->seed,
		.address_bits = o->wide ? 64 : 32,
		.chip = work_chip(o, s->scenario),
		.machine = session_machine(s, err),
		.data_dir = work_data_dir(&s->arena, target),
		.sources = {&s->source, s->scenario ? scenario_source(s->scenario) : NULL},
		.verdict = VERDICT_PASSED,
		.complete = true,
		.message = ""};

	if (report_json(&r, &s->out))
		return err_add(err, ERR_RESOURCE, "no host memory for the report");
	return 0;
}

static int send(int out, const void *data, size_t n)
{
	const char *at = data;

	while (n) {
		ssize_t done = write(out, at, n);

		if (done < 0 && errno != EINTR)
			return -1;
		at += done > 0 ? done : 0;
		n -= done > 0 ? (size_t)done : 0;
	}
	return 0;
}

void trial_child(const struct trial *t, const struct run_options *o, int out)
{
	struct session session = {0};
	struct err err = {0};
	struct answer_head head;
	jmp_buf escape;
	int bad;

	session.arena.escape = &escape;
	mem_forget_loss();       /* a loss of the parent does not concern this run */
	signal(SIGINT, SIG_DFL); /* the parent reports the results of its runs */
	signal(SIGTERM, SIG_DFL);
	signal(SIGUSR1, SIG_IGN); /* until the run's loop; the parent reports */
	if (setjmp(escape))
		err_add(&err, ERR_RESOURCE, "no host memory");
	else if (t->act)
		t->act(t, o, &session, &err);
	else if (!run_trial(t, o, &session, &err) && !t->untimed)
		describe(t, o, &session, &err);
	/* Without memory for its text a message is that of err_text. */
	head = (struct answer_head){(uint32_t)err.code, (uint32_t)strlen(err_text(&err))};
	bad = send(out, &head, sizeof(head)) || send(out, err_text(&err), head.message_bytes);
	if (!err.code)
		bad |= send(out, text_str(&session.out), session.out.len);
	_exit(bad ? 1 : 0);
}

/* ---- in the parent */
static void tell(const char *name, struct err *err, enum err_code code, const char *s, size_t n)
{
	err_add(err, code, "%s%s%.*s", name ? name : "", name ? ": " : "", (int)n, s);
}

static void tell_words(const char *name, struct err *err, enum err_code code, const char *s)
{
	tell(name, err, code, s, strlen(s));
}

static void tell_end(const char *name, int status, struct err *err)
{
	char words[64] = "the run ended without a result";

	if (WIFSIGNALED(status))
		snprintf(words, sizeof(words), "the run was ended by signal %d", WTERMSIG(status));
	tell_words(name, err, ERR_HOST, words);
}

static void tell_messages(
	const char *name, const struct answer_head *head, const char *text, struct err *err)
{
	const char *end = text + head->message_bytes;

	while (text < end) {
		const char *stop = memchr(text, '\n', (size_t)(end - text));
		size_t n = (size_t)((stop ? stop : end) - text);

		tell(name, err, (enum err_code)head->code, text, n);
		text += n + 1;
	}
}

static json_t *read_report(const char *name, const char *at, size_t n, struct err *err)
{
	json_error_t wrong;
	json_t *report = json_loadb(at, n, 0, &wrong);

	if (json_is_whole() && report)
		return report;
	json_decref(report);
	tell_words(name, err, ERR_RESOURCE, "the report cannot be read");
	return NULL;
}

bool trial_succeeded(const struct pool_result *a)
{
	struct answer_head head;

	if (a->status || a->bytes.failed || a->bytes.len < sizeof(head))
		return false;
	memcpy(&head, text_str(&a->bytes), sizeof(head));
	return !head.code;
}

json_t *trial_answer(const char *name, const struct pool_result *a, struct err *err)
{
	const char *at = text_str(&a->bytes);
	struct answer_head head = {0};

	if (a->bytes.failed) {
		tell_words(name, err, ERR_RESOURCE, "no host memory for the report");
		return NULL;
	}
	if (a->late && !a->status && a->bytes.len >= sizeof(head))
		memcpy(&head, at, sizeof(head));
	if (a->late && (a->status || a->bytes.len < sizeof(head) || head.code)) {
		tell_words(name, err, ERR_LIMIT,
			"it took longer than --timeout allows, and was stopped");
		if (head.code == ERR_INTERRUPTED) {
			head.code = ERR_LIMIT;
			tell_messages(name, &head, at + sizeof(head), err);
		}
		return NULL;
	}
	if (a->status || a->bytes.len < sizeof(head)) {
		tell_end(name, a->status, err);
		return NULL;
	}
	memcpy(&head, at, sizeof(head));
	at += sizeof(head);
	if (!head.code)
		return read_report(name, at, a->bytes.len - sizeof(head), err);
	tell_messages(name, &head, at, err);
	return NULL;
}
