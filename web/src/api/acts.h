// Acts: the plans that were reviewed and the runs that can be undone, each with its one-time code.
//
// Guarantees: a code belongs to one plan or one journal, is accepted once, and is void after five
// wrong guesses. The latest plans and journals are kept, older ones forgotten. Thread-safe.

#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "api/answer.h"
#include "fathom/act/outcome.h"
#include "fathom/act/plan.h"
#include "fathom/base/mutex.h"
#include "fathom/rt/cancel.h"
#include "fathom/web/acting.h"

namespace fathom::web {

class Acts {
 public:
  // of_saved_scan: the scan says nothing about this machine now, so that plans cannot be made.
  Acts(Acting acting, bool of_saved_scan);

  [[nodiscard]] const Acting& options() const { return acting_; }
  [[nodiscard]] bool can_plan() const { return !of_saved_scan_; }
  [[nodiscard]] bool can_apply() const { return acting_.allowed && can_plan(); }

  // The server is stopping. Ends runs after the item in which they are.
  void cancel() { cancel_.cancel(); }
  [[nodiscard]] rt::CancelToken cancel_token() const { return cancel_.token(); }

  // Whether a plan may be carried out: it moves something, and removes nothing for good.
  [[nodiscard]] bool accepts(const act::Plan& plan) const;
  // The digest of a plan. Keeps the plan and tells its code, if it may be carried out.
  std::string add(const act::Plan& plan);
  // The plan of the last review with that digest and number of items, once; or why not.
  [[nodiscard]] std::variant<act::Plan, Answer> take(std::string_view digest, std::uint64_t items,
                                                     std::string_view code);

  // A run begins. Tells its journal, for a program that is ended before the run is.
  void begun(const std::string& journal, const act::Plan& plan);
  // A run has ended. Tells what it did, with a code if something may have been moved: an item that
  // failed may be where it was to go, too.
  void applied(const std::string& journal, const act::Plan& plan, const act::Applied& ran);
  // Why a run cannot be undone; nothing if it can, once.
  [[nodiscard]] std::optional<Answer> refuse_undo(std::string_view journal, std::string_view code);
  // complete: nothing is left to move back.
  void undone(const std::string& journal, std::uint64_t done, bool complete);

 private:
  // Something that a code allows.
  struct Permit {
    std::string name;  // a digest, or a journal
    std::string code;  // empty: used
    unsigned wrong = 0;
    act::Plan plan;  // of a review, until the code is used
  };
  using Permits = std::deque<Permit>;

  static Permit* find(Permits& permits, std::string_view name);
  static std::optional<Answer> refuse_code(Permit& permit, std::string_view code);
  static std::string permit(Permits& permits, std::string name, act::Plan plan);
  // The code that undoes a run; empty if nobody can use it anymore.
  std::string permit_undo(const std::string& journal);

  const Acting acting_;
  const bool of_saved_scan_;
  rt::CancelSource cancel_;
  base::Mutex mutex_ = base::named_mutex("acts");  // guards the rest
  Permits reviews_;
  Permits runs_;
};

}  // namespace fathom::web
