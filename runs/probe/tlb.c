/* TLBs. Data are in one near cache throughout; what a page's access takes more after others were
 * touched shows which TLBs still have it. A launch empties all of them, so both levels are tested
 * within scripts: the L2 TLB with fillers, pages of one of its sets, which displace what the L1 TLB
 * has and no entry of its other sets. */
#include "runs/probe/inside.h"

#define SKEW 288 /* bytes: from one page to the next other sets, also where lines have 32 */
#define LEAST_PAGE 4096u
#define SLACK 2 /* cycles by which times of one state may differ */

/* What a page takes: in the L1 TLB; only in the L2 TLB; in neither. */
struct translation {
	uint32_t hit, second, walk;
};

/* The data of all addresses in the L2, then in a new script the address after `before`. */
static uint32_t after(struct prober *p, enum verbs_path path, uint32_t before, uint32_t address)
{
	plan_forget(p);
	plan_start(p);
	plan_add(p, before, path, VERBS_TOUCH);
	plan_add(p, address, path, VERBS_TOUCH);
	plan_run(p, 0);
	plan_start(p);
	plan_add(p, before, path, VERBS_TOUCH);
	plan_add(p, address, path, VERBS_TIME);
	plan_run(p, 0);
	return p->results[0];
}

/* The least power of two at which a second page begins; 0: there is none. */
static uint32_t find_page(struct prober *p, enum verbs_path path)
{
	for (uint32_t d = LEAST_PAGE; d < PROBE_BUFFER / 2 && d; d *= 2)
		if (after(p, path, 0, d) > after(p, path, d + SKEW * 4, d) + SLACK)
			return d;
	return 0;
}

/* What the step from x - page to x takes more than that between the first two pages. */
static uint32_t step_more(struct prober *p, enum verbs_path path, uint32_t x)
{
	uint32_t same = after(p, path, 0, p->page), other = after(p, path, x - p->page, x);

	return other > same + 2 * SLACK ? other - same : 0;
}

/* Windows may be larger than the alignment of the buffer: the distance of two of their borders. */
static uint32_t find_window(struct prober *p, enum verbs_path path, uint32_t *more)
{
	uint32_t first = 0, borders = 0;

	for (uint32_t d = 2 * p->page; d < VERBS_ALIGN; d *= 2)
		if ((*more = step_more(p, path, d)))
			return d;
	for (uint32_t x = VERBS_ALIGN; x < PROBE_BUFFER; x += VERBS_ALIGN) {
		uint32_t cycles = step_more(p, path, x);

		if (!cycles)
			continue;
		*more = cycles;
		if (borders++)
			return x - first;
		first = x;
	}
	return 0;
}

static uint32_t probe_window(struct prober *p, enum verbs_path path)
{
	uint32_t more = 0, window = find_window(p, path, &more);

	if (window)
		say(p, "page table", "window", window, bytes_words(p, window),
			words(p,
				"a step over a border takes %u cycles more, and borders are that far apart",
				more));
	else if (more)
		say_not(p, "page table", "window", "the buffer has one border of windows");
	else
		say(p, "page table", "window", 0, "none",
			"steps over all multiples of 64 MB take as long as to the next page");
	return window;
}

/* Page 0 after n others. */
static uint32_t after_pages(struct prober *p, const struct level *l, uint32_t n)
{
	plan_start(p);
	for (uint32_t i = 0; i <= n; i++)
		plan_add(p, level_address(l, i), l->path, VERBS_TOUCH);
	plan_add(p, level_address(l, 0), l->path, VERBS_TIME);
	plan_run(p, 0);
	return p->results[0];
}

/* The plateaus of page 0's time by the number of pages after it. */
static struct translation plateaus(struct prober *p, const struct level *l)
{
	static const uint32_t counts[] = {
		1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 500};
	struct translation t = {0};
	uint32_t beside = p->path[l->path].l2.high + SLACK; /* only the near cache lacks it */

	t.hit = after_pages(p, l, 0);
	for (unsigned i = 0; i < ARRAY_LEN(counts) && counts[i] < l->units; i++) {
		uint32_t cycles = after_pages(p, l, counts[i]);

		if (cycles <= t.hit + SLACK || (cycles <= beside && beside > t.hit + 2 * SLACK &&
						       cycles + 2 * SLACK >= beside))
			continue;
		if (!t.second)
			t.second = cycles;
		else if (!t.walk && cycles > t.second + SLACK)
			t.walk = cycles;
	}
	return t;
}

/* Whether the near cache keeps the data of n pages, and their table entries: in a new script, whose
 * TLBs are empty, no page takes more than one alone. */
