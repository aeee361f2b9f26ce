/* The devices. Above its clocks each says where they come from; G: the geometry, T: the timings.
 *
 *	DRAMsim3   umd-memsys/DRAMsim3, configs/
 *	Ramulator  CMU-SAFARI/ramulator, src/GDDR5.h and GDDR5.cpp
 *	Ramulator 2.1  CMU-SAFARI/ramulator2, python/ramulator/dram/
 *	DRAMSys    tukl-msd/DRAMSys, configs/memspec/
 *	JESD       JEDEC's standards, as those cite them: GDDR5 JESD212, GDDR5X JESD232, GDDR6
 *	           JESD250, HBM2 and HBM2E JESD235, HBM3 JESD238
 *
 * "In clocks of n ps": the source's clocks times its period, rounded up (tREFI: down). From a read
 * to a write: CL + burst - CWL, and the source's clocks for the bus to turn. The numbers of
 * channels are a product's, as said. */
#include "dram/device.h"

/* T: Ramulator's GDDR5_4000 for 1 Gb, which are Hynix's H5GQ1H24AFR: a GTX 480's, in clocks of
 * 1.0823 ns; m12 has the same clocks at 750 ps. */
#define GDDR5_3700 \
	{ \
		.cl = 12, .cwl = 4, .rcdrd = 12, .rcdwr = 10, .rp = 12, .ras = 28, .rc = 40, \
		.rrds = 6, .rrdl = 6, .faw = 23, .a32w = 184, .ccds = 2, .ccdl = 3, .wr = 12, \
		.wtrs = 5, .wtrl = 5, .rtp = 2, .ppd = 1, .rtw = 12, .refi = 3900, .rfc = 110 \
	}

/* T: DRAMsim3's GDDR5_1Gb_x32. */
#define GDDR5_6000 \
	{ \
		.cl = 24, .cwl = 7, .rcdrd = 18, .rcdwr = 15, .rp = 18, .ras = 42, .rc = 60, \
		.rrds = 9, .rrdl = 9, .faw = 35, .a32w = 280, .ccds = 2, .ccdl = 3, .wr = 18, \
		.wtrs = 8, .wtrl = 8, .rtp = 5, .ppd = 2, .rtw = 19, .refi = 11699, .rfc = 98 \
	}

/* T: Ramulator's GDDR5_6000 for 4 Gb; the bus turns in 2. */
#define GDDR5_6000_4GB \
	{ \
		.cl = 18, .cwl = 5, .rcdrd = 18, .rcdwr = 15, .rp = 18, .ras = 42, .rc = 60, \
		.rrds = 9, .rrdl = 9, .faw = 35, .a32w = 276, .ccds = 2, .ccdl = 3, .wr = 18, \
		.wtrs = 8, .wtrl = 8, .rtp = 2, .ppd = 2, .rtw = 17, .refi = 2850, .rfc = 390 \
	}

/* T: Ramulator's GDDR5_7000 for 4 Gb; the bus turns in 2. */
#define GDDR5_7000 \
	{ \
		.cl = 21, .cwl = 6, .rcdrd = 21, .rcdwr = 18, .rp = 21, .ras = 49, .rc = 70, \
		.rrds = 10, .rrdl = 10, .faw = 41, .a32w = 322, .ccds = 2, .ccdl = 3, .wr = 21, \
		.wtrs = 9, .wtrl = 9, .rtp = 2, .ppd = 2, .rtw = 19, .refi = 3325, .rfc = 455 \
	}

/* T: DRAMsim3's GDDR5X_8Gb_x32 (666 ps, 12 Gbps; tCCD stay 2 and 3) in clocks of 800 ps. Its
 * array's timings are its GDDR5's, so assumed. */
#define GDDR5X_10000 \
	{ \
		.cl = 20, .cwl = 6, .rcdrd = 15, .rcdwr = 13, .rp = 15, .ras = 35, .rc = 50, \
		.rrds = 8, .rrdl = 8, .faw = 30, .a32w = 234, .ccds = 2, .ccdl = 3, .wr = 15, \
		.wtrs = 7, .wtrl = 7, .rtp = 3, .ppd = 2, .rtw = 16, .refi = 9739, .rfc = 82 \
	}

