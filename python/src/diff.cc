// Diff: comparing, and the tables of the result.

#include "diff.h"

#include "fathom/rt/executor.h"
#include "watch.h"

namespace fathom::python {

namespace {

store::Diff compared(const store::Snapshot& from, const store::Snapshot& to,
                     const store::DiffOptions& options) {
  rt::Executor executor({.name = "fathom-compare"});
  return store::compare(from, to, options, executor);
}

}  // namespace

Diff::Diff(std::shared_ptr<const Scan> from, std::shared_ptr<const Scan> to,
           const store::DiffOptions& options)
    : from_(from->side()),
      to_(to->side()),
      diff_(compared(*from_, *to_, options)),
      report_{.diff = diff_,
              .from = from_->meta(),
              .to = to_->meta(),
              .measure = options.measure,
              .path = options.path} {}

nb::dict Diff::balance() const {
  const store::Balance& balance = diff_.balance;
  nb::dict parts;
  parts["created"] = balance.created;
  parts["grown"] = balance.grown;
  parts["removed"] = balance.removed;
  parts["shrunk"] = balance.shrunk;
  parts["moved_in"] = balance.moved_in;
  parts["moved_out"] = balance.moved_out;
  parts["reattributed"] = balance.reattributed;
  parts["total"] = balance.total();
  return parts;
}

nb::list Diff::notes() const {
  nb::list list;
  for (const std::string& note : diff_.notes) list.append(decoded(note));
  return list;
}

Rows Diff::by(store::DiffBy by) const {
  return Rows(shared_from_this(), without_lock([&] { return store::diff_table(report_, by); }));
}

Rows Diff::items(store::DiffItems items) const {
  return Rows(shared_from_this(), store::diff_items_table(report_, items));
}

}  // namespace fathom::python
