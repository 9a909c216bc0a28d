// Boost.Stacktrace, used header-only.

#include <boost/stacktrace/stacktrace.hpp>
#include <cstddef>

#include "diag/questions.h"
#include "fathom/base/stack.h"

namespace fathom::bench {

namespace {

void count_boosts(void* count) {
  const boost::stacktrace::stacktrace stack(0, base::Stack::kMaxFrames);
  *static_cast<std::size_t*>(count) = stack.size();
}

}  // namespace

void add_boost_stacktrace() {
  add_stack("boost", base::Stack::kMaxFrames, count_boosts);
}

}  // namespace fathom::bench
