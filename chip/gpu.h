/* A GPU as its host sees it: device memory, modules, launches. What workloads and scenarios drive.
 *
 * Order of calls: gpu_new, gpu_buffer / gpu_module, gpu_write, then, repeatedly, gpu_launch,
 * running (by the command) until all launches are complete, and gpu_read; gpu_free. */
#ifndef CHIP_GPU_H
#define CHIP_GPU_H

#include "core/config.h"
#include "core/err.h"
#include "core/files.h"
#include "ptx/exec/exec.h"

struct gpu;
struct state;

/* A buffer of device memory: what DRAM traffic is attributed to. 0 is never a valid handle. */
typedef uint32_t buffer_t;

/* A loaded module. 0 is never a valid handle. */
typedef uint32_t module_t;

/* A texture, surface or sampler: the handle that kernels are given. 0 is never a valid one. One
 * that was freed is given again after 16 million others of its entry. */
typedef uint64_t texture_t;

#define GPU_MAX_SMS 256

/* One kernel launch. */
struct launch {
	module_t module;
	const char *kernel;
	uint32_t grid[3], block[3];
	uint32_t shared_bytes; /* dynamic */
	const struct launch_arg *args;
	unsigned nargs;
	unsigned stream; /* launches of one stream run in order; different streams may overlap */
	uint64_t sms[GPU_MAX_SMS / 64]; /* SMs it may use; all zero: every SM */
	/* On a chip: executed without time at the end of the window in which its turn in the stream
	 * comes. The next launch of the stream begins in the window after. */
	bool untimed;
};

enum arg_kind { ARG_BUFFER, ARG_BYTES, ARG_TEXTURE };

struct launch_arg {
	enum arg_kind kind;
	buffer_t buffer; /* ARG_BUFFER: passes its address + offset, in the module's address size */
	uint64_t offset;
	const void *bytes; /* ARG_BYTES: a value of exactly the parameter's size */
	size_t size;
	enum ptx_type type; /* of the value, T_NONE: bytes of whatever type the kernel takes */
	texture_t texture;  /* ARG_TEXTURE: a parameter of 4 or 8 bytes, or .texref */
};

/* Shorthands for argument lists. `v` is an lvalue or compound literal that outlives gpu_launch. */
#define ARG_BUF(b) ((struct launch_arg){.kind = ARG_BUFFER, .buffer = (b)})
#define ARG_TEX(t) ((struct launch_arg){.kind = ARG_TEXTURE, .texture = (t)})
#define ARG_VAL(v) ((struct launch_arg){.kind = ARG_BYTES, .bytes = &(v), .size = sizeof(v)})

/* The kernel, whose parameters a caller may read; NULL: there is none. */
const struct program *gpu_kernel(const struct gpu *, module_t, const char *kernel);

/* Whether the module has a kernel of that name that did not compile; why, gpu_kernel_info says. */
bool gpu_left_out(const struct gpu *, module_t, const char *kernel);
/* Adds why kernels of the modules did not compile: all, or those of modules where one has that
 * name, in the PTX or in the source. -1 if there are such. */
int gpu_why_left_out(const struct gpu *, const char *kernel, struct err *);

/* What a host asks about a kernel. Of its parameters program->params has offset and size. */
struct gpu_kernel_info {
	const struct program *program;
	uint32_t regs;                      /* of a thread */
	uint64_t shared_bytes, local_bytes; /* static, of a CTA; of a thread */
	/* The largest CTA that may be launched, in whole warps: by the kernel's directives, and by
	 * the registers and static shared memory that an SM has, if there is a chip. */
	uint32_t max_threads;
	uint64_t max_dynamic_bytes; /* of shared memory, that a CTA of one warp may add to these */
};
/* 0, or -1 and a message as gpu_launch gives it. */
int gpu_kernel_info(
	const struct gpu *, module_t, const char *kernel, struct gpu_kernel_info *, struct err *);

/* The check of gpu_launch of the type of argument i, if it is a value of the right size. 0 or
 * -1. */
int gpu_check_type(const struct program *, unsigned i, const struct launch_arg *, struct err *);

/* A GPU without timing parts: memory, modules, launch queue. Parameters are read from `config`
 * (prefix "gpu" and "ptx"). The configuration must outlive it, and so must the command's files,
 * among which modules are noted (NULL: they are not noted). */
struct gpu *gpu_new(struct config *, struct files *, struct err *);
void gpu_free(struct gpu *); /* accepts NULL */

/* Takes `bytes` of zeroed device memory, 256-byte aligned. The name is copied; reports and messages
 * use it. 0 and a message on failure (zero bytes, no memory). */
