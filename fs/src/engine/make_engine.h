// make_engine: creates one of the four engines.

#pragma once

#include <memory>

#include "engine/engine.h"
#include "fathom/fs/engine.h"
#include "fathom/rt/observer.h"

namespace fathom::fs {

// Makes an engine that starts with that many threads and may grow to the limit. The observer, which
// may be null, is notified of what they do.
[[nodiscard]] std::unique_ptr<WorkEngine> make_engine(Engine engine, unsigned threads,
                                                      unsigned limit, const rt::Observer* observer);

}  // namespace fathom::fs
