// ItemRun: checks, moves aside, looks again, and only then removes.

#include "items/item_run.h"

#include <cerrno>
#include <climits>
#include <cstddef>
#include <utility>

#include "fathom/base/path.h"
#include "fathom/base/saturating.h"
#include "items/open_files.h"
#include "items/removal.h"
#include "os/paths.h"
#include "os/places.h"
#include "os/trash_info.h"
#include "os/unshared.h"
#include "run/directory_sizes.h"
#include "run/make_location.h"
#include "run/put_back.h"
#include "run/temp_name.h"

namespace fathom::act {

namespace {

// Which entries of a directory stay, and why.
std::string text_of_left(const Removed& removed) {
  std::string text = std::to_string(removed.left) +
                     (removed.left == 1 ? " entry in it stays" : " entries in it stay");
  if (removed.code != 0) {
    text += ", because the system refused: " + message_of(-removed.code);
  } else {
    text += ", because of changes since the plan was made";
  }
  text += ": ";
  for (std::size_t i = 0; i < removed.some.size(); ++i) {
    text += (i > 0 ? ", '" : "'") + removed.some[i] + '\'';
  }
  return removed.left > removed.some.size() ? text + " and others" : text;
}

// The directory info/ of a trash whose directory files/ is the place of an item.
std::string info_folder_of(const std::string& place) {
  return parent_of(place) + "/info";
}

}  // namespace

// ---- Checks

SurveyOptions ItemRun::survey_options() const {
  SurveyOptions options;
  options.path = path();
  options.ctime = item_.shares_inodes ? CtimeRule::ignored : CtimeRule::of_single_names;
  options.for_removal = item_.action == Action::remove;
  options.cancel = context_.options.cancel;
  return options;
}

std::optional<Verdict> ItemRun::check() {
  if (root().code != 0) return failed("its root cannot be opened", root().code);
  if (const ItemEntry* begun = context_.journal.entry(number_)) {
    if (begun->stage == ItemStage::done) return Verdict{Outcome::done_before, {}};
    if (auto verdict = recover(*begun)) return verdict;
  }
  if (auto verdict = examine_again()) return verdict;
  if (const auto why = context_.never.why(path())) return refused("it " + *why);
  if (const int code = may_change_folder(found_.location, found_.state.uid); code < 0) {
    return failed("its directory does not let you remove it", -code);
  }
  if (found_.survey.denied != 0) {
    return failed('\'' + found_.survey.denied_path + "' in it cannot be removed",
                  -found_.survey.denied);
  }
  if (item_.action == Action::remove) return std::nullopt;
  // The system changes the entry .. of a directory that it moves.
  if (const int code = found_.folder ? may_write_to(found_.folder.get()) : 0; code < 0) {
    return failed("it cannot be moved, because you may not write to it", -code);
  }
  return choose_place();
}

std::optional<Verdict> ItemRun::examine_again() {
  SurveyOptions options = survey_options();
  const bool foresees = context_.options.dry_run && item_.action == Action::remove;
  if (foresees) {
    options.on_file = [this](const auto& place, const FileState& state, const TreeWalk& walk) {
      note_open(state, [&] { return path() + '/' + walk.path_of(place.name); });
    };
  }
  if (auto verdict = examine(root().folder.get(), item_.path, options, found_)) return verdict;
  if (foresees && !found_.folder) note_open(found_.state, [&] { return path(); });
  if (auto verdict = compare(item_, found_)) return verdict;
  return check_evidence();
}

std::optional<Verdict> ItemRun::check_evidence() const {
  if (item_.reason.evidence.empty()) return std::nullopt;
  std::string why;
  const auto digest =
      digest_of_evidence(root().folder.get(), item_.path, item_.reason.evidence, why);
  if (!digest) return refused(why);
  if (*digest != item_.evidence_digest) return refused("its evidence has changed");
  return std::nullopt;
}

// ---- Places

std::optional<Verdict> ItemRun::choose_place() {
  const std::string& root_path = context_.plan.roots[item_.root];
  const std::string whole = path();
  if (item_.action == Action::trash) {
    const auto trash = trash_for(parent_of(whole));
    if (!trash) return refused("its filesystem has no trash that you can use");
    place_ = trash->path + "/files";
    trash_top_ = trash->top;
    if (auto verdict = check_place(place_)) return verdict;
    choose_name_in_trash();
    return std::nullopt;
  }
  place_ = context_.options.quarantine;
  if (place_.empty()) place_ = context_.plan.quarantine;
  if (place_.empty()) {
    const auto quarantine = default_quarantine(parent_of(whole), root_path);
    if (!quarantine) {
      return refused(
          "no directory on its filesystem can hold your quarantine: name one with --quarantine "
          "DIR");
    }
    place_ = *quarantine + '/' + context_.journal.head().run;
  }
  to_ = whole.substr(1);
  return check_place(place_);
}

std::optional<Verdict> ItemRun::check_place(const std::string& place) const {
  const std::string whole = path();
  if (base::is_at_or_below(place, whole)) {
    return refused("the directory to which it would be moved is in it: " + place);
  }
  std::string existing = place;
  base::Fd folder;
  while (open_root(existing, folder) == -ENOENT && existing.size() > 1) {
    existing = parent_of(existing);
  }
  const auto there = folder ? mount_id_at(folder.get(), "") : std::nullopt;
  if (!there) return failed(place + " cannot be used", EACCES);
  if (found_.state.identity.device != there->device) {
    return refused(place + " is on another filesystem", EXDEV);
  }
  if (mount_id_at(found_.location.folder.get(), "") == there) return std::nullopt;
  return refused(place + " is on another mount of its filesystem", EXDEV);
}

// A name that neither files/ nor info/ has, and that no other item of this run will have.
void ItemRun::choose_name_in_trash() {
  // Its description has a longer name, which must not be too long either.
  constexpr std::size_t kLongestName = NAME_MAX - sizeof ".trashinfo" - sizeof ".1000000";
  const std::string name = last_name(item_.path).substr(0, kLongestName);
  base::Fd files;
  base::Fd info;
  static_cast<void>(open_root(place_, files));
  static_cast<void>(open_root(info_folder_of(place_), info));
  Location at{std::move(files), {}};
  Location described{std::move(info), {}};
  FileState state;
  const auto is_taken = [&](const std::string& wanted) {
    at.name = wanted;
    described.name = trash_info_name(wanted);
    return (at.folder && state_at(at, state) == 0) ||
           (described.folder && state_at(described, state) == 0) ||
           !context_.names_in_trash.insert(place_ + '/' + wanted).second;
  };
  to_ = name;
  for (unsigned next = 2; is_taken(to_); ++next) to_ = name + '.' + std::to_string(next);
}

// ---- Acts

void ItemRun::begin() {
  ItemEntry entry;
  entry.action = item_.action;
  entry.root = item_.root;
  entry.path = item_.path;
  entry.device = item_.identity.device;
  entry.inode = item_.identity.inode;
  entry.place = place_;
  entry.to = to_;
  context_.journal.begin(number_, entry);
}

Verdict ItemRun::act() {
  Verdict verdict = item_.action == Action::remove ? remove() : move();
  if (verdict.outcome == Outcome::done) {
    context_.unsynced.add_folder(found_.location.folder.get());
  } else if (verdict.outcome == Outcome::refused) {
    context_.journal.refused(number_);
  }
  return verdict;
}

std::string ItemRun::staged_name() const {
  return old_name(temp_prefix_of(context_.journal.head().plan, number_));
}

Verdict ItemRun::remove() {
  Location staged;
  if (const int code = beside(found_.location, staged_name(), staged); code < 0) {
    return failed("its directory cannot be opened", -code);
  }
  if (const int code = context_.ops.move_aside(found_.location, staged); code < 0) {
    return failed("it cannot be moved aside", -code);
  }
  if (auto verdict = look_again(staged)) {
    return put_back(context_.ops, staged, found_.location, std::move(*verdict));
  }
  if (!found_.folder) return remove_file(staged);
  return remove_folder(staged, AsSurveyed(found_.survey, survey_options().ctime));
}

Verdict ItemRun::remove_file(const Location& staged) {
  FileState state;
  const bool is_last = state_at(staged, state) == 0 && state.links == 1;
  const std::uint64_t bytes =
      may_share_extents(staged.folder.get())
          ? unshared_bytes_at(staged.folder.get(), staged.name.c_str(), state)
          : state.blocks * fs::kBlockBytes;
  if (const int code = context_.ops.unlink(staged); code < 0) {
    return put_back(context_.ops, staged, found_.location, failed("it cannot be removed", -code));
  }
  Verdict verdict;
  if (!is_last) return verdict;
  if (auto file = open_file(context_.processes, state, bytes, [&] { return path(); })) {
    verdict.open.push_back(std::move(*file));
  } else {
    verdict.freed = bytes;
  }
  return verdict;
}

Verdict ItemRun::remove_folder(const Location& staged, const Removable& removable) {
  Removed removed =
      remove_contents(found_.folder.get(), removable, context_.ops, context_.processes, executor());
  for (OpenFile& file : removed.open) file.path = path() + '/' + file.path;
  int code = 0;
  if (removed.complete()) code = context_.ops.remove_folder(staged);
  Verdict verdict;
  if (removed.left > 0) {
    verdict = refused(text_of_left(removed), -removed.code);
  } else if (code == -ENOTEMPTY) {
    verdict = refused("something was added to it in the meantime", ENOTEMPTY);
  } else if (code < 0 || removed.code < 0) {
    verdict = failed("it cannot be removed", -(code < 0 ? code : removed.code));
  } else {
    verdict.freed = base::saturating_add(removed.freed, found_.state.blocks * fs::kBlockBytes);
    verdict.open = std::move(removed.open);
    return verdict;
  }
  // Refused means that nothing was changed.
  if (removed.entries > 0 || removed.code != 0) verdict.outcome = Outcome::failed;
  verdict.freed = removed.freed;
  verdict.open = std::move(removed.open);
  return put_back(context_.ops, staged, found_.location, std::move(verdict));
}

// A directory of the run's own in the user's quarantine.
bool ItemRun::is_default_place() const {
  return item_.action == Action::quarantine && context_.options.quarantine.empty() &&
         context_.plan.quarantine.empty();
}

int ItemRun::open_place(base::Fd& place) const {
  if (item_.action == Action::trash || is_default_place()) return open_own(place_, place);
  return open_or_make_folder(place_, context_.ops, context_.unsynced, place);
}

// A directory in the quarantine or the trash of this user alone. Another user could have taken the
// name of that since it was chosen.
int ItemRun::open_own(const std::string& path, base::Fd& folder) const {
  return again_if_removed([&] {
    base::Fd own;
    int code = open_or_make_folder(parent_of(path), context_.ops, context_.unsynced, own);
    if (code == 0 && !is_own_alone(own.get())) code = -EPERM;
    if (code < 0) return code;
    Location below;
    code = make_location(own.get(), last_name(path) + "/.", context_.ops, context_.unsynced, below);
    folder = std::move(below.folder);
    return code;
  });
}

Verdict ItemRun::move() {
  base::Fd place;
  Location to;
  int code = open_place(place);
  if (code == 0) code = make_location(place.get(), to_, context_.ops, context_.unsynced, to);
  if (code == -ENOSPC || code == -EDQUOT) {
    return failed("there is no room for the directories above " + moved_to() +
                      ", which deleting (class safe of `fathom clean`) does not need",
                  -code);
  }
  if (code < 0) return failed(place_ + " cannot be used", -code);
  if (item_.action == Action::trash) {
    if (auto verdict = describe_in_trash()) return std::move(*verdict);
  }
  Verdict moved = move_to(to);
  if (item_.action == Action::trash) {
    if (moved.outcome == Outcome::done) {
      note_directory_size();
    } else if (!is_planned_at(to)) {
      forget_in_trash(place_, to_);
    }
  }
  return moved;
}

Verdict ItemRun::move_to(const Location& to) {
  const int code = context_.ops.move_aside(found_.location, to);
  if (code == -EEXIST) return refused("its place is taken: " + moved_to());
  if (code < 0) return failed("it cannot be moved to " + place_, -code);
  if (auto verdict = look_again(to)) {
    return put_back(context_.ops, to, found_.location, std::move(*verdict),
                    "it is at " + moved_to());
  }
  context_.unsynced.add_folder(to.folder.get());
  Verdict verdict;
  verdict.held = bytes();
  return verdict;
}

// The description comes first, so that no entry of the trash is without one.
std::optional<Verdict> ItemRun::describe_in_trash() {
  base::Fd folder;
  int code = open_own(info_folder_of(place_), folder);
  const std::string whole = path();
  const std::string shown =
      trash_top_.empty() ? whole : whole.substr(joined(trash_top_, "").size());
  if (code == 0) {
    const Location info{std::move(folder), trash_info_name(to_)};
    code = context_.ops.make_file(info, trash_info_text(shown));
  }
  if (code == -EEXIST) return refused("its place in the trash is taken: " + moved_to());
  if (code < 0) return failed("the trash cannot be used", -code);
  return std::nullopt;
}

void ItemRun::forget_in_trash(const std::string& place, const std::string& name) const {
  base::Fd info;
  if (open_root(info_folder_of(place), info) < 0) return;
  static_cast<void>(context_.ops.unlink({std::move(info), trash_info_name(name)}));
}

void ItemRun::note_directory_size() const {
  if (item_.kind != fs::Kind::directory) return;
  const std::string temporary = new_name(temp_prefix_of(context_.journal.head().plan, number_));
  add_directory_size(parent_of(place_), to_, item_.bytes, temporary, context_.ops);
}

// Null if the item has so few entries that threads do not pay.
rt::Executor* ItemRun::executor() const {
  constexpr std::uint64_t kMany = 2000;
  return item_.entries < kMany ? nullptr : &context_.executor;
}

// The item after it was moved to a name that no other program knows: the same as before? What is in
// a directory that will be removed is compared entry by entry then.
std::optional<Verdict> ItemRun::look_again(const Location& moved) const {
  FileState state;
  if (state_at(moved, state) < 0 || !same_file(state.identity, found_.state.identity)) {
    return refused("something else was put in its place");
  }
  if (!found_.folder) {
    if (same_but_for_ctime(state.identity, found_.state.identity)) return std::nullopt;
    return refused("it has changed in the meantime");
  }
  if (item_.action == Action::remove) return std::nullopt;
  SurveyOptions options = survey_options();
  options.cancel = {};  // what has begun is finished
  const Survey again = survey_folder(found_.folder.get(), state, options);
  if (again.digest == found_.survey.digest && again.obstacle.empty()) return std::nullopt;
  return refused("it has changed in the meantime");
}

// An inode counts with the item that has the last of its names.
std::uint64_t ItemRun::bytes() {
  std::uint64_t bytes = found_.survey.bytes;
  for (const auto& [key, inode] : found_.survey.links.by_inode) {
    std::uint64_t& seen = context_.seen_names[key];
    seen += inode.seen;
    if (seen < inode.links) {
      bytes -= inode.bytes;
      open_.erase(key);
    }
  }
  return bytes;
}

void ItemRun::note_open(const FileState& state, const std::function<std::string()>& path_of) {
  auto file = open_file(context_.processes, state, state.blocks * fs::kBlockBytes, path_of);
  if (file) open_.try_emplace({state.identity.device, state.identity.inode}, std::move(*file));
}

Verdict ItemRun::foresee() {
  Verdict verdict{Outcome::would_be_done, {}};
  const std::uint64_t all = bytes();
  if (item_.action != Action::remove) {
    verdict.held = all;
    return verdict;
  }
  for (auto& [key, file] : open_) verdict.open.push_back(std::move(file));
  verdict.freed = all - bytes_of(verdict.open);
  return verdict;
}

std::string ItemRun::moved_to() const {
  return place_.empty() ? std::string() : place_ + '/' + to_;
}

bool ItemRun::is_planned_at(const Location& location) const {
  return is_at(location, item_.identity.device, item_.identity.inode);
}

// ---- Acts that an earlier run has begun

std::optional<Verdict> ItemRun::recover(const ItemEntry& begun) {
  if (const int code = find_location(root().folder.get(), item_.path, found_.location); code < 0) {
    return failed("its directory cannot be opened", -code);
  }
  return begun.action == Action::remove ? recover_removal() : recover_move(begun);
}

std::optional<Verdict> ItemRun::recover_removal() {
  Location staged;
  if (const int code = beside(found_.location, staged_name(), staged); code < 0) {
    return failed("its directory cannot be opened", -code);
  }
  FileState left;
  const int looked = state_at(staged, left);
  if (looked == -ENOENT) {
    // It was not moved aside yet; or it is gone, because the earlier run has removed it.
    if (is_planned_at(found_.location)) return std::nullopt;
    return Verdict{Outcome::done_before, {}};
  }
  if (looked < 0) return failed("what an earlier run has left of it cannot be examined", -looked);
  if (!is_planned_at(staged)) {
    return refused("something else is at " + beside_it(staged));
  }
  if (context_.options.dry_run) {
    return Verdict{Outcome::would_be_done, "an earlier run has begun to delete it"};
  }
  context_.unsynced.add_folder(staged.folder.get());
  if (item_.kind != fs::Kind::directory) {
    found_.state = left;
    fs::FileIdentity planned = item_.identity;
    planned.device = left.identity.device;
    if (!same_but_for_ctime(left.identity, planned)) {
      return put_back(context_.ops, staged, found_.location,
                      refused("it has changed since the plan was made"));
    }
    return remove_file(staged);
  }
  int code = open_subfolder(staged.folder.get(), staged.name.c_str(), found_.folder);
  if (code == 0) code = state_of(found_.folder.get(), found_.state);
  if (code < 0) return failed("what an earlier run has left of it cannot be opened", -code);
  return remove_folder(staged, NotChangedSince(context_.plan.created_ns));
}

std::optional<Verdict> ItemRun::recover_move(const ItemEntry& begun) {
  base::Fd place;
  Location to;
  int code = open_root(begun.place, place);
  if (code == 0) code = find_location(place.get(), begun.to, to);
  if (code == 0 && is_planned_at(to)) {
    place_ = begun.place;
    to_ = begun.to;
    if (begun.action == Action::trash && !context_.options.dry_run) note_directory_size();
    return Verdict{Outcome::done_before, {}};
  }
  if (!is_planned_at(found_.location)) {
    return refused("it is gone", ENOENT);
  }
  if (begun.action == Action::trash && !context_.options.dry_run) {
    forget_in_trash(begun.place, begun.to);
  }
  return std::nullopt;
}

}  // namespace fathom::act
