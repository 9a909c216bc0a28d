// Journal: the file with its lock, its digest, and appending to it.

#include "dups/apply/journal.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <string>
#include <string_view>
#include <utility>

#include "dups/apply/verified_file.h"
#include "dups/plan/temp_name.h"
#include "fathom/base/error.h"
#include "fathom/base/path.h"
#include "fathom/base/planted.h"
#include "fathom/base/retry.h"

namespace fathom::fs {

namespace {

std::string in_journal(const std::string& path) {
  return "the journal " + path;
}

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

base::Error of_another_user(const std::string& path) {
  return base::Error(in_journal(path) + " belongs to another user");
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

JournalText text_of(const std::string& path, int file) {
  try {
    return read_journal(descriptor_source(file));
  } catch (const base::SystemError&) {
    throw;
  } catch (const base::Error& error) {
    throw base::Error(path + ": " + error.what());
  }
}

int open_journal(const std::string& path, int flags) {
  constexpr mode_t kNewFile = 0600;
  constexpr int kAlways = O_CLOEXEC | O_NONBLOCK | O_NOCTTY;
  return base::retry_errno([&] { return ::open(path.c_str(), flags | kAlways, kNewFile); });
}

}  // namespace

// FNV-1a, 64 bits: http://www.isthe.com/chongo/tech/comp/fnv/. It detects that the wrong plan was
// given. A collision is harmless: the digest is not a security boundary.
std::string digest_of(const DupPlan& plan) {
  std::uint64_t hash = 0xcbf29ce484222325;
  write_plan(plan, [&hash](std::string_view block) {
    for (const char byte : block) {
      hash = (hash ^ static_cast<unsigned char>(byte)) * 0x100000001b3;
    }
    return true;
  });
  std::array<char, 17> text{};
  std::snprintf(text.data(), text.size(), "%016llx", static_cast<unsigned long long>(hash));
  return text.data();
}

Journal::Journal(const std::string& path, Access access, const JournalHead& head,
                 const MutatingOps& ops, Path kind)
    : ops_(ops) {
  open(path, access, /*may_make=*/true, kind);
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
  cut_torn_line(path);
  if (length_ == 0) write_head(path);
}

Journal::Journal(const std::string& path, Access access, const MutatingOps& ops) : ops_(ops) {
  open(path, access, /*may_make=*/false, Path::chosen);
  read(path);
  if (length_ == 0) throw base::Error(in_journal(path) + " is empty");
  if (access == Access::write) cut_torn_line(path);
}

Journal::Stage Journal::stage(std::uint64_t act) const {
  const auto found = entries_.find(act);
  return found == entries_.end() ? Stage::fresh : found->second.stage;
}

void Journal::open(const std::string& path, Access access, bool may_make, Path kind) {
  const bool writes = access == Access::write;
  const bool is_derived = kind == Path::derived;
  const auto place = is_derived ? path : base::trusted_link_target(path);
  if (!place) throw of_another_user(path);
  const int flags = (writes ? O_RDWR : O_RDONLY) | (base::is_in_proc(*place) ? 0 : O_NOFOLLOW);
  int result = open_journal(*place, flags);
  if (result == -ENOENT && !writes && may_make) return;
  // A name that somebody creates at this moment is not used, unless the user has chosen it.
  if (result == -ENOENT && may_make) {
    result = open_journal(*place, flags | O_CREAT | (is_derived ? O_EXCL : 0));
  }
  if (result == -ELOOP && is_derived) {
    throw base::Error(in_journal(path) +
                      " is a symbolic link, which is followed only if you name it");
  }
  if (result < 0) throw base::SystemError("cannot open " + in_journal(path), -result);
  file_.reset(result);
  struct stat seen = {};
  if (::fstat(result, &seen) != 0 || !S_ISREG(seen.st_mode)) {
    throw base::Error(in_journal(path) + " is not a regular file");
  }
  if (base::is_planted(*place, seen)) throw of_another_user(path);
  if (writes) lock(path);
}

void Journal::lock(const std::string& path) const {
  const int result = base::retry_errno([&] { return ::flock(file_.get(), LOCK_EX | LOCK_NB); });
  if (result == -EWOULDBLOCK) throw base::Error("another run is using " + in_journal(path));
  if (result < 0) throw base::SystemError("cannot lock " + in_journal(path), -result);
}

void Journal::read(const std::string& path) {
  JournalText text = text_of(path, file_.get());
  if (!head_line(head_).starts_with(text.torn_head)) {
    throw base::Error(path + ": this is not a Fathom journal");  // do not truncate a file of others
  }
  if (text.head) head_ = std::move(*text.head);
  entries_ = std::move(text.entries);
  length_ = text.length;
}

void Journal::cut_torn_line(const std::string& path) const {
  const auto length = static_cast<off_t>(length_);
  if (base::retry_errno([&] { return ::ftruncate(file_.get(), length); }) != 0 ||
      ::lseek(file_.get(), length, SEEK_SET) != length) {
    throw base::SystemError("cannot write " + in_journal(path), errno);
  }
}

void Journal::write_head(const std::string& path) {
  int result = append(head_line(head_));
  if (result == 0) result = ops_.sync(file_.get());
  // The name of a new file is durable only when its directory is synced.
  const std::size_t slash = path.rfind('/');
  base::Fd folder;
  if (result == 0) {
    result = open_root(slash == std::string::npos ? "." : path.substr(0, slash + 1), folder);
  }
  if (result == 0) result = ops_.sync(folder.get());
  if (result < 0) throw base::SystemError("cannot write " + in_journal(path), -result);
}

// If the text cannot be written completely, nothing of it remains.
int Journal::append(std::string_view text) {
  ops_.before_journal();
  const std::uint64_t begin = length_;
  while (!text.empty()) {
    const int written = base::retry_errno(
        [&] { return static_cast<int>(::write(file_.get(), text.data(), text.size())); });
    if (written < 0) {
      const auto whole = static_cast<off_t>(begin);
      const bool cut =
          ::ftruncate(file_.get(), whole) == 0 && ::lseek(file_.get(), whole, SEEK_SET) == whole;
      if (!cut) file_.reset();  // nothing may follow a partial line
      length_ = begin;
      return written;
    }
    length_ += static_cast<std::uint64_t>(written);
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return 0;
}

void Journal::begin(std::uint64_t act, const PlanFile& file) {
  waiting_ += begin_line(act, file.root, file.path, file.identity);
}

void Journal::done(std::uint64_t act) {
  waiting_ += done_line(act);
}

void Journal::undone(std::uint64_t act) {
  waiting_ += undone_line(act);
}

void Journal::refused(std::uint64_t act) {
  waiting_ += refused_line(act);
}

// Syncs even if there is nothing to write: lines of an earlier run, on which this one relies, may
// not be on the disk yet.
int Journal::flush() {
  const int result = write();
  return result < 0 ? result : ops_.sync(file_.get());
}

int Journal::write() {
  return waiting_.empty() ? 0 : append(std::exchange(waiting_, {}));
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
  if (open_root(root_path, root) < 0 || find_location(root.get(), entry.path, location) < 0)
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
  struct stat seen = {};
  if (::stat(journal.c_str(), &seen) != 0 && errno == ENOENT) return {};
  if (S_ISREG(seen.st_mode) && seen.st_size == 0) return {};  // killed before it wrote the head
  const std::function<void(std::string_view)> nobody;
  const MutatingOps ops(nobody);
  return unfinished_acts(Journal(journal, Journal::Access::read, ops));
}

}  // namespace fathom::fs
