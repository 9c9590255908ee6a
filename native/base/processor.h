// CPU dispatch: inner loops are compiled once for each kind of processor, and the best of them are
// chosen when the program runs.
//
// A kernel is a table of functions with a static member of its own type for each kind of processor.
// Its file is compiled for each of them (see CMakeLists.txt), with BEELINE_PROCESSOR set to the
// member that it defines. Such a file has raw arrays and functions with internal linkage only: the
// linker merges equal templates and inline functions of all files, and would hand code for one
// processor to another.

#pragma once

namespace beeline {

enum class Processor { generic, avx2, avx512 };

// The kind at hand, of those that this library was compiled for.
inline Processor processor() {
#ifdef BEELINE_X86_KERNELS
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw"))
    return Processor::avx512;
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
    return Processor::avx2;
#endif
  return Processor::generic;
}

// The best kernel for the processor at hand; one without loops for AVX-512 takes those for AVX2.
template <class Kernel>
const Kernel &best() {
#ifdef BEELINE_X86_KERNELS
  const Processor here = processor();
  if constexpr (requires { Kernel::avx512; })
    if (here == Processor::avx512)
      return Kernel::avx512;
  if (here != Processor::generic)
    return Kernel::avx2;
#endif
  return Kernel::generic;
}

} // namespace beeline
