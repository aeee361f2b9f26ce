/* The program's SIGSEGV: a line that says which memory the host touched, then whatever the program
 * itself does about the signal. All that is called from the handler is safe there.
 *
 * The library has no function of libc's name that would see the program's later handlers, so each
 * call looks for one, and replaces it, too: by another handler of ours, since the program's may
 * call the one that it found. */
#include "cuda/inside.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

#define LINE 256u
#define TIMES 4u /* that a handler is replaced */

static struct sigaction before[TIMES]; /* what the program had */
static unsigned times;
static atomic_flag explained = ATOMIC_FLAG_INIT;

struct line {
	char text[LINE];
	size_t n;
};

static void add(struct line *l, const char *text)
{
	while (*text && l->n < LINE - 1)
		l->text[l->n++] = *text++;
}

static void add_address(struct line *l, uintptr_t a)
{
	char digits[2 * sizeof(a) + 1];
	size_t at = sizeof(digits) - 1;

	digits[at] = '\0';
	do
		digits[--at] = "0123456789abcdef"[a & 15];
	while (a >>= 4);
	add(l, "0x");
	add(l, digits + at);
}

static const char *advice_for(const void *at)
{
	static const char *const advice[] = {[SHARED_NONE] = NULL,
		[SHARED_MANAGED] = ", managed memory, while launches were pending; call "
				   "cudaDeviceSynchronize() first",
		[SHARED_MAPPED] = ", pinned memory that is mapped, while launches were pending; "
				  "call cudaDeviceSynchronize() first",
		[SHARED_REGISTERED] = ", memory registered as mapped, while launches were pending; "
				      "call cudaDeviceSynchronize() first",
		[SHARED_DEVICE] = ", an address of device memory, which the host cannot use; copy "
				  "with cudaMemcpy()"};

	return advice[shared_kind_of(at)];
}

/* Once in a process; what the program handles itself is explained only if it is CUDA's memory. */
static void tell_fault(const void *at, bool handled)
{
	const char *advice = advice_for(at);
	struct line l = {.n = 0};
	ssize_t n;

	if ((!advice && handled) || atomic_flag_test_and_set(&explained))
		return;
	add(&l, "warpbeam: the program's host code touched ");
	add_address(&l, (uintptr_t)at);
	add(&l, advice ? advice : ", which is not memory of CUDA");
	l.text[l.n++] = '\n';
	n = write(STDERR_FILENO, l.text, l.n);
	(void)n;
}

/* The default action, at the same instruction, or when the handler returns. */
static void die(bool fault)
{
	struct sigaction by_default = {.sa_handler = SIG_DFL};

	sigaction(SIGSEGV, &by_default, NULL);
	if (!fault)
		raise(SIGSEGV);
}

static void caught(unsigned time, int number, siginfo_t *info, void *context)
{
	struct sigaction own = before[time];
	bool fault = info->si_code > 0; /* else sent by a process */
	int kept = errno;

	if (fault)
		tell_fault(info->si_addr, own.sa_handler != SIG_DFL);
	if (own.sa_flags & (int)SA_RESETHAND)
		before[time] = (struct sigaction){.sa_handler = SIG_DFL};
	if (own.sa_handler == SIG_DFL || (own.sa_handler == SIG_IGN && fault))
		die(fault);
	else if (own.sa_flags & SA_SIGINFO)
		own.sa_sigaction(number, info, context);
	else if (own.sa_handler != SIG_IGN)
		own.sa_handler(number);
	errno = kept;
}

#define CAUGHT(time) \
	static void caught_##time(int number, siginfo_t *info, void *context) \
	{ \
		caught(time, number, info, context); \
	}
CAUGHT(0)
CAUGHT(1)
CAUGHT(2)
CAUGHT(3)
static void (*const handlers[TIMES])(int, siginfo_t *, void *) = {
	caught_0, caught_1, caught_2, caught_3};

static bool is_ours(const struct sigaction *s)
{
	for (unsigned i = 0; i < TIMES; i++)
		if (s->sa_flags & SA_SIGINFO && s->sa_sigaction == handlers[i])
			return true;
	return false;
}

void faults_watch(void)
{
	struct sigaction now, ours = {.sa_flags = SA_SIGINFO | SA_ONSTACK};

	if (times == TIMES || sigaction(SIGSEGV, NULL, &now) || is_ours(&now))
		return;
	before[times] = now;
	ours.sa_sigaction = handlers[times++];
	ours.sa_mask = now.sa_mask;
	ours.sa_flags |= now.sa_flags & (SA_NODEFER | SA_RESTART);
	sigaction(SIGSEGV, &ours, NULL);
}
