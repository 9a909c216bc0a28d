// undo_run: moves back the items that, according to its journal, a run has moved.

#include <cerrno>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "fathom/act/apply.h"
#include "fathom/base/clock.h"
#include "fathom/base/error.h"
#include "items/item_journal.h"
#include "os/file_state.h"
#include "os/paths.h"
#include "os/places.h"
#include "os/trash_info.h"
#include "run/directory_sizes.h"
#include "run/make_location.h"
#include "run/temp_name.h"
#include "run/unsynced.h"
#include "run/verdict.h"

namespace fathom::act {

namespace {

// What a killed run has left of an item that it was deleting. False: nothing.
bool find_rest(const ItemJournalHead& head, std::uint64_t number, const ItemEntry& entry,
               Location& staged) {
  base::Fd root;
  Location name;
  return entry.action == Action::remove && open_real_root(head.roots[entry.root], root) == 0 &&
         find_location(root.get(), entry.path, name) == 0 &&
         beside(name, old_name(temp_prefix_of(head.plan, number)), staged) == 0 &&
         is_at(staged, entry.device, entry.inode);
}

class RunUndo {
 public:
  explicit RunUndo(const RunUndoOptions& options)
      : options_(options),
        ops_(options.before_step),
        journal_(options.journal, options.dry_run ? JournalAccess::read : JournalAccess::write,
                 ops_),
        unsynced_(ops_) {}

  RunUndone run() {
    const auto& entries = journal_.entries();
    for (auto it = entries.rbegin(); it != entries.rend(); ++it) {
      if (options_.cancel.expire(base::monotonic_now())) {
        undone_.cancelled = true;
        break;
      }
      const auto& [number, entry] = *it;
      if (entry.action == Action::remove && entry.stage == ItemStage::done) {
        ++undone_.removed_for_good;
        continue;
      }
      auto verdict = entry.action == Action::remove ? undo_removal(number, entry) : undo(entry);
      if (verdict) finish(number, entry, std::move(*verdict));
    }
    return undone_;
  }

 private:
  [[nodiscard]] std::string path_of(const ItemEntry& entry) const {
    return joined(journal_.head().roots[entry.root], entry.path);
  }

  // A run that was killed may have left a part of a directory under its temporary name. Nothing: it
  // has not.
  std::optional<Verdict> undo_removal(std::uint64_t number, const ItemEntry& entry) {
    Location staged;
    if (!find_rest(journal_.head(), number, entry, staged)) return std::nullopt;
    Verdict verdict = move_back(entry, staged);
    verdict.why += verdict.why.empty() ? "what was not deleted yet" : "";
    return verdict;
  }

  // Nothing: it was not moved.
  std::optional<Verdict> undo(const ItemEntry& entry) {
    base::Fd place;
    Location from;
    FileState state;
    int code = open_root(entry.place, place);
    if (code == 0) code = find_location(place.get(), entry.to, from);
    if (code == 0) code = state_at(from, state);
    if (code == -ENOENT) return missing(entry);
    if (code < 0) return failed(entry.place + '/' + entry.to + " cannot be opened", -code);
    if (!is_at(from, entry.device, entry.inode)) {
      return entry.stage == ItemStage::begun
                 ? std::nullopt
                 : std::optional(refused("something else is at " + entry.place + '/' + entry.to));
    }
    return move_back(entry, from);
  }

  // An item that was only begun may still have its name; one that was moved may have it again,
  // because an undo that was killed has moved it back.
  std::optional<Verdict> missing(const ItemEntry& entry) const {
    if (entry.stage == ItemStage::begun) return std::nullopt;
    base::Fd root;
    Location to;
    if (open_real_root(journal_.head().roots[entry.root], root) == 0 &&
        find_location(root.get(), entry.path, to) == 0 && is_at(to, entry.device, entry.inode)) {
      return Verdict{Outcome::done_before, {}};
    }
    return refused("it is no longer at " + entry.place + '/' + entry.to, ENOENT);
  }

