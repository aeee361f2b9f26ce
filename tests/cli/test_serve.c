/* --serve: a page while a command runs. A client of HTTP of its own asks for it. */
#include "tests/rig/schema.h"
#include "tests/rig/support_cli.h"

#include "core/mem.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define LONG_RUN "run needle --quiet --size full --set chip.sms=4 --json stopped "

struct page {
	unsigned port;
	char token[33];
};

static bool can_serve(void)
{
#ifdef HAVE_MICROHTTPD
	return true;
#else
	return false;
#endif
}

static int connected(unsigned port)
{
	struct sockaddr_in to = {.sin_family = AF_INET,
		.sin_port = htons((uint16_t)port),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	assert_true(fd >= 0);
	if (!connect(fd, (struct sockaddr *)&to, sizeof(to)))
		return fd;
	close(fd);
	return -1;
}

/* The response, head and body, into `out`; its status, 0: none came. */
static int ask(unsigned port, const char *method, const char *path, struct text *out)
{
	struct text request = {0};
	char bytes[4096];
	int fd = connected(port), status = 0;
	ssize_t n;

	text_clear(out);
	if (fd < 0)
		return 0;
	text_raw(&request, "%s %s HTTP/1.0\r\nHost: 127.0.0.1\r\n%s\r\n", method, path,
		!strcmp(method, "POST") ? "Content-Length: 0\r\n" : "");
	if (send(fd, text_str(&request), request.len, MSG_NOSIGNAL) == (ssize_t)request.len)
		while ((n = read(fd, bytes, sizeof(bytes))) > 0)
			text_bytes(out, bytes, (size_t)n);
	close(fd);
	text_clear(&request);
	sscanf(text_str(out), "HTTP/%*d.%*d %d", &status);
	return status;
}

static int ask_page(const struct page *p, const char *method, const char *what, struct text *out)
{
	char path[96];

	snprintf(path, sizeof(path), "/%s/%s", p->token, what);
	return ask(p->port, method, path, out);
}

/* What the program says on stderr, when it does. */
static struct page page_of(const struct desk *d)
{
	struct page p = {0};

	for (unsigned i = 0; i < 3000 && !p.port; i++) {
		char *err = desk_has(d, "err") ? desk_content(d, "err") : NULL;
		const char *at = err ? strstr(err, "http://127.0.0.1:") : NULL;

		if (!at || sscanf(at, "http://127.0.0.1:%u/%32[0-9a-f]/", &p.port, p.token) < 2)
			p.port = 0;
		mem_free(err);
		usleep(10000);
	}
	assert_true(p.port);
	assert_int_equal(strlen(p.token), 32);
	return p;
}

/* The state, which is as its schema says; NULL: there is no server. */
static json_t *state_of(const struct page *p, json_t *schema)
{
	struct text answer = {0}, wrong = {0};
	const char *body;
	json_t *j = NULL;

	if (ask_page(p, "GET", "state", &answer) == 200) {
		body = strstr(text_str(&answer), "\r\n\r\n");
		assert_non_null(body);
		j = json_loads(body, 0, NULL);
		assert_non_null(j);
		if (!schema_holds(schema, j, &wrong))
			fail_msg("%s", text_str(&wrong));
	}
	text_clear(&wrong);
	text_clear(&answer);
	return j;
}

static json_int_t simulated(json_t *state, const char *what)
{
	return json_integer_value(json_object_get(json_object_get(state, "simulation"), what));
}

/* Asks until the simulation is beyond that cycle. */
static json_int_t wait_for_cycle(const struct page *p, json_t *schema, json_int_t cycle)
{
	json_int_t now = 0;

	while (now <= cycle) {
		json_t *state = state_of(p, schema);

		assert_non_null(state);
		assert_false(json_is_true(json_object_get(state, "over")));
		now = simulated(state, "cycle");
		json_decref(state);
		usleep(20000);
	}
	return now;
}

/* The last state; the command has ended, which that state says. */
static json_t *last_state(const struct page *p, json_t *schema)
{
	json_t *state = NULL;

	for (unsigned i = 0; i < 3000; i++) {
		json_decref(state);
		state = state_of(p, schema);
		assert_non_null(state);
		if (json_is_true(json_object_get(state, "over")))
			break;
		usleep(50000);
	}
	assert_true(json_is_true(json_object_get(state, "over")));
	return state;
}

static void assert_refuses_strangers(const struct page *p)
{
	struct text answer = {0};

	assert_int_equal(ask(p->port, "GET", "/", &answer), 404);
	assert_int_equal(
		ask(p->port, "GET", "/00000000000000000000000000000000/state", &answer), 404);
	assert_int_equal(ask(p->port, "POST", "/stop", &answer), 404);
	assert_null(strstr(text_str(&answer), p->token));
	assert_int_equal(ask_page(p, "GET", "stop", &answer), 405);
	assert_int_equal(ask_page(p, "POST", "state", &answer), 405);
	assert_int_equal(ask_page(p, "DELETE", "state", &answer), 405);
	assert_int_equal(ask_page(p, "GET", "../etc/passwd", &answer), 404);
	text_clear(&answer);
}

static void a_run_is_watched_and_stopped(void **state)
{
	const struct desk *d = *state;
	json_t *schema = schema_load("live.schema.json"), *last, *report;
	struct text answer = {0};
	struct page p;
	pid_t pid;

	assert_non_null(schema);
	pid = desk_start(d, LONG_RUN "--serve", 0);
	p = page_of(d);
	wait_for_cycle(&p, schema, wait_for_cycle(&p, schema, 0));
	assert_refuses_strangers(&p);
	assert_int_equal(ask_page(&p, "GET", "", &answer), 200);
	assert_non_null(strstr(text_str(&answer), "connect-src 'self'"));
	assert_non_null(strstr(text_str(&answer), "dram__bytes.sum"));
	assert_int_equal(ask_page(&p, "POST", "stop", &answer), 200);
	last = last_state(&p, schema);
	assert_string_equal(json_text(last, "result"), "interrupted");
	assert_int_equal(desk_finish(pid), 10);
	report = desk_json(d, "stopped");
	assert_true(json_is_false(json_object_get(report, "complete")));
	assert_int_equal(json_metric(report, "gpc__cycles_elapsed.max"), simulated(last, "cycle"));
	json_decref(report);
	json_decref(last);
	json_decref(schema);
	text_clear(&answer);
}

static void assert_same_files(const struct desk *d, const char *a, const char *b)
{
	char *one = desk_content(d, a), *other = desk_content(d, b);

	assert_string_equal(one, other);
	mem_free(one);
	mem_free(other);
}

/* Who is asked all the time simulates the same; long enough for us to find it. */
static void it_changes_no_byte(void **state)
{
	static const char run[] = "run needle --set needle.n=512 --quiet --json %s --csv %s.csv %s";
	const struct desk *d = *state;
	json_t *schema = schema_load("live.schema.json"), *last;
	char command[256];
	struct page p;
	pid_t pid;

	snprintf(command, sizeof(command), run, "served", "served", "--serve --threads 2");
	pid = desk_start(d, command, 0);
	p = page_of(d);
	last = last_state(&p, schema);
	assert_string_equal(json_text(last, "result"), "ok");
	assert_int_equal(desk_finish(pid), 0);
	snprintf(command, sizeof(command), run, "alone", "alone", "");
	assert_int_equal(desk_finish(desk_start(d, command, 0)), 0);
	assert_same_files(d, "served", "alone");
	assert_same_files(d, "served.csv", "alone.csv");
	json_decref(last);
	json_decref(schema);
}

static json_int_t job_count(json_t *state, const char *what)
{
	return json_integer_value(json_object_get(json_object_get(state, "jobs"), what));
}

static void runs_of_a_sweep_are_told(void **state)
{
	static const char sweep[] = "sweep needle --set needle.n=512 --over l1.mshrs=0,8,16 "
				    "--quiet --jobs 1 --out q --json sweep --serve";
	const struct desk *d = *state;
	json_t *schema = schema_load("live.schema.json"), *last;
	struct page p;
	pid_t pid;

	pid = desk_start(d, sweep, 0);
	p = page_of(d);
	last = last_state(&p, schema);
	assert_true(json_is_null(json_object_get(last, "simulation")));
	assert_int_equal(job_count(last, "all"), 3);
	assert_int_equal(job_count(last, "done"), 2);
	assert_int_equal(job_count(last, "known"), 1); /* it cannot be opened: not one that runs */
	assert_int_not_equal(desk_finish(pid), 0);
	json_decref(last);
	json_decref(schema);
}

/* Before its first call of CUDA, too: nothing is simulated then. */
static void a_program_that_computes_is_watched_and_stopped(void **state)
{
#ifdef HAVE_CUDA
	json_t *schema = schema_load("live.schema.json"), *now;
	struct text answer = {0};
	struct page p;
	pid_t pid;

	pid = desk_start(*state, "run --quiet --serve -- /bin/sleep 60", 0);
	p = page_of(*state);
	for (unsigned i = 0; i < 2; i++) {
		now = state_of(&p, schema);
		assert_non_null(now);
		assert_true(json_is_false(json_object_get(now, "over")));
		assert_int_equal(simulated(now, "cycle"), 0);
		json_decref(now);
	}
	assert_int_equal(ask_page(&p, "GET", "", &answer), 200);
	assert_int_equal(ask_page(&p, "POST", "stop", &answer), 200);
	assert_int_equal(desk_finish(pid), 10);
	json_decref(schema);
	text_clear(&answer);
#else
	(void)state;
	skip();
#endif
}

static void a_taken_port_is_refused(void **state)
{
	struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	const struct desk *d = *state;
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	socklen_t n = sizeof(at);
	char command[128];

	assert_int_equal(bind(fd, (struct sockaddr *)&at, sizeof(at)), 0);
	assert_int_equal(listen(fd, 1), 0);
	assert_int_equal(getsockname(fd, (struct sockaddr *)&at, &n), 0);
	snprintf(command, sizeof(command), "run vectoradd --json %%F/j --serve %u",
		ntohs(at.sin_port));
	assert_int_equal(desk_run(d, command), 9);
	assert_says(d, "err", "cannot listen there: Address already in use");
	assert_false(desk_has(d, "j"));
	close(fd);
}

static void wrong_ports_are_refused(void **state)
{
	const struct desk *d = *state;

	assert_int_equal(desk_run(d, "run vectoradd --serve 0"), 2);
	assert_says(d, "err", "--serve 0: must be a whole number, 1 .. 65535");
	assert_int_equal(desk_run(d, "run vectoradd --serve=65536"), 2);
	assert_int_equal(desk_run(d, "run vectoradd --serve --serve"), 2);
	assert_says(d, "err", "--serve was given before");
	assert_int_equal(desk_run(d, "run --serve"), 2);
	assert_says(d, "err", "run needs WORKLOAD");
	assert_int_equal(desk_run(d, "exec vectoradd --serve"), 2);
}

static void a_build_without_it_says_so(void **state)
{
	const struct desk *d = *state;

	assert_int_equal(desk_run(d, "run vectoradd --serve"), 4);
	assert_says(d, "err", "configure found no libmicrohttpd");
}

int main(void)
{
	const struct CMUnitTest with[] = {
		cmocka_unit_test_setup_teardown(
			a_run_is_watched_and_stopped, desk_set_up, desk_tear_down),
		cmocka_unit_test_setup_teardown(it_changes_no_byte, desk_set_up, desk_tear_down),
		cmocka_unit_test_setup_teardown(
			runs_of_a_sweep_are_told, desk_set_up, desk_tear_down),
		cmocka_unit_test_setup_teardown(a_program_that_computes_is_watched_and_stopped,
			desk_set_up, desk_tear_down),
		cmocka_unit_test_setup_teardown(
			a_taken_port_is_refused, desk_set_up, desk_tear_down),
		cmocka_unit_test_setup_teardown(
			wrong_ports_are_refused, desk_set_up, desk_tear_down)};
	const struct CMUnitTest without[] = {
		cmocka_unit_test_setup_teardown(
			a_build_without_it_says_so, desk_set_up, desk_tear_down),
		cmocka_unit_test_setup_teardown(
			wrong_ports_are_refused, desk_set_up, desk_tear_down)};

	return can_serve() ? cmocka_run_group_tests(with, NULL, NULL)
			   : cmocka_run_group_tests(without, NULL, NULL);
}
