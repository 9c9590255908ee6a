#define BEELINE_KERNEL_CODE generic_code
#define BEELINE_LANES 4
#define BEELINE_TILE_ROWS 4
#define BEELINE_TILE_VECTORS 2
#include "dense/kernel_body.h"

namespace beeline {

const DenseKernel &best_dense_kernel() {
#ifdef BEELINE_X86_KERNELS
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw"))
    return avx512_code::dense_kernel;
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
    return avx2_code::dense_kernel;
#endif
  return generic_code::dense_kernel;
}

} // namespace beeline
