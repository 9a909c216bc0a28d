// Journal: its digest, what is refused, and its lines.

#include "dups/journal.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include "dups/verified_file.h"
#include "fathom/base/error.h"
#include "fathom/base/path.h"
#include "fathom/base/planted.h"
#include "fathom/base/retry.h"
#include "run/temp_name.h"
#include "text/digest.h"
#include "text/journal_lines.h"

namespace fathom::act {

namespace {

std::string unfinished_text(const Unfinished& unfinished) {
  constexpr std::size_t kMost = 3;
  std::string text = " belongs to another plan, or to another quarantine, of which " +
                     std::to_string(unfinished.acts) +
                     (unfinished.acts == 1 ? " act is" : " acts are") +
                     " unfinished: complete that run first; it left files at ";
  for (std::size_t i = 0; i < std::min(kMost, unfinished.names.size()); ++i) {
    text += (i > 0 ? ", '" : "'") + unfinished.names[i] + '\'';
  }
  if (unfinished.names.size() > kMost) {
    text += " and " + std::to_string(unfinished.names.size() - kMost) + " more names";
  }
  return text;
}

// Why the journal of another run is refused.
std::string foreign_text(const JournalHead& head, const JournalHead& expected,
                         const Unfinished& unfinished) {
  if (unfinished.acts > 0) return unfinished_text(unfinished);
  if (head.plan == expected.plan) {
    return " is from a run with another quarantine, " + head.quarantine;
  }
  const bool moves = head.action == DupAction::quarantine;
  return " is from a run of a different plan, which has ended; " +
         std::string(moves ? "rename it (--undo needs it)" : "delete or rename it") +
         ", or use --journal FILE";
}

JournalText text_of(const std::string& path, const fs::Source& source) {
  try {
    return read_journal(source);
  } catch (const base::SystemError&) {
    throw;
  } catch (const base::Error& error) {
    throw base::Error(path + ": " + error.what());
  }
}

}  // namespace

std::string digest_of(const DupPlan& plan) {
  TextDigest digest;
  write_plan(plan, [&](std::string_view block) {
    digest.add(block);
    return true;
  });
  return digest.text();
}

Journal::Journal(const std::string& path, Access access, const JournalHead& head,
                 const MutatingOps& ops, Path kind)
    : file_(ops) {
  file_.open(path, access, /*may_make=*/true, kind);
  head_ = head;
  if (!file_) return;  // read access, and there is no journal
  read(path);
  if (head_ != head) {
    const Unfinished unfinished = unfinished_acts(*this);
    const bool concerns_plan = unfinished.acts > 0 || head_.plan == head.plan;
    if (access == Access::write || concerns_plan) {
      throw base::Error(in_journal(path) + foreign_text(head_, head, unfinished));
    }
    head_ = head;
    entries_.clear();
  }
  if (access == Access::read) return;
  file_.cut(length_);
  if (length_ == 0) write_head(path);
}

Journal::Journal(const std::string& path, Access access, const MutatingOps& ops) : file_(ops) {
  file_.open(path, access, /*may_make=*/false, Path::chosen);
  read(path);
  if (length_ == 0) throw base::Error(in_journal(path) + " is empty");
  if (access == Access::write) file_.cut(length_);
}

Journal::Stage Journal::stage(std::uint64_t act) const {
  const auto found = entries_.find(act);
  return found == entries_.end() ? Stage::fresh : found->second.stage;
}

void Journal::read(const std::string& path) {
  JournalText text = text_of(path, file_.source());
  if (!head_line(head_).starts_with(text.torn_head)) {
    throw base::Error(path + ": " + kNotAJournal);  // do not truncate a file of others
  }
  if (text.head) head_ = std::move(*text.head);
  entries_ = std::move(text.entries);
  length_ = text.length;
}

void Journal::write_head(const std::string& path) {
  int result = file_.append(head_line(head_));
  if (result == 0) result = file_.sync_with_name();
  if (result < 0) throw base::SystemError("cannot write " + in_journal(path), -result);
}

void Journal::begin(std::uint64_t act, const PlanFile& file) {
  waiting_ += begin_line(act, file.root, file.path, file.identity);
}

void Journal::done(std::uint64_t act) {
  waiting_ += end_line(act, ActEnd::done);
}

void Journal::undone(std::uint64_t act) {
  waiting_ += end_line(act, ActEnd::undone);
}

void Journal::refused(std::uint64_t act) {
  waiting_ += end_line(act, ActEnd::refused);
}

// Syncs even if there is nothing to write: lines of an earlier run, on which this one relies, may
// not be on the disk yet.
int Journal::flush() {
  const int result = write();
  return result < 0 ? result : file_.sync();
}

int Journal::write() {
  return waiting_.empty() ? 0 : file_.append(std::exchange(waiting_, {}));
}

// ---- The temporary names of acts that were begun

namespace {

// The existing temporary names of one act.
std::vector<std::string> names_left(const Journal& journal, std::uint64_t act,
                                    const Journal::Entry& entry) {
  std::vector<std::string> names;
  const std::string& root_path = journal.head().roots[entry.root];
  base::Fd root;
  Location location;
  if (open_real_root(root_path, root) < 0 || find_location(root.get(), entry.path, location) < 0)
    return names;
  const std::string whole = (root_path.size() > 1 ? root_path + '/' : root_path) + entry.path;
  const std::string folder = whole.substr(0, whole.rfind('/') + 1);
  const std::string temp_prefix = temp_prefix_of(journal.head().plan, act);
  for (const std::string& name : {new_name(temp_prefix), old_name(temp_prefix)}) {
    Location left;
    if (beside(location, name, left) < 0 || occupant_of(left, {}) == Occupant::none) continue;
    names.push_back(folder + name);
  }
  return names;
}

}  // namespace

// An act that failed has also begun and is not done: only its remaining names make the difference.
Unfinished unfinished_acts(const Journal& journal) {
  Unfinished unfinished;
  for (const auto& [act, entry] : journal.entries()) {
    if (entry.stage != Journal::Stage::begun) continue;
    const std::vector<std::string> names = names_left(journal, act, entry);
    if (names.empty()) continue;
    ++unfinished.acts;
    unfinished.names.insert(unfinished.names.end(), names.begin(), names.end());
  }
  return unfinished;
}

Unfinished unfinished_acts(const std::string& journal) {
  if (is_missing_or_empty(journal)) return {};  // if empty, it was killed before it wrote the head
  const std::function<void(std::string_view)> nobody;
  const MutatingOps ops(nobody);
  return unfinished_acts(Journal(journal, Journal::Access::read, ops));
}

}  // namespace fathom::act
