// ChildrenQuestion: its parameters.

#include "api/children_question.h"

namespace fathom::web {

ChildrenQuestion children_question(Parameters& given) {
  using Sort = ChildrenQuestion::Sort;
  ChildrenQuestion asked;
  asked.path = given.bytes("path");
  asked.measure = measure_of(given);
  asked.sort = given.choice<Sort>("sort", Sort::size,
                                  {{"size", Sort::size},
                                   {"name", Sort::name},
                                   {"entries", Sort::entries},
                                   {"modified", Sort::modified},
                                   {"owner", Sort::owner}});
  const bool words = asked.sort == Sort::name || asked.sort == Sort::owner;
  asked.descending = given.choice<bool>("order", !words, {{"asc", false}, {"desc", true}});
  asked.span = span_of(given);
  return asked;
}

}  // namespace fathom::web
