// ChildrenQuestion: its parameters.

#include "api/children_question.h"

namespace fathom::web {

ChildrenQuestion children_question(Parameters& given) {
  using By = ChildrenQuestion::Sort;
  ChildrenQuestion asked;
  asked.path = given.bytes("path");
  asked.measure = measure_of(given);
  asked.sort = given.choice<By>("sort", By::size,
                                {{"size", By::size},
                                 {"name", By::name},
                                 {"entries", By::entries},
                                 {"modified", By::modified},
                                 {"owner", By::owner}});
  const bool words = asked.sort == By::name || asked.sort == By::owner;
  asked.descending = given.choice<bool>("order", !words, {{"asc", false}, {"desc", true}});
  asked.span = span_of(given);
  asked.around = given.text("around");
  return asked;
}

}  // namespace fathom::web