static bool is_resident(struct prober *p, const struct level *l, uint32_t n)
{
	uint32_t alone = 0, most = 0;

	for (unsigned run = 0; run < 2; run++) {
		uint32_t pages = run ? n : 1;

		plan_forget(p);
		plan_start(p);
		for (uint32_t i = 0; i < pages; i++)
			plan_add(p, level_address(l, i), l->path, VERBS_TOUCH);
		plan_run(p, 0);
		plan_start(p);
		for (uint32_t i = 0; i < pages; i++)
			plan_add(p, level_address(l, i), l->path, VERBS_TIME);
		plan_run(p, 0);
		alone = run ? alone : p->results[0];
		for (uint32_t i = 0; i < p->nresults; i++)
			most = p->results[i] > most ? p->results[i] : most;
	}
	return most <= alone + SLACK + p->path[l->path].l2.high - p->path[l->path].l2.low;
}

#define PAGES_MOST 512u

/* Pages of one window whose data are near all the time: times differ by translation alone. */
static uint32_t pages_of(struct prober *p, const struct level *l)
{
	uint32_t most = PROBE_BUFFER / p->page;

	if (p->window && most > p->window / p->page)
		most = p->window / p->page;
	most = most > PAGES_MOST ? PAGES_MOST : most;
	while (most > 1 && !is_resident(p, l, most))
		most -= (most + 7) / 8;
	return most;
}

static void say_cycles(struct prober *p, const char *item, uint32_t cycles, const char *how)
{
	cycles -= p->one - p->addition;
	say(p, "translation", item, cycles, words(p, "%u cycles", cycles), how);
}

/* From load to use, of data in the L2 and in DRAM. */
static void say_translation(struct prober *p, enum verbs_path path, const struct translation *t)
{
	uint32_t cold, far = 0;

	say_cycles(p, "L1 TLB hit", t->hit, "page 0 touched before");
	if (t->second)
		say_cycles(p, "L1 TLB miss", t->second,
			"page 0, whose data are near, after some pages");
	if (t->walk)
		say_cycles(p, "L2 TLB miss", t->walk,
			"page 0, whose data and table entry are in the L2, after many pages");
	for (uint32_t i = 1; i <= 3; i++) {
		plan_forget(p);
		plan_start(p);
		plan_add(p, 0, path, VERBS_TOUCH);
		plan_add(p, i * 3 * p->page + SKEW, path, VERBS_TIME);
		plan_run(p, 0);
		cold = p->results[0];
		far = i == 1 || cold < far ? cold : far;
	}
	say_cycles(p, "all miss", far, "a page never touched, the least of three");
}

static void cold_window(struct prober *p, enum verbs_path path, uint32_t window)
{
	if (!window)
		return;
	plan_forget(p);
	plan_start(p);
	plan_add(p, 0, path, VERBS_TOUCH);
	plan_add(p, window + SKEW, path, VERBS_TIME);
	plan_run(p, 0);
	say_cycles(p, "all miss, another window", p->results[0],
		"a page never touched, in another window");
}

/* ---- the TLBs */
static bool probe_first(struct prober *p, struct level *l)
{
	sets_capacity(p, l, l->units);
	p->reach[0] = l->capacity;
	if (!l->capacity || !sets_base(p, l, 1, l->units)) {
		say_not(p, l->name, "capacity",
			words(p,
				"no least set of up to %u pages, whose data the near cache keeps, "
				"does not stay",
				l->units));
		return false;
	}
	say(p, l->name, "page", l->unit, bytes_words(p, l->unit),
		words(p,
			"an access that far from the one before has to be translated, nearer ones have not"));
	probe_index(p, l);
	if (!l->sets)
		return false;
	probe_policy(p, l);
	return true;
}

/* Whether after the fillers pages that are not among them are in the L2 TLB at most. */
static bool displace(struct prober *p, const struct level *l, uint32_t limit)
{
	for (uint32_t unit = 0; unit < 8; unit++) {
		plan_start(p);
		plan_add(p, level_address(l, unit), l->path, VERBS_TOUCH);
		for (uint32_t i = 0; i < l->fillers; i++)
			plan_add(p, level_address(l, l->filler[i]), l->path, VERBS_TOUCH);
		plan_add(p, level_address(l, unit), l->path, VERBS_TIME);
		plan_run(p, 0);
		if (p->results[0] <= limit)
			return false;
	}
	return true;
}

static bool is_filler(const struct level *l, uint32_t unit)
{
	for (uint32_t i = 0; i < l->fillers; i++)
		if (l->filler[i] == unit)
			return true;
	return false;
}

/* The last n members of the set of the base, ascending, without those of a set that is full of
 * fillers. NULL: it has fewer. */
static uint32_t *members(struct prober *p, const struct level *l, uint32_t n)
{
	uint32_t *list = arena_alloc(p->arena, n, sizeof(*list)), missing = n;

	for (uint32_t unit = l->units; unit-- && missing && !p->bad;)
		if (!is_filler(l, unit) && sets_member(p, l, unit) && level_stays(p, l, &unit, 1))
			list[--missing] = unit;
	return missing ? NULL : list;
}

