// put_back: moves a file back, or says where it is.

#include "run/put_back.h"

namespace fathom::act {

Verdict put_back(const MutatingOps& ops, const Location& staged, const Location& location,
                 Verdict verdict, std::string where) {
  const int result = ops.move_back(staged, location);
  if (result == 0) return verdict;
  if (where.empty()) where = left_at(staged.name);
  return failed(
      verdict.why + ", and it cannot be moved back to '" + location.name + "' (" + where + ")",
      -result);
}

}  // namespace fathom::act
