/* A guest of an event loop: what a process serves beside its work, such as a page for those who
 * watch it. It changes no result. */
#ifndef CORE_GUEST_H
#define CORE_GUEST_H

struct guest {
	void *ctx;
	int fd;                   /* the loop calls `serve` when it can be read, */
	void (*serve)(void *ctx); /* and about ten times a second; never while a window runs */
};

#endif