static void use_fillers(struct level *l, const uint32_t *list, uint32_t n)
{
	l->filler = list;
	l->fillers = n;
}

/* How many of the first set's pages stay, with fillers of another set. */
static uint32_t ways_of_first(struct prober *p, const struct level *l, const struct partition *t)
{
	uint32_t list[CACHE_MOST], n = 0;

	for (uint32_t unit = 0; unit < t->pool && n < CACHE_MOST; unit++) {
		if (t->set_of[unit] != 1)
			continue;
		list[n++] = unit;
		if (!level_stays(p, l, list, n))
			return n - 1;
	}
	return 0;
}

/* One set is found with any fillers, which leave all sets fewer ways; fillers of that set leave the
 * others theirs; its own are counted with fillers of another. */
static const char *find_sets(
	struct prober *p, struct level *l, const struct level *first, struct partition *t)
{
	uint32_t n = first->capacity, *any = arena_alloc(p->arena, n, sizeof(*any)), *own;
	uint32_t inside = 0;

	for (uint32_t i = 0; i < n; i++)
		any[i] = l->units - n + i;
	use_fillers(l, any, n);
	l->units -= n;
	t->pool = (uint32_t)min_u64(2 * l->capacity + 16, l->units);
	t->set_of = arena_alloc(p->arena, t->pool, sizeof(*t->set_of));
	if (!displace(p, l, first->limit) || !sets_base(p, l, 1, t->pool))
		return "pages that displace all of the L1 TLB leave no set whose least set of pages is found";
	for (uint32_t unit = 0; unit < t->pool; unit++)
		inside += t->set_of[unit] = sets_member(p, l, unit);
	t->sets = 1;
	t->ways[0] = l->capacity;
	if (inside == t->pool)
		return l->ways + n == l->capacity
			       ? NULL
			       : "one set, but fillers do not take as many ways as they are";
	own = members(p, l, n);
	if (!own)
		return "a set has too few pages near to displace the L1 TLB";
	use_fillers(l, own, n);
	if (!displace(p, l, first->limit) || !partition_find(p, l, t) || t->sets < 2)
		return "of the pages beside one set no least set is found";
	own = members(p, l, n);
	if (!own)
		return "a set has too few pages near to displace the L1 TLB";
	any = (uint32_t *)(uintptr_t)l->filler;
	use_fillers(l, own, n);
	t->ways[0] = ways_of_first(p, l, t);
	use_fillers(l, any, n);
	return t->ways[0] ? NULL : "the first set's pages do not stay beside fillers of another";
}

static void probe_second(struct prober *p, struct level *l, const struct level *first)
{
	struct partition t = {0};
	const char *why;

	sets_capacity(p, l, l->units);
	p->reach[1] = l->capacity;
	if (l->capacity <= first->capacity) {
		say_not(p, l->name, "capacity",
			l->capacity ? "no more pages stay than in the L1 TLB"
				    : words(p,
					      "all of %u pages stay, of which the near "
					      "cache has the data and a window has no more",
					      l->units));
		return;
	}
	why = find_sets(p, l, first, &t);
	if (why) {
		say_not(p, l->name, "sets", why);
		return;
	}
	partition_say(p, l, &t);
	if (!l->sets)
		return;
	probe_policy(p, l);
	if (p->pages)
		probe_passes(p, l);
}

void probe_tlbs(struct prober *p)
{
	enum verbs_path path = p->bypass ? VERBS_CG : VERBS_CA;
	struct level first = {.name = "L1 TLB",
			     .path = path,
			     .again = path,
			     .forget = true,
			     .skew = SKEW},
		     second;
	struct translation t;

	p->page = find_page(p, path);
	if (!p->page) {
		say(p, "L1 TLB", "capacity", 0, "none",
			words(p, "accesses up to %s apart take as long as in one page",
				bytes_words(p, PROBE_BUFFER / 2)));
		return;
	}
	first.unit = p->page;
	p->window = probe_window(p, path);
	first.units = pages_of(p, &first);
	t = plateaus(p, &first);
	if (t.second && t.second + SLACK < p->path[path].l2.low) {
		say_not(p, first.name, "capacity",
			"loads find data in the L1 though no TLB nearby has the page");
		return;
	}
	say_translation(p, path, &t);
	cold_window(p, path, p->window);
	first.limit = ((uint32_t)max_u64(t.hit, p->path[path].l2.high) + t.second) / 2;
	second = first;
	if (!probe_first(p, &first) || !t.walk)
		return;
	second.name = "L2 TLB";
	second.limit = (t.second + t.walk) / 2;
	probe_second(p, &second, &first);
}
