#define BEELINE_KERNEL_CODE generic_code
#include "relational/kernel_body.h"

namespace beeline {

const Kernel &best_kernel() {
#ifdef BEELINE_X86_KERNELS
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw"))
    return avx512_code::kernel;
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
    return avx2_code::kernel;
#endif
  return generic_code::kernel;
}

} // namespace beeline
