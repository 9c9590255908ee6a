// Signals while the engine works without the interpreter's lock.

#pragma once

#include <nanobind/nanobind.h>

#include "base/poll.h"

namespace beeline::bindings {

// Lets Python handle signals (Ctrl-C) now and then; an exception of the handler ends the work.
inline Poll signal_poll() {
  return Poll([] {
    nanobind::gil_scoped_acquire lock;
    if (PyErr_CheckSignals() != 0)
      throw nanobind::python_error();
  });
}

} // namespace beeline::bindings
