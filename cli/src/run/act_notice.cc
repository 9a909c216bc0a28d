// about_act: one sentence per step.

#include "run/act_notice.h"

#include <string>

#include "run/path.h"
#include "term/label.h"
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

// How to move back; the page can only if there is a code.
std::string ways_back(const web::ActNotice& notice) {
  std::string text = "fathom undo " + shell_word(notice.journal) + " --execute";
  if (!notice.code.empty()) text += "; or type this code in the page: " + notice.code;
  return text;
}

std::string about_apply(const web::ActNotice& notice) {
  std::string text = "the page moved " + counted(notice.items, "item", "items") + " to the " +
                     (notice.to_trash ? "trash" : "quarantine");
  if (notice.failed > 0) {
    text += "; " + counted(notice.failed, "item", "items") + " failed, but may have been moved";
  }
  if (!notice.can_undo) return text + "; the journal is " + escaped(notice.journal);
  return text + ". To move back: " + ways_back(notice);
}

std::string about_undo(const web::ActNotice& notice) {
  const std::string text = "the page moved " + counted(notice.items, "item", "items") + " back";
  if (!notice.can_undo) return text;
  return text + ", and could not move back the rest. To try again: " + ways_back(notice);
}

}  // namespace

std::string about_act(const web::ActNotice& notice, base::Units units) {
  switch (notice.step) {
    case Step::reviewed:
      return about_review(notice, units);
    case Step::applied:
      return about_apply(notice);
    case Step::undone:
      return about_undo(notice);
  }
  return "";
}

}  // namespace fathom::cli
