#include "dups/scene.h"
#include "dups/set_aside.h"

namespace fathom::fs {

Verdict act_remove(const Scene& scene) {
  if (scene.dry_run) return {Outcome::would_be_done, {}, 0, 0};
  Place aside;
  if (const int result = beside(scene.victim.place, old_name(scene.mark), aside); result < 0) {
    return failed("its directory cannot be held open", -result);
  }
  if (const auto verdict = set_aside(scene, aside)) return *verdict;
  return let_go(scene, aside);
}

}  // namespace fathom::fs
