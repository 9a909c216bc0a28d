// Survey: marks, their sum, and the bytes.

#include "items/survey.h"

#include <sys/stat.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <string_view>
#include <utility>

#include "fathom/act/never_touch.h"
#include "fathom/base/saturating.h"
#include "fathom/fs/tree.h"
#include "os/listing.h"
#include "run/verdict.h"

namespace fathom::act {

namespace {

bool is_empty_folder(const TreeWalk::Place& place) {
  base::Fd folder;
  std::string names;
  return open_subfolder(place.folder, place.name, folder) == 0 &&
         list_names(folder.get(), names) == 0 && names.empty();
}

bool has_one_name(const FileState& state) {
  return S_ISDIR(state.mode) || state.links == 1;
}

void note_change(const FileState& state, const SurveyOptions& options, Survey& survey) {
  const std::int64_t changed = state.identity.ctime_ns;
  if (changed < options.since_ns) return;
  survey.first_change_ns = std::min(survey.first_change_ns, changed);
}

class Surveyor : public TreeWalk::Visitor {
 public:
  Surveyor(int folder, const SurveyOptions& options) : walk_(folder, *this), options_(options) {}

  Survey run(const FileState& top) {
    count(top);
    walk_.run();
    if (has_root_) result_.never = kContainsRoot;
    std::array<char, 33> text{};
    std::snprintf(text.data(), text.size(), "%016llx%016llx", static_cast<unsigned long long>(sum_),
                  static_cast<unsigned long long>(sum_of_squares_));
    result_.digest = text.data();
    std::sort(result_.marks.begin(), result_.marks.end());
    return std::move(result_);
  }

  bool entry(const TreeWalk::Place& place, const FileState& state) override {
    if (options_.cancel.cancelled()) walk_.stop();
    count(state);
    const Mark mark = mark_of(place, state, options_.ctime);
    // Sums do not depend on the order in which the filesystem lists names.
    sum_ += mark;
    sum_of_squares_ += mark * mark;
    if (options_.for_removal) {
      result_.marks.push_back(mark);
      ask_for_permission(place, state);
    }
    look_for_what_is_never_touched(place, state);
    has_root_ = has_root_ || is_root(state);
    if (!S_ISDIR(state.mode) && options_.on_file) options_.on_file(place, state, walk_);
    return true;
  }

  void after_folder(const TreeWalk::Place&, const FileState&) override {}

  void failed(const char* name, int code) override {
    if (!result_.obstacle.empty()) return;
    const std::string path = walk_.path_of(name);
    const std::string where = path.empty() ? "it" : "'" + path + "' in it";
    if (code == -EXDEV) {
      result_.obstacle = "another filesystem is mounted at " + where;
    } else if (code == -ENOENT || code == -ESTALE) {
      result_.obstacle = where + " is being changed";
    } else {
      result_.obstacle = where + " cannot be read: " + message_of(-code);
    }
  }

 private:
  // Once for the entries of one owner that follow each other in a directory.
  void ask_for_permission(const TreeWalk::Place& place, const FileState& state) {
    const std::pair asked(place.folder_inode, state.uid);
    if (result_.denied != 0 || std::exchange(asked_, asked) == asked) return;
    result_.denied = may_change_folder(place.folder, state.uid);
    if (result_.denied != 0) result_.denied_path = walk_.path_of(place.name);
  }

  void look_for_what_is_never_touched(const TreeWalk::Place& place, const FileState& state) {
    const auto whole = [&] { return options_.path + '/' + walk_.path_of(place.name); };
    const auto has_entries = [&] { return S_ISDIR(state.mode) && !is_empty_folder(place); };
    const auto never = never_inside({place.name, whole, has_entries}, place.folder);
    if (!never) return;
    std::string path = walk_.path_of(place.name);
    // The first path, so that the answer does not depend on the order of names in a directory.
    if (!result_.never.empty() && path >= never_path_) return;
    result_.never = "it contains " + std::string(*never) + ": '" + path + '\'';
    never_path_ = std::move(path);
  }

  // Found by its number, because many paths can lead to it.
  [[nodiscard]] bool is_root(const FileState& state) const {
    return options_.roots != nullptr &&
           options_.roots->count({state.identity.device, state.identity.inode}) != 0;
  }

  void count(const FileState& state) {
    ++result_.entries;
    note_change(state, options_, result_);
    const bool is_new = has_one_name(state) || !is_known(state);
    if (!has_one_name(state)) result_.links.add(state);
    if (is_new) {
      result_.bytes = base::saturating_add(result_.bytes, state.blocks * fs::kBlockBytes);
    }
  }

  [[nodiscard]] bool is_known(const FileState& state) const {
    return result_.links.by_inode.count({state.identity.device, state.identity.inode}) != 0;
  }

  TreeWalk walk_;
  const SurveyOptions& options_;
  Survey result_;
  bool has_root_ = false;
  std::pair<std::uint64_t, uid_t> asked_;
  std::string never_path_;  // of result_.never
  std::uint64_t sum_ = 0;   // with the next, 128 bits
  std::uint64_t sum_of_squares_ = 0;
};

}  // namespace

void SeenLinks::add(const FileState& state) {
  Inode& inode = by_inode[{state.identity.device, state.identity.inode}];
  ++inode.seen;
  inode.links = state.links;
  inode.bytes = state.blocks * fs::kBlockBytes;
}

Mark mark_of(const TreeWalk::Place& place, const FileState& state, CtimeRule ctime) {
  const bool is_folder = S_ISDIR(state.mode);
  const bool has_ctime = ctime == CtimeRule::of_single_names && !is_folder && state.links == 1;
  const std::array<std::uint64_t, 6> facts = {
      place.folder_inode,
      state.identity.inode,
      state.mode,
      is_folder ? 0 : state.identity.size,
      is_folder ? 0 : static_cast<std::uint64_t>(state.identity.mtime_ns),
      has_ctime ? static_cast<std::uint64_t>(state.identity.ctime_ns) : 0};
  const std::uint64_t seed = XXH3_64bits(facts.data(), sizeof facts);
  const std::string_view name = place.name;
  return XXH3_64bits_withSeed(name.data(), name.size(), seed);
}

Survey survey_folder(int folder, const FileState& state, const SurveyOptions& options) {
  return Surveyor(folder, options).run(state);
}

Survey survey_file(const FileState& state, const SurveyOptions& options) {
  Survey survey;
  note_change(state, options, survey);
  survey.entries = 1;
  survey.bytes = state.blocks * fs::kBlockBytes;
  if (!has_one_name(state)) survey.links.add(state);
  return survey;
}

}  // namespace fathom::act
