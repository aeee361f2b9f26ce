/* Texture references and fetches for the workloads' kernels, without a CUDA SDK. Not for host code.
 * Included after cuda.h. The channels of a fetch that are not used have no register, as in ptxas'
 * code. */
#ifndef WORKLOADS_CUDA_TEXTURE_H
#define WORKLOADS_CUDA_TEXTURE_H

/* CUDA_TEXTURE(name); at file scope declares `.global .texref name`, which the host binds. Clang
 * knows such a type by its three template arguments. */
template <class element, int dimensions, int mode>
struct __attribute__((device_builtin_texture_type)) cuda_texture_type {
	int unused;
};
#define CUDA_TEXTURE(name) __attribute__((device)) cuda_texture_type<float, 2, 0> name

/* Fetches from a texture reference: the first channel. `x` and `y` are floats, `i` is an int. */
#define tex1D_f32(name, x) \
	({ \
		float cuda_r; \
		asm("tex.1d.v4.f32.f32 {%0, _, _, _}, [" #name ", {%1}];" \
			: "=f"(cuda_r) \
			: "f"(x)); \
		cuda_r; \
	})
#define tex2D_f32(name, x, y) \
	({ \
		float cuda_r; \
		asm("tex.2d.v4.f32.f32 {%0, _, _, _}, [" #name ", {%1, %2}];" \
			: "=f"(cuda_r) \
			: "f"(x), "f"(y)); \
		cuda_r; \
	})
#define tex2D_u32(name, x, y) \
	({ \
		unsigned cuda_r; \
		asm("tex.2d.v4.u32.f32 {%0, _, _, _}, [" #name ", {%1, %2}];" \
			: "=r"(cuda_r) \
			: "f"(x), "f"(y)); \
		cuda_r; \
	})
#define tex3D_f32(name, x, y, z) \
	({ \
		float cuda_r; \
		asm("tex.3d.v4.f32.f32 {%0, _, _, _}, [" #name ", {%1, %2, %3, %3}];" \
			: "=f"(cuda_r) \
			: "f"(x), "f"(y), "f"(z)); \
		cuda_r; \
	})
#define tex1Dfetch_f32(name, i) \
	({ \
		float cuda_r; \
		asm("tex.1d.v4.f32.s32 {%0, _, _, _}, [" #name ", {%1}];" \
			: "=f"(cuda_r) \
			: "r"(i)); \
		cuda_r; \
	})
#define tex1Dfetch_u32(name, i) \
	({ \
		unsigned cuda_r; \
		asm("tex.1d.v4.u32.s32 {%0, _, _, _}, [" #name ", {%1}];" \
			: "=r"(cuda_r) \
			: "r"(i)); \
		cuda_r; \
	})
#define tex1Dfetch_s32(name, i) \
	({ \
		int cuda_r; \
		asm("tex.1d.v4.s32.s32 {%0, _, _, _}, [" #name ", {%1}];" \
			: "=r"(cuda_r) \
			: "r"(i)); \
		cuda_r; \
	})

/* All four channels. */
struct cuda_int4 {
	int x, y, z, w;
};
#define tex1Dfetch_s32x4(name, i) \
	({ \
		cuda_int4 cuda_r; \
		asm("tex.1d.v4.s32.s32 {%0, %1, %2, %3}, [" #name ", {%4}];" \
			: "=r"(cuda_r.x), "=r"(cuda_r.y), "=r"(cuda_r.z), "=r"(cuda_r.w) \
			: "r"(i)); \
		cuda_r; \
	})

/* The first three channels. */
struct cuda_float3 {
	float x, y, z;
};
#define tex1D_f32x3(name, u) \
	({ \
		cuda_float3 cuda_r; \
		asm("tex.1d.v4.f32.f32 {%0, %1, %2, _}, [" #name ", {%3}];" \
			: "=f"(cuda_r.x), "=f"(cuda_r.y), "=f"(cuda_r.z) \
			: "f"(u)); \
		cuda_r; \
	})
#define tex2D_f32x3(name, u, v) \
	({ \
		cuda_float3 cuda_r; \
		asm("tex.2d.v4.f32.f32 {%0, %1, %2, _}, [" #name ", {%3, %4}];" \
			: "=f"(cuda_r.x), "=f"(cuda_r.y), "=f"(cuda_r.z) \
			: "f"(u), "f"(v)); \
		cuda_r; \
	})

/* The first two. */
struct cuda_float2 {
	float x, y;
};
#define tex1D_f32x2(name, u) \
	({ \
		cuda_float2 cuda_r; \
		asm("tex.1d.v4.f32.f32 {%0, %1, _, _}, [" #name ", {%2}];" \
			: "=f"(cuda_r.x), "=f"(cuda_r.y) \
			: "f"(u)); \
		cuda_r; \
	})

/* All four channels. */
struct cuda_float4 {
	float x, y, z, w;
};
#define tex1D_f32x4(name, u) \
	({ \
		cuda_float4 cuda_r; \
		asm("tex.1d.v4.f32.f32 {%0, %1, %2, %3}, [" #name ", {%4}];" \
			: "=f"(cuda_r.x), "=f"(cuda_r.y), "=f"(cuda_r.z), "=f"(cuda_r.w) \
			: "f"(u)); \
		cuda_r; \
	})
#define tex2D_f32x4(name, u, v) \
	({ \
		cuda_float4 cuda_r; \
		asm("tex.2d.v4.f32.f32 {%0, %1, %2, %3}, [" #name ", {%4, %5}];" \
			: "=f"(cuda_r.x), "=f"(cuda_r.y), "=f"(cuda_r.z), "=f"(cuda_r.w) \
			: "f"(u), "f"(v)); \
		cuda_r; \
	})

/* A fetch by a handle, a kernel's argument of type cuda_texture_object. */
typedef unsigned long long cuda_texture_object;

static __device__ __forceinline__ CUDA_NODEBUG float tex2D_object_f32(
	cuda_texture_object t, float x, float y)
{
	float r;

	asm("tex.2d.v4.f32.f32 {%0, _, _, _}, [%1, {%2, %3}];" : "=f"(r) : "l"(t), "f"(x), "f"(y));
	return r;
}

#endif
