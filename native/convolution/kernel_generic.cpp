#define BEELINE_KERNEL_CODE generic_code
#include "convolution/kernel_body.h"

namespace beeline {

const ConvolutionKernel &best_convolution_kernel() {
#ifdef BEELINE_X86_KERNELS
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
    return avx2_code::convolution_kernel;
#endif
  return generic_code::convolution_kernel;
}

} // namespace beeline
