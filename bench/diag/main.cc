// bench_diag: the cost of diagnosis. Names are diag/SUBJECT/CASE/CONTENDER; a contender with an
// incorrect result gets an error and no time.

#include "diag/questions.h"
#include "rt/suite.h"

namespace {

void add_all() {
  fathom::bench::add_throws();
  fathom::bench::add_timeline();
  fathom::bench::add_mutexes();
  fathom::bench::add_stacks();
#ifdef FATHOM_BENCH_BOOST_STACKTRACE
  fathom::bench::add_boost_stacktrace();
#endif
}

}  // namespace

int main(int argc, char** argv) {
  return fathom::bench::run_suite("bench_diag", argc, argv, add_all);
}