/* T: Ramulator 2.1's GDDR6_14000_1350mV_double, tRC one more: tRAS + tRP; read to write CL + 1. */
#define GDDR6_14000 \
	{ \
		.cl = 24, .cwl = 6, .rcdrd = 27, .rcdwr = 16, .rp = 27, .ras = 53, .rc = 80, \
		.rrds = 8, .rrdl = 8, .faw = 29, .ccds = 2, .ccdl = 4, .wr = 27, .wtrs = 9, \
		.wtrl = 11, .rtp = 4, .ppd = 1, .rtw = 25, .refi = 3333, .rfc = 211 \
	}

/* T: GDDR6_14000 in clocks of 800 ps (tCCD stay 2 and 4); read to write CL + 1. */
#define GDDR6_10000 \
	{ \
		.cl = 18, .cwl = 5, .rcdrd = 20, .rcdwr = 12, .rp = 20, .ras = 38, .rc = 58, \
		.rrds = 6, .rrdl = 6, .faw = 21, .ccds = 2, .ccdl = 4, .wr = 20, .wtrs = 7, \
		.wtrl = 8, .rtp = 3, .ppd = 1, .rtw = 19, .refi = 2374, .rfc = 151 \
	}

/* T: assumed, no public figures were found: GDDR6_14000 in clocks of 421 ps (tCCD stay 2 and 4). G:
 * GDDR6's, assumed too. 19 Gbps: an RTX 3080's. */
#define GDDR6X_19000 \
	{ \
		.cl = 33, .cwl = 9, .rcdrd = 37, .rcdwr = 22, .rp = 37, .ras = 72, .rc = 109, \
		.rrds = 11, .rrdl = 11, .faw = 40, .ccds = 2, .ccdl = 4, .wr = 37, .wtrs = 13, \
		.wtrl = 15, .rtp = 6, .ppd = 2, .rtw = 34, .refi = 4512, .rfc = 286 \
	}

/* T: DRAMsim3's HBM2_8Gb_x128, tCCD for a pseudo channel, Ramulator 2.1's tRTP, and Ramulator 2's
 * refresh of a bank. */
#define HBM2_2000 \
	{ \
		.cl = 14, .cwl = 4, .rcdrd = 14, .rcdwr = 14, .rp = 14, .ras = 34, .rc = 48, \
		.rrds = 4, .rrdl = 6, .faw = 30, .ccds = 2, .ccdl = 4, .wr = 16, .wtrs = 6, \
		.wtrl = 8, .rtp = 5, .ppd = 1, .rtw = 13, .refi = 3900, .rfc = 260, .rfcb = 160, \
		.rrefd = 8 \
	}

/* T: Ramulator 2.1's HBM2_2400Mbps (833 ps) in clocks of 625 ps (tCCD stay 2 and 4), and its rules
 * for tRRD 4 ns, tFAW 15 ns, tRFC 350 ns (8 Gb a pseudo channel) and tREFI; the bus turns in 2.
 * That the array is as fast as HBM2's is assumed. G: DRAMSys' HBM2 of 16 Gb in 8 layers: two stack
 * IDs of 16 banks, as 8 bank groups. */
#define HBM2E_3200 \
	{ \
		.cl = 23, .cwl = 8, .rcdrd = 23, .rcdwr = 19, .rp = 23, .ras = 54, .rc = 77, \
		.rrds = 7, .rrdl = 7, .faw = 24, .ccds = 2, .ccdl = 4, .wr = 26, .wtrs = 11, \
		.wtrl = 14, .rtp = 8, .ppd = 1, .rtw = 19, .refi = 6240, .rfc = 560 \
	}

/* G, T: Ramulator 2.1's HBM3_16Gb_8hi and HBM3_6400Mbps: two stack IDs of 16 banks, as 8 bank
 * groups. */
#define HBM3_6400 \
	{ \
		.cl = 20, .cwl = 10, .rcdrd = 31, .rcdwr = 15, .rp = 26, .ras = 45, .rc = 72, \
		.rrds = 4, .rrdl = 5, .faw = 24, .ccds = 2, .ccdl = 4, .wr = 33, .wtrs = 7, \
		.wtrl = 10, .rtp = 9, .ppd = 2, .rtw = 20, .refi = 6240, .rfc = 560 \
	}

/* T: HBM3_6400 in clocks of 764 ps (tCCD stay 2 and 4): an H100's 5.2 Gbps. */
#define HBM3_5200 \
	{ \
		.cl = 17, .cwl = 9, .rcdrd = 26, .rcdwr = 13, .rp = 22, .ras = 37, .rc = 59, \
		.rrds = 4, .rrdl = 5, .faw = 20, .ccds = 2, .ccdl = 4, .wr = 27, .wtrs = 6, \
		.wtrl = 9, .rtp = 8, .ppd = 2, .rtw = 17, .refi = 5104, .rfc = 459 \
	}

