// die_with_parent(): PR_SET_PDEATHSIG.

#include "run/parent_death.h"

#ifdef __linux__
#include <sys/prctl.h>

#include <csignal>
#endif

namespace fathom::cli {

void die_with_parent() {
#ifdef __linux__
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
}

}  // namespace fathom::cli
