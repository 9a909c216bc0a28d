// tell_about_act: one sentence per step.

#include "run/act_notice.h"

#include <string>

#include "run/path.h"
#include "term/label.h"
#include "term/message.h"
#include "term/number.h"

namespace fathom::cli {

namespace {

using Step = web::ActNotice::Step;

std::string about_review(const web::ActNotice& notice, base::Units units) {
  return "the page asks to move " + counted(notice.items, "item", "items") + " to the " +
         (notice.to_trash ? "trash" : "quarantine") + ", where " +
         base::format_bytes(notice.held_bytes, units) + " become free when it is emptied. " +
         "To allow that once, type this code in the page: " + notice.code;
}

std::string about_apply(const web::ActNotice& notice) {
  std::string text = "the page moved " + counted(notice.items, "item", "items") + " to the " +
                     (notice.to_trash ? "trash" : "quarantine");
  if (notice.code.empty()) return text;
  return text + ". To move back: fathom undo " + shell_word(notice.journal) +
         " --execute; or type this code in the page: " + notice.code;
}

std::string about_undo(const web::ActNotice& notice) {
  std::string text = "the page moved " + counted(notice.items, "item", "items") + " back";
  if (notice.code.empty()) return text;
  return text + ", and could not move back the rest. To try again, type this code in the page: " +
         notice.code;
}

}  // namespace

void tell_about_act(const web::ActNotice& notice, base::Units units) {
  switch (notice.step) {
    case Step::reviewed:
      return print_message(about_review(notice, units));
    case Step::applied:
      return print_message(about_apply(notice));
    case Step::undone:
      return print_message(about_undo(notice));
  }
}

}  // namespace fathom::cli
