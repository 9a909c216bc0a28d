// undo_quarantine: moves back the files that, according to its journal, a run has moved.

#include <cerrno>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "dups/journal.h"
#include "dups/verified_file.h"
#include "fathom/act/dup_apply.h"
#include "fathom/base/clock.h"
#include "fathom/base/error.h"
#include "run/quarantine.h"
#include "run/unsynced.h"
#include "run/verdict.h"

namespace fathom::act {

namespace {

class Undo {
 public:
  explicit Undo(const UndoOptions& options)
      : options_(options),
        ops_(options.before_step),
        journal_(options.journal, options.dry_run ? Journal::Access::read : Journal::Access::write,
                 ops_),
        quarantine_(folder(), /*may_make=*/false, ops_) {}

  Applied run() {
    Applied applied;
    // The last one first: if two names of one file were moved, each has its own location.
    for (auto it = journal_.entries().rbegin(); it != journal_.entries().rend(); ++it) {
      if (options_.cancel.expire(base::monotonic_now())) {
        applied.cancelled = true;
        break;
      }
      auto verdict = undo(it->second);
      if (!verdict) continue;  // it was not moved
      batch_.push_back({it->first, &it->second, std::move(*verdict)});
      if (batch_.size() >= options_.acts_at_once) finish_batch(applied);
    }
    finish_batch(applied);
    return applied;
  }

 private:
  [[nodiscard]] const std::string& folder() const {
    if (journal_.head().action != DupAction::quarantine) {
      throw base::Error("the journal " + options_.journal +
                        " is from a run that linked or deleted files, which cannot be undone");
    }
    return journal_.head().quarantine;
  }

  [[nodiscard]] std::string target_of(const Journal::Entry& entry) const {
    return Quarantine::path_of(journal_.head().roots[entry.root], entry.path);
  }

  // Syncs the moves to the disk before the journal says that the files are back.
  void finish_batch(Applied& applied) {
    int result = unsynced_.sync_all();
    if (result == 0) {
      for (const Pending& file : batch_) {
        if (file.verdict.outcome == Outcome::done) journal_.undone(file.act);
      }
      result = journal_.write();
    }
    for (Pending& file : batch_) {
      if (result < 0 && file.verdict.outcome == Outcome::done) {
        file.verdict = failed("it was moved back, but the journal cannot be written", -result);
      }
      count_act(applied, file.verdict);
      if (!options_.on_file) continue;
      options_.on_file({'/' + target_of(*file.entry), file.verdict.outcome, file.verdict.why,
                        file.verdict.code});
    }
    batch_.clear();
  }

  std::optional<Verdict> undo(const Journal::Entry& entry) {
    Location from;
    const int found = quarantine_.find(target_of(entry), from);
    base::Fd root;
    Location to;
    int result = open_real_root(journal_.head().roots[entry.root], root);
    if (result == 0) result = find_location(root.get(), entry.path, to);
    const fs::FileIdentity moved = as_mounted_now(entry.identity, found < 0 ? to : from);
    const Occupant in_quarantine = found < 0 ? Occupant::none : occupant_of(from, moved);
    if (in_quarantine == Occupant::none) return missing(entry, result == 0, to, moved);
    if (!is_as_it_was(from, moved)) {
      return refused("the file in the quarantine is not the one that was moved");
    }
    if (result < 0) return no_way_back(-result);
    if (occupant_of(to, moved) == Occupant::expected) return second_name(from, to);
    if (occupant_of(to, moved) != Occupant::none) {
      return refused("another file has its name", EEXIST);
    }
    if (options_.dry_run) return Verdict{Outcome::would_be_done, {}, 0, 0};
    return move_back(entry, moved, from, to);
  }

  static bool is_as_it_was(const Location& from, const fs::FileIdentity& moved) {
    FileState now;
    return state_at(from, now) == 0 && same_but_for_ctime(now.identity, moved);
  }

  static Verdict no_way_back(int code) {
    if (code == ENOENT || code == ENOTDIR || code == ELOOP) {
      return refused("its original directory no longer exists", code);
    }
    return failed("its original directory cannot be opened", code);
  }

  // For a file that is not in the quarantine.
  static std::optional<Verdict> missing(const Journal::Entry& entry, bool has_location,
                                        const Location& to, const fs::FileIdentity& moved) {
    if (entry.stage != Journal::Stage::done) return std::nullopt;
    if (has_location && occupant_of(to, moved) == Occupant::expected) {
      return Verdict{Outcome::done_before, {}, 0, 0};
    }
    return refused("it is no longer in the quarantine", ENOENT);
  }

  // A move without renameat2 was interrupted: the file has both names.
  std::optional<Verdict> second_name(const Location& from, const Location& to) {
    if (options_.dry_run) return Verdict{Outcome::would_be_done, {}, 0, 0};
    const int result = ops_.unlink(from);
    if (result < 0) return failed("it cannot be removed from the quarantine", -result);
    add_changed(from, to);
    return Verdict{};
  }

  // Without renameat2, a move has two steps.
  static const char* not_moved_back(const Location& from, const Location& to,
                                    const fs::FileIdentity& moved) {
    const bool has_both = occupant_of(from, moved) == Occupant::expected &&
                          occupant_of(to, moved) == Occupant::expected;
    return has_both ? "it has its name again, but cannot be removed from the quarantine"
                    : "it cannot be moved back, and stays in the quarantine";
  }

  Verdict move_back(const Journal::Entry& entry, const fs::FileIdentity& moved,
                    const Location& from, const Location& to) {
    const int result = ops_.move_back(from, to);
    if (result == -EEXIST) return refused("another file has its name", EEXIST);
    if (result < 0) return failed(not_moved_back(from, to, moved), -result);
    add_changed(from, to);
    quarantine_.remove_empty(target_of(entry));
    return {};
  }

  void add_changed(const Location& from, const Location& to) {
    unsynced_.add_folder(to.folder.get());
    unsynced_.add_folder(from.folder.get());
  }

  // A file that was handled and has to be reported.
  struct Pending {
    std::uint64_t act = 0;
    const Journal::Entry* entry = nullptr;
    Verdict verdict;
  };

  const UndoOptions& options_;
  const MutatingOps ops_;
  Journal journal_;
  const Quarantine quarantine_;
  Unsynced unsynced_{ops_};
  std::vector<Pending> batch_;
};

}  // namespace

Applied undo_quarantine(const UndoOptions& options) {
  return Undo(options).run();
}

}  // namespace fathom::act
