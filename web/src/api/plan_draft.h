// PlanDraft: a plan for entries of a scan, with their paths as the scan has them.

#pragma once

#include <string>
#include <vector>

#include "api/chosen_places.h"
#include "api/clean_answer.h"
#include "api/snapshot.h"
#include "fathom/act/plan.h"
#include "fathom/rt/cancel.h"
#include "fathom/web/acting.h"

namespace fathom::web {

class PlanDraft {
 public:
  // An entry of the scan, and its item in the plan.
  struct Planned {
    ChosenPlace entry;
    const act::PlanItem* item;
  };
  struct Refused {
    std::string path;
    std::string why;  // without a full stop
  };

  struct Options {
    act::Action action;
    const Acting& acting;
    const CleanState* clean = nullptr;  // its candidates keep the reasons of the rules; may be null
    rt::CancelToken cancel = {};
  };

  // Examines the entries on the filesystem. The snapshot must outlive the object. Throws
  // base::Error.
  PlanDraft(const Snapshot& snapshot, std::vector<std::string> paths, const Options& options);

  PlanDraft(const PlanDraft&) = delete;
  PlanDraft& operator=(const PlanDraft&) = delete;

  [[nodiscard]] const act::Plan& plan() const { return draft_.plan; }
  // By path, as are the refused ones and the unknown ones, which are not in the scan.
  [[nodiscard]] const std::vector<Planned>& planned() const { return planned_; }
  [[nodiscard]] const std::vector<Refused>& refused() const { return refused_; }
  [[nodiscard]] const std::vector<std::string>& unknown() const { return chosen_.unknown(); }

 private:
  [[nodiscard]] std::string real_path(const Snapshot& snapshot, Place place) const;

  const ChosenPlaces chosen_;
  std::vector<std::string> roots_;  // on the filesystem, in the order of the scan
  act::Draft draft_;
  std::vector<Planned> planned_;
  std::vector<Refused> refused_;
};

}  // namespace fathom::web