  Verdict move_back(const ItemEntry& entry, const Location& from) {
    // From the top: the root may be gone, or be a link now.
    base::Fd top;
    Location to;
    const std::string path = path_of(entry).substr(1);
    int code = open_root("/", top);
    if (code == 0) code = find_location(top.get(), path, to);
    const bool lacks_folder = code == -ENOENT;
    if (code < 0 && !lacks_folder) return failed("its directory cannot be opened", -code);
    FileState state;
    if (!lacks_folder && state_at(to, state) == 0) {
      return refused("something else has its name now", EEXIST);
    }
    if (options_.dry_run) return {Outcome::would_be_done, {}};
    if (lacks_folder) code = make_location(top.get(), path, ops_, unsynced_, to);
    if (code < 0) return failed("its directory cannot be made again", -code);
    code = ops_.move_back(from, to);
    if (code == -EEXIST) return refused("something else has its name now", EEXIST);
    if (code < 0) return failed("it cannot be moved back", -code);
    unsynced_.add_folder(to.folder.get());
    unsynced_.add_folder(from.folder.get());
    return {};
  }

  void finish(std::uint64_t number, const ItemEntry& entry, Verdict verdict) {
    const bool is_back =
        verdict.outcome == Outcome::done || verdict.outcome == Outcome::done_before;
    if (is_back && !options_.dry_run) {
      int code = unsynced_.sync_all();
      tidy(number, entry);  // before the line in the journal, after which nothing is left to do
      if (code == 0) {
        journal_.undone(number);
        code = journal_.flush();
      }
      if (code < 0) verdict = failed("it was moved back, but the journal cannot be written", -code);
    }
    count_act(undone_, verdict);
    if (options_.on_item) {
      options_.on_item({path_of(entry), verdict.outcome, verdict.why, verdict.code});
    }
  }

  // Removes what the act has made for the item: its description and its size in the trash, or the
  // directories above it in the quarantine, if they are empty.
  void tidy(std::uint64_t number, const ItemEntry& entry) const {
    base::Fd above;
    if (entry.action == Action::remove || open_root(parent_of(entry.place), above) < 0) return;
    if (entry.action == Action::trash) {
      Location info;
      if (find_location(above.get(), "info/" + trash_info_name(entry.to), info) == 0) {
        static_cast<void>(ops_.unlink(info));
      }
      forget_directory_size(parent_of(entry.place), entry.to,
                            new_name(temp_prefix_of(journal_.head().plan, number)), ops_);
      return;
    }
    std::string path = last_name(entry.place) + '/' + entry.to;
    for (std::size_t end = path.rfind('/'); end != std::string::npos; end = path.rfind('/')) {
      path.resize(end);
      // A directory that the user has named stays.
      if (path.find('/') == std::string::npos && path != journal_.head().run) return;
      Location folder;
      if (find_location(above.get(), path, folder) < 0 || ops_.remove_folder(folder) < 0) return;
    }
    remove_empty_quarantine(parent_of(entry.place), ops_);
  }

  const RunUndoOptions& options_;
  const MutatingOps ops_;
  ItemJournal journal_;
  Unsynced unsynced_;
  RunUndone undone_;
};

}  // namespace

std::uint64_t unfinished_deletions(const std::string& journal) {
  const std::function<void(std::string_view)> nobody;
  const MutatingOps ops(nobody);
  std::uint64_t unfinished = 0;
  try {
    const ItemJournal read(journal, JournalAccess::read, ops);
    for (const auto& [number, entry] : read.entries()) {
      Location staged;
      if (find_rest(read.head(), number, entry, staged)) ++unfinished;
    }
  } catch (const base::Error&) {
    return 0;
  }
  return unfinished;
}

RunUndone undo_run(const RunUndoOptions& options) {
  return RunUndo(options).run();
}

}  // namespace fathom::act