buffer_t gpu_buffer(struct gpu *, const char *name, uint64_t bytes, struct err *);
/* The same above 4 GB, where only kernels of 64-bit addresses reach. */
buffer_t gpu_buffer_high(struct gpu *, const char *name, uint64_t bytes, struct err *);
/* The same at an address, a multiple of 256 above those of all buffers that there were in its half,
 * below or above 4 GB. */
buffer_t gpu_buffer_placed(
	struct gpu *, const char *name, uint64_t address, uint64_t bytes, struct err *);
/* The same with its bytes in the caller's memory, which must stay until the buffer is freed: pages
 * that another process maps, too. The address is a multiple of 64 KB and so is the next buffer's.
 */
buffer_t gpu_buffer_at(struct gpu *, const char *name, void *host, uint64_t bytes, struct err *);
/* Frees a buffer that no incomplete launch uses: later accesses are faults, unless another buffer
 * is given the same addresses. Handles are used again. Its traffic stays that of its name. */
void gpu_buffer_free(struct gpu *, buffer_t);
/* Sets the size of the heap of malloc() in kernels (gpu.heap_bytes): 0, or -1: there has been a
 * launch since a module made the heap, or there is no memory. The size. */
#define GPU_HEAP_BYTES 8388608u
#define GPU_HEAP_LEAST 4096u
#define GPU_HEAP_MOST (UINT64_C(1) << 36)
int gpu_heap(struct gpu *, uint64_t bytes);
uint64_t gpu_heap_bytes(const struct gpu *);
/* What the memory of a program's allocations is a multiple of (gpu.page_bytes). */
uint64_t gpu_page_bytes(const struct gpu *);
/* Bytes of all buffers that there are, variables and local memory with them. */
uint64_t gpu_memory_bytes(const struct gpu *);
/* Where managed variables of modules that are loaded from now on have their bytes: `take` returns
 * memory of the host as for gpu_buffer_at, or NULL. Without it they are variables as others. */
struct gpu_pages {
	void *ctx;
	void *(*take)(void *ctx, const char *name, uint64_t bytes);
};
void gpu_managed(struct gpu *, const struct gpu_pages *);
/* The first buffer of that name, or 0. */
buffer_t gpu_buffer_named(const struct gpu *, const char *name);
/* The buffer of a module's variable in global or constant memory; 0: it has none of that name. */
buffer_t gpu_variable(const struct gpu *, module_t, const char *name);
/* Gives variables of all modules their initial bytes; nothing is bound to their references, and the
 * heap is empty. No launch is incomplete. */
void gpu_reset(struct gpu *);
/* The name of any buffer there is: the host's, a module's variable, or "(local)": a launch's local
 * memory; "(freed)". */
const char *gpu_buffer_name(const struct gpu *, buffer_t);
uint64_t gpu_buffer_address(const struct gpu *, buffer_t);
uint64_t gpu_buffer_bytes(const struct gpu *, buffer_t);
/* Host copies; between runs, and of buffers that no running launch uses. The range must be inside
 * the buffer (a bug otherwise). */
void gpu_write(struct gpu *, buffer_t, uint64_t offset, const void *data, uint64_t bytes);
void gpu_read(const struct gpu *, buffer_t, uint64_t offset, void *data, uint64_t bytes);

/* Reads, compiles and loads a PTX file. Kernels that do not compile are an error only when
 * launched: gpu_launch then reports their messages. 0 and messages on failure. */
module_t gpu_module(struct gpu *, const char *path, struct err *);

/* The same for n texts in memory, linked with each other as files are: one module. They are among
 * gpu_files, by their names. Names and texts are copied. */
module_t gpu_module_text(struct gpu *, const struct module_text *, unsigned n, struct err *);

/* The same for n files that are linked with each other (module_compile_set): one module. */
module_t gpu_module_set(struct gpu *, const char *const *paths, unsigned n, struct err *);

/* All modules as they were compiled, 0 .. gpu_modules - 1. */
unsigned gpu_modules(const struct gpu *);
const struct module *gpu_compiled(const struct gpu *, unsigned i);
/* What was compiled of a file, by its name (struct program's `file`); NULL: there is no such. */
const char *gpu_ptx(const struct gpu *, const char *file);

/* Whether every kernel that gpu.kernels names is in a module. 0, or -1 and a message. */
int gpu_check_kernels(const struct gpu *, struct err *);

/* What modules are compiled for, the energy of register accesses (energy/registers.h), and of
 * everything (energy/chip.h). */
