// NamedSnapshots: a name that chooses by time may have meant a snapshot that cannot be read.

#include "run/named_snapshots.h"

#include <string_view>
#include <utility>

#include "fathom/base/clock.h"
#include "fathom/base/error.h"
#include "fathom/store/snapshot_name.h"
#include "term/exit_code.h"
#include "term/label.h"
#include "term/message.h"
#include "term/number.h"

namespace fathom::cli {

namespace {

// "20261123T060000Z-91ab3c0d" is the time of a snapshot, and the beginning of its id.
std::string_view time_in(std::string_view name) {
  return name.substr(0, name.find('-'));
}

std::string_view id_in(std::string_view name) {
  return name.substr(name.find('-') + 1);
}

std::string_view without_at(std::string_view word) {
  return word.substr(word.starts_with('@') ? 1 : 0);
}

std::string sentence_about(const store::Store& store, const store::UnreadableSnapshot& one) {
  return "cannot read " + escaped(store.path_of(one.name)) + ": " + one.why;
}

}  // namespace

int tell_unreadable(const store::Store& store, const store::StoreContents& contents) {
  for (const store::UnreadableSnapshot& one : contents.unreadable) {
    print_message(sentence_about(store, one));
  }
  return contents.unreadable.empty() ? kComplete : kIncomplete;
}

std::string unreadable_note(const store::StoreContents& contents) {
  if (contents.unreadable.empty()) return "";
  return "; " + counted(contents.unreadable.size(), "snapshot", "snapshots") +
         " cannot be read, and `fathom log` says why";
}

std::string none_kept_note(const store::StoreContents& contents) {
  return contents.unreadable.empty() ? "; `fathom snapshot` keeps one" : unreadable_note(contents);
}

NamedSnapshots::NamedSnapshots(store::Store store)
    : store_(std::move(store)), contents_(store_.list()) {}

std::string NamedSnapshots::path_of(const store::StoredSnapshot& snapshot) const {
  return store_.path_of(snapshot.name);
}

bool NamedSnapshots::has(const std::string& word) const {
  if (unreadable_called(word) != nullptr) return true;
  try {
    static_cast<void>(store::find_snapshot(contents_.snapshots, word, base::wall_now_ns()));
    return true;
  } catch (const base::Error&) {
    return false;
  }
}

std::string NamedSnapshots::folder_of(const std::string& name, const std::string& path) {
  return folder_among(contents_.snapshots, name, path);
}

std::string NamedSnapshots::folder_among(std::span<const store::StoredSnapshot> some,
                                         const std::string& name, const std::string& path) {
  const store::StoredSnapshot* found = nullptr;
  try {
    found = &store::find_snapshot(some, name, base::wall_now_ns(), path);
  } catch (const base::Error& error) {
    const store::UnreadableSnapshot* const meant = unreadable_called(name);
    throw UsageError(meant == nullptr ? error.what() + unreadable_note(contents_)
                                      : sentence_about(store_, *meant));
  }
  const std::string_view word = without_at(name);
  const bool is_its_own = found->name == word || found->meta.id.starts_with(word);
  if (is_its_own && store::is_tag(word)) return path_of(*found);  // "100d" is an age
  for (const store::UnreadableSnapshot& one : contents_.unreadable) {
    if (time_in(one.name) < time_in(found->name) || !told_.insert(one.name).second) continue;
    print_message(sentence_about(store_, one));
  }
  return path_of(*found);
}

const store::UnreadableSnapshot* NamedSnapshots::unreadable_called(const std::string& word) const {
  const std::string_view name = without_at(word);
  for (const store::UnreadableSnapshot& one : contents_.unreadable) {
    // The name has only the first digits of the id.
    const std::string_view digits = id_in(one.name);
    const bool by_whole_id =
        name.find_first_not_of("0123456789abcdef") == name.npos && store::begins_id(digits, name);
    if (store::begins_id(name, digits) || by_whole_id || one.name == name) return &one;
  }
  return nullptr;
}

}  // namespace fathom::cli
