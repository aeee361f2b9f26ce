// SystemC's side of the benchmark: the same work as bench/kernel.c, one test for each run. Prints
// nanoseconds of processor time per operation.
#include <systemc>

#include <cstdio>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <memory>
#include <vector>

using namespace sc_core;

static double spent_s()
{
	timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return double(t.tv_sec) + double(t.tv_nsec) * 1e-9;
}

// The generator of core/rng.h.
struct rng {
	uint64_t state = 0x9e3779b97f4a7c15u;

	uint32_t below(uint32_t n)
	{
		state ^= state >> 12;
		state ^= state << 25;
		state ^= state >> 27;
		return uint32_t(((state * 0x2545f4914f6cdd1du >> 32) * n) >> 32);
	}
};

// The hold model: each event that fires is notified again, 1 .. 400 ns ahead.
struct held : sc_module {
	sc_event event;
	rng &random;
	uint64_t &fired;

	SC_HAS_PROCESS(held);
	held(sc_module_name name, rng &r, uint64_t &f) : sc_module(name), random(r), fired(f)
	{
		SC_METHOD(fire);
		sensitive << event;
		dont_initialize();
	}
	// In picoseconds, the resolution: the way without floating point is the shortest one.
	void again() { event.notify(sc_time::from_value(1000 * (1 + random.below(400)))); }
	void fire()
	{
		fired++;
		again();
	}
};

static double measure_events(unsigned n)
{
	uint64_t fired = 0, wanted = 2000000, first;
	std::vector<std::unique_ptr<held>> all;
	rng random;
	double start;

	for (unsigned i = 0; i < n; i++)
		all.emplace_back(new held(sc_gen_unique_name("held"), random, fired));
	sc_start(SC_ZERO_TIME);
	for (auto &h : all)
		h->again();
	while (fired < 2 * n)
		sc_start(20, SC_NS);
	first = fired;
	start = spent_s();
	while (fired - first < wanted)
		sc_start(2000, SC_NS); // as many as sim_run gets in bench/kernel.c
	return (spent_s() - start) * 1e9 / double(fired - first);
}

// Methods on the edge of one clock.
struct worker : sc_module {
	sc_in<bool> clock;
	uint64_t cycle = 0, count = 0;

	SC_HAS_PROCESS(worker);
	explicit worker(sc_module_name name) : sc_module(name)
	{
		SC_METHOD(step);
		sensitive << clock.pos();
		dont_initialize();
	}
	void step() { count += cycle++ & 1; }
};

static double measure_clocked()
{
	const unsigned n = 1024, cycles = 5000;
	sc_clock clock("clock", 1, SC_NS);
	std::vector<std::unique_ptr<worker>> all;
	double start;

	for (unsigned i = 0; i < n; i++) {
		all.emplace_back(new worker(sc_gen_unique_name("worker")));
		all.back()->clock(clock);
	}
	sc_start(200, SC_NS);
	start = spent_s();
	sc_start(double(cycles), SC_NS);
	return (spent_s() - start) * 1e9 / double(n) / double(cycles);
}

// Threads on both sides of an sc_fifo of depth 16.
struct message {
	uint64_t number = 0, words[3] = {};
};
static std::ostream &operator<<(std::ostream &out, const message &m)
{
	return out << m.number;
}

struct pair : sc_module {
	sc_fifo<message> fifo;
	uint64_t sent = 0, taken = 0, count = 0;

	SC_HAS_PROCESS(pair);
	explicit pair(sc_module_name name) : sc_module(name), fifo("fifo", 16)
	{
		SC_THREAD(send);
		SC_THREAD(take);
	}
	void send()
	{
		for (;;) {
			message m;

			m.number = sent++;
			fifo.write(m);
			if (sent % 16 == 0)
				wait(1, SC_NS);
		}
	}
	void take()
	{
		for (;;) {
			count += fifo.read().number & 1;
			taken++;
		}
	}
};

static double measure_links()
{
	std::vector<std::unique_ptr<pair>> all;
	uint64_t messages = 0;
	double start;

	for (unsigned i = 0; i < 32; i++)
		all.emplace_back(new pair(sc_gen_unique_name("pair")));
	sc_start(20, SC_NS);
	for (auto &p : all)
		messages -= p->taken;
	start = spent_s();
	sc_start(4000, SC_NS);
	for (auto &p : all)
		messages += p->taken;
	return (spent_s() - start) * 1e9 / double(messages);
}

int sc_main(int argc, char **argv)
{
	const char *test = argc > 1 ? argv[1] : "";
	double ns;

	if (!strncmp(test, "events", 6))
		ns = measure_events(unsigned(atoi(test + 6)));
	else if (!strcmp(test, "clocked"))
		ns = measure_clocked();
	else if (!strcmp(test, "links"))
		ns = measure_links();
	else
		return 2;
	printf("ns %g\n", ns);
	return 0;
}