struct register_energy;
struct energy;
const struct energy *gpu_energy(const struct gpu *);
const struct levels_options *gpu_levels(const struct gpu *);
const struct register_energy *gpu_register_energy(const struct gpu *);

/* A texture: texels in a buffer, pitch-linear (ptx/isa/texture.h), and how fetches read them. Zero
 * means: one row, one slice, rows and slices without gaps, unsigned bytes read as integers,
 * coordinates clamped, in texels, the nearest texel. The same serves as a surface. */
struct texture_desc {
	buffer_t buffer;
	uint64_t offset; /* bytes into the buffer: a multiple of a texel's */
	enum texel_type type;
	unsigned channels; /* 1, 2 or 4 */
	bool as_float;     /* 8 and 16 bits: read as floats from 0 (signed: -1) to 1 */
	bool srgb; /* u8 as_float: all channels but the fourth are sRGB, read as linear values */
	uint32_t width, height, depth;   /* texels; depth: slices of a volume, layers of an array */
	uint64_t row_bytes, slice_bytes; /* from one row to the next, from one slice to the next */
	enum address_mode mode[3]; /* in x, y, z; wrap and mirror need normalised coordinates */
	bool linear;               /* filtered; needs f32, f16 or as_float */
	bool normalised;           /* coordinates run from 0 to 1 */
	texture_t handle; /* that it gets, the lower 40 bits 1 .. 65535, not taken yet; 0: any */
};
/* 0 and a message when the description is wrong; the message contains `name`. */
texture_t gpu_texture(struct gpu *, const char *name, const struct texture_desc *, struct err *);

/* Makes `smaller` the next level of a mipmap whose fetches read `texture`: zero means that the
 * nearest level is read. Both have normalised coordinates, and neither levels yet. 0, or -1 and a
 * message. */
struct mipmap_desc {
	texture_t smaller;
	bool blend;              /* the two levels between which the one is that is asked for */
	float bias, least, most; /* added to it; then its limits */
};
int gpu_mipmap(struct gpu *, texture_t texture, const struct mipmap_desc *, struct err *);

/* Whether it is the handle of a texture of gpu_texture. */
bool gpu_is_texture(const struct gpu *, uint64_t handle);
/* Frees one, its smaller levels with it, that no incomplete launch uses: a fetch with its handle is
 * a fault from then on. False: there is no such texture. */
bool gpu_texture_free(struct gpu *, texture_t);
/* The first texture of gpu_texture in the table, or the next one; 0: there are no more. */
texture_t gpu_texture_next(const struct gpu *, texture_t);

/* A sampler, for kernels in independent texture mode, whose fetches name one beside the texture. */
struct sampler_desc {
	enum address_mode mode[3];
	bool linear, unnormalised; /* coordinates are texels, whatever the texture's are */
};
texture_t gpu_sampler(struct gpu *, const char *name, const struct sampler_desc *, struct err *);

/* Binds a module's .texref, .surfref or .samplerref to a texture or sampler, until another is
 * bound. 0, or -1 and a message: no such reference, a texture for a sampler, or a launch of the
 * module that is not complete. A launch whose kernel names an unbound reference is refused. */
int gpu_bind(struct gpu *, module_t, const char *reference, texture_t, struct err *);
bool gpu_has_reference(const struct gpu *, module_t, const char *name);

/* The PTX files of all modules, 0 .. gpu_files - 1. A path lives as long as the GPU. */
struct gpu_file {
	const char *path;
	uint64_t hash; /* gpu_hash of the file */
};
unsigned gpu_files(const struct gpu *);
struct gpu_file gpu_file(const struct gpu *, unsigned i);

/* The hash of an input's bytes in results: 64-bit FNV-1a. */
uint64_t gpu_hash(const void *, size_t bytes);

/* The check of gpu_launch of the shape of grid and block alone. 0, or -1 and a message. */
int gpu_check_shape(const struct gpu *, const struct launch *, struct err *);

/* Checks a launch completely (kernel, arguments, sizes) and queues it: arguments are copied. 0 or
 * -1. */
int gpu_launch(struct gpu *, const struct launch *, struct err *);

/* The checks of gpu_launch, except whether the chip has the SMs and a CTA fits. 0 or -1. */
int gpu_check_launch(struct gpu *, const struct launch *, struct err *);

/* From now on a launch on the chip is `untimed` unless timed(ctx, its kernel, CTAs of its grid)
 * says that it runs in time: asked once for each that is not untimed already. */
typedef bool gpu_timed_fn(void *ctx, const struct program *, uint64_t ctas);
void gpu_time_only(struct gpu *, gpu_timed_fn *, void *ctx);

