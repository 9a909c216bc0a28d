// about_act: one sentence per step.

#include "run/act_notice.h"

#include <string>

#include "term/label.h"
#include "term/number.h"

namespace fathom::cli {

namespace {

using Step = web::ActNotice::Step;

std::string items_to_place(const web::ActNotice& notice) {
  return counted(notice.items, "item", "items") + " to the " +
         (notice.to_trash ? "trash" : "quarantine");
}

std::string about_review(const web::ActNotice& notice, base::Units units) {
  return "the page asks to move " + items_to_place(notice) + ", where " +
         base::format_bytes(notice.held_bytes, units) + " become free when it is emptied. " +
         "To allow that once, type this code in the page: " + notice.code;
}

std::string undo_command(const web::ActNotice& notice) {
  return "fathom undo " + shell_word(notice.journal) + " --execute";
}

// How to move back; the page can only if there is a code.
std::string ways_back(const web::ActNotice& notice) {
  std::string text = undo_command(notice);
  if (!notice.code.empty()) text += "; or type this code in the page: " + notice.code;
  return text;
}

std::string about_begin(const web::ActNotice& notice) {
  return "the page moves " + items_to_place(notice) +
         ". If this program is ended meanwhile, move back with: " + undo_command(notice);
}

std::string about_apply(const web::ActNotice& notice) {
  std::string text = "the page moved " + items_to_place(notice);
  if (notice.failed > 0) {
    text += "; " + counted(notice.failed, "item", "items") + " failed, but may have been moved";
  }
  if (!notice.can_undo) return text;
  return text + ". To move back: " + ways_back(notice);
}

std::string about_undo(const web::ActNotice& notice) {
  std::string text = "the page moved " + counted(notice.items, "item", "items") + " back";
  if (!notice.can_undo) return text;
  return text + ", and could not move back the rest. To try again: " + ways_back(notice);
}

}  // namespace

std::string about_act(const web::ActNotice& notice, base::Units units) {
  switch (notice.step) {
    case Step::reviewed:
      return about_review(notice, units);
    case Step::begun:
      return about_begin(notice);
    case Step::applied:
      return about_apply(notice);
    case Step::undone:
      return about_undo(notice);
  }
  return "";
}

}  // namespace fathom::cli