/* G: two x32 chips of 4 Gb, as a channel of a GTX 480 or 980 has; 64 bytes are a burst of 8. */
#define GDDR5_SHAPE \
	.burst_bytes = 64, .burst_ck = 2, .groups = 4, .banks = 16, .row_bytes = 4096, .rows = 16384
/* G: DRAMsim3's GDDR5X_8Gb_x32; 64 bytes are a burst of 16. */
#define GDDR5X_SHAPE GDDR5_SHAPE
/* G: Ramulator 2.1's GDDR6_8Gb_x16, a channel of 16 bits; 32 bytes are a burst of 16. */
#define GDDR6_SHAPE \
	.burst_bytes = 32, .burst_ck = 2, .groups = 4, .banks = 16, .row_bytes = 2048, .rows = 16384
/* G: a pseudo channel, DRAMsim3's HBM2_8Gb_x128 halved (8 GB a stack) or HBM2_4Gb_x128 (4 GB). */
#define HBM2_SHAPE .burst_bytes = 32, .burst_ck = 2, .groups = 4, .banks = 16, .row_bytes = 1024
#define HBM3_SHAPE \
	.burst_bytes = 32, .burst_ck = 2, .groups = 8, .banks = 32, .row_bytes = 1024, .rows = 16384

const struct dram_device dram_devices[] = {
	{"m12", "GDDR5, 64 bits, the gtx480's clocks at 750 ps: six channels are 256 B/ns", 750,
		GDDR5_SHAPE, .channels = 6, .t = GDDR5_3700},
	{"gtx480", "GDDR5 at 3.7 Gbps, 64 bits", 1082, GDDR5_SHAPE, .channels = 6, .t = GDDR5_3700},
	{"gddr5_6000", "GDDR5 at 6 Gbps, 64 bits", 667, GDDR5_SHAPE, .channels = 6,
		.t = GDDR5_6000},
	{"gddr5_6000_4gb", "GDDR5 at 6 Gbps, 64 bits, 4 Gb chips", 667, GDDR5_SHAPE, .channels = 6,
		.t = GDDR5_6000_4GB},
	{"gddr5_7000", "GDDR5 at 7 Gbps, 64 bits, 4 Gb chips; 4 channels: a GTX 980", 571,
		GDDR5_SHAPE, .channels = 4, .t = GDDR5_7000},
	{"gddr5x_10000", "GDDR5X at 10 Gbps, 32 bits; 12 channels: a Titan X of cc 6.1", 800,
		GDDR5X_SHAPE, .channels = 12, .t = GDDR5X_10000},
	{"gddr6_10000", "GDDR6 at 10 Gbps, 16 bits; 16 channels: a T4", 800, GDDR6_SHAPE,
		.channels = 16, .t = GDDR6_10000},
	{"gddr6_14000", "GDDR6 at 14 Gbps, 16 bits", 570, GDDR6_SHAPE, .channels = 16,
		.t = GDDR6_14000},
	{"gddr6x_19000", "GDDR6X at 19 Gbps, 16 bits; 20 channels: an RTX 3080", 421, GDDR6_SHAPE,
		.channels = 20, .t = GDDR6X_19000},
	{"hbm2", "HBM2 at 2 Gbps, a pseudo channel of 64 bits, a stack of 8 GB", 1000, HBM2_SHAPE,
		.rows = 32768, .channels = 16, .t = HBM2_2000},
	{"hbm2_4gb", "HBM2 at 2 Gbps, a pseudo channel of a stack of 4 GB", 1000, HBM2_SHAPE,
		.rows = 16384, .channels = 16, .t = HBM2_2000},
	{"hbm2e", "HBM2E at 3.2 Gbps, a pseudo channel of 64 bits; 80: an A100 of 80 GB", 625,
		.burst_bytes = 32, .burst_ck = 2, .groups = 8, .banks = 32, .row_bytes = 1024,
		.rows = 32768, .channels = 80, .t = HBM2E_3200},
	{"hbm3", "HBM3 at 6.4 Gbps, a pseudo channel of 32 bits; 32: a stack", 625, HBM3_SHAPE,
		.channels = 32, .t = HBM3_6400},
	{"hbm3_5200", "HBM3 at 5.2 Gbps, a pseudo channel of 32 bits; 160: an H100 SXM", 764,
		HBM3_SHAPE, .channels = 160, .t = HBM3_5200},
	{0},
};