/* From now on what runs without time on the chip passes the tags of its caches, in about the order
 * of the chip: later launches find lines and dirty data as after a timed one. Before the first
 * launch; without effect on a profiled chip. */
void gpu_warm(struct gpu *);

/* A launch in time, at a window's edge. */
struct gpu_cta_view {
	uint64_t launch;                           /* its number */
	uint64_t ctas, started, finished, skipped; /* of the grid; in time; without time */
	uint64_t resident;                         /* CTAs that its SMs hold at once */
	uint64_t warps;                            /* of those that are on the SMs now */
	uint64_t cycle, start_cycle;
	uint64_t instructions, executed; /* warp instructions in time, and without */
	uint64_t dram_bytes, read_bytes; /* in time: in all; of them read */
};
/* Asked when CTAs have ended, and when a launch does not advance when it is asked about. How many
 * of the launch's next CTAs are executed at once, without time, before others start; 0: none. At
 * least the grid's last one runs in time. */
typedef uint64_t gpu_skip_fn(void *ctx, const struct gpu_cta_view *);
/* How many warp instructions the launch's resident CTAs, and those that take their slots when they
 * end, execute now without time: stores and loads in flight stay so, and time goes on with warps
 * that are further in the program, each SM's by its share of the instructions in time. 0: none. It
 * ends earlier where a sixteenth of the resident CTAs has ended and none is left. *again: the cycle
 * from which it is asked again; UINT64_MAX: never. Without effect where launches overlap. */
typedef uint64_t gpu_advance_fn(void *ctx, const struct gpu_cta_view *, uint64_t *again);
struct gpu_skipping {
	gpu_skip_fn *skip;       /* or NULL */
	gpu_advance_fn *advance; /* or NULL; of no chip with a profile, an instruction cache or
				    ideal barriers */
	void (*state)(void *ctx, struct state *); /* its own state, for checkpoints */
	void *ctx;
};
/* From now on launches on the chip are asked about; before the first one. Not with chip.share, or
 * with another dispatch policy than dynamic; cooperative launches, and those whose programs read
 * the time, are not asked about. */
void gpu_skip(struct gpu *, const struct gpu_skipping *);

/* Whether the program reads clocks or timers: without time it would compute other results. */
bool gpu_reads_time(const struct program *);

/* From now on the cycles in which a launch ended on each SM are not kept once it is over. */
void gpu_forget_ends(struct gpu *);

/* Launches that are queued and not complete. */
uint32_t gpu_pending(const struct gpu *);
/* What the fault was of the last run that ended with ERR_FAULT. */
enum fault_kind gpu_fault(const struct gpu *);

/* Where launches queued from now on run: `stream` is added to their own, and they may use only
 * these SMs of theirs (all zero: every SM). So several programs can share a chip without
 * changes. */
struct gpu_place {
	unsigned stream;
	uint64_t sms[GPU_MAX_SMS / 64];
};
void gpu_place(struct gpu *, const struct gpu_place *);

/* Host threads that execute CTAs of launches without time (1). They change no result. */
void gpu_threads(struct gpu *, unsigned threads);

/* Destination of the text of vprintf: in a timed run at the end of every window, in the order of
 * (time, SM, order). `write` must take all text (return true). Without it text is dropped. */
void gpu_output(struct gpu *, const struct exec_output *);

/* Instructions that launches executed although PTX leaves the result undefined: each instruction
 * once, where it happened first, in the order of (time, SM). At most EXEC_NOTES of them. */
typedef void gpu_note_fn(void *ctx, const struct exec_note *);
void gpu_notes(const struct gpu *, gpu_note_fn *, void *ctx);

/* Looks for races for shared memory in what the executor alone runs, from now on, in one thread of
 * the host and several times slower (ptx/exec/races.h). 0, or -1 without host memory. */
int gpu_look_for_races(struct gpu *, struct err *);
const struct races *gpu_races(const struct gpu *); /* NULL: not looked for */

/* Runs all queued launches to the end by the executor alone, without timing: in the order of
 * queueing. 0, or -1 with a message (faults as in a timed run). Counts add up over calls. */
int gpu_run_untimed(struct gpu *, struct untimed_counts *, struct err *);
/* The same with limits, and a watch. The limit of warp instructions is one of `counts`: ERR_LIMIT
 * when it is reached, or would be because no running warp can change any state; ERR_INTERRUPTED
 * when the owner stops it. The message has the positions of the warps. */
int gpu_run_watched(
	struct gpu *, const struct untimed_limits *, struct untimed_counts *, struct err *);

#endif
