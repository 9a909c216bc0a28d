// Unsynced: fsync for a few files, syncfs for many.

#include "run/unsynced.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "os/file_state.h"
#include "os/safe_open.h"

namespace fathom::act {

namespace {

constexpr std::size_t kFew = 8;

}  // namespace

void Unsynced::note(int result) {
  if (error_ == 0 && result < 0) error_ = result;
}

void Unsynced::add(int file, bool has_content) {
  FileState state;
  if (const int result = state_of(file, state); result < 0) return note(result);
  base::Fd copy;
  if (const int result = duplicate(file, copy); result < 0) return note(result);
  Item item{std::move(copy), state.identity.device, state.identity.inode, has_content};
  if (is_covered(item)) return;
  few_.push_back(std::move(item));
  if (few_.size() > kFew) make_room();
}

// Whether the item needs no further sync.
bool Unsynced::is_covered(const Item& item) {
  const auto is_known = [&](const Item& it) {
    return it.device == item.device && it.inode == item.inode;
  };
  if (std::any_of(few_.begin(), few_.end(), is_known)) return true;
  const auto is_there = [&](const Item& it) { return it.device == item.device; };
  if (std::none_of(whole_.begin(), whole_.end(), is_there)) return false;
  write_out(item);
  return true;
}

void Unsynced::make_room() {
  for (Item& item : std::exchange(few_, {})) {
    if (is_covered(item)) continue;
    if (!MutatingOps::syncs_whole(item.file.get())) {
      note(ops_.sync(item.file.get()));
      continue;
    }
    write_out(item);
    whole_.push_back(std::move(item));
  }
}

// Before Linux 5.8, syncfs does not report write errors of a single file.
void Unsynced::write_out(const Item& item) {
  if (item.has_content) note(ops_.write_out(item.file.get()));
}

int Unsynced::sync_all() {
  for (const Item& item : whole_) {
    if (error_ == 0) note(ops_.sync_whole(item.file.get()));
  }
  for (const Item& item : few_) {
    if (error_ == 0) note(ops_.sync(item.file.get()));
  }
  const int result = error_;
  clear();
  return result;
}

void Unsynced::clear() {
  few_.clear();
  whole_.clear();
  error_ = 0;
}

}  // namespace fathom::act
