// NeverTouch: the checks as one table, from those of the path alone to those that read the entry.

#include "fathom/act/never_touch.h"

#include <algorithm>
#include <cerrno>
#include <climits>
#include <span>
#include <system_error>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "fathom/base/path.h"
#include "os/entry_facts.h"
#include "os/safe_open.h"
#include "os/small_file.h"

namespace fathom::act {

// The directory of an entry, and what the directories above it are.
struct NeverTouch::Above {
  std::string path;        // of the directory
  int error = 0;           // -errno of opening it; -ELOOP: the next
  std::string link;        // the first directory of the path that is a symbolic link
  std::string repository;  // a bare git repository in which the entry lies
  std::string database;    // the directory of a database in which it lies
  Location entry;          // the directory, opened; and the entry's name

  // With `known`, what directories are is remembered there, except of the path.
  void read(const std::string& folder, Known* known);
};

namespace {

using Answer = std::optional<std::string>;

// ---- Names and places

// Whether a path consists of these names, or contains them as neighbours.
bool has_names(std::string_view path, std::string_view names) {
  const std::string fenced = '/' + std::string(names) + '/';
  return (std::string(path) + '/').find(fenced) != std::string::npos;
}

bool ends_with_names(std::string_view path, std::string_view names) {
  return path.ends_with('/' + std::string(names));
}

struct GuardedNames {
  std::string_view names;  // neighbours in a path
  std::string_view is;
  bool also_inside = true;  // false: elsewhere, this name may mean something else
};

constexpr GuardedNames kGuardedNames[] = {
    {".git", "a git directory"},
    {".hg", "a Mercurial directory"},
    {".svn", "a Subversion directory"},
    {".jj", "a Jujutsu directory"},
    {".ssh", "a directory of keys"},
    {".gnupg", "a directory of keys"},
    {".pki", "a directory of keys"},
    {".password-store", "a store of passwords"},
    {".local/share/keyrings", "a store of passwords"},
    {"keyrings", "a store of passwords", false},
    {"kwalletd", "a store of passwords"},
    {"Maildir", "a mailbox"},
    {".maildir", "a mailbox"},
    {".thunderbird", "a mailbox"},
    {".local/share/evolution", "a mailbox"},
    {"var/mail", "a mailbox"},
    {"var/spool/mail", "a mailbox"},
    {".local/share/containers", "a store of containers"},
    {".local/share/docker", "a store of containers"},
    {".local/share/libvirt", "a store of virtual machines"},
    {"VirtualBox VMs", "a store of virtual machines"},
    {"lost+found", "what fsck has rescued", false},
};

constexpr GuardedNames kBrowserProfiles[] = {
    // The tree of a system has one without profiles, in /etc/skel.
    {".mozilla", "a directory of browser profiles", false},
    {".mozilla/firefox", "a directory of browser profiles"},
    {".librewolf", "a directory of browser profiles"},
    {".config/google-chrome", "a directory of browser profiles"},
    {".config/chromium", "a directory of browser profiles"},
    {".config/BraveSoftware", "a directory of browser profiles"},
    {".config/microsoft-edge", "a directory of browser profiles"},
    {".config/vivaldi", "a directory of browser profiles"},
    {".config/opera", "a directory of browser profiles"},
};

// The only directories of a profile that a rule may choose.
constexpr std::string_view kBrowserCaches[] = {"Cache", "Code Cache", "GPUCache", "cache2"};

constexpr std::string_view kSystem[] = {"/boot", "/etc",   "/usr",   "/var/lib", "/bin", "/sbin",
                                        "/lib",  "/lib32", "/lib64", "/proc",    "/sys"};

constexpr std::string_view kKernelFilesystems[] = {
    "proc",       "sysfs",   "devtmpfs",    "devpts",    "cgroup",  "cgroup2",
    "securityfs", "debugfs", "tracefs",     "configfs",  "pstore",  "bpf",
    "efivarfs",   "mqueue",  "hugetlbfs",   "autofs",    "fusectl", "nsfs",
    "ramfs",      "nfsd",    "binfmt_misc", "rpc_pipefs"};

constexpr std::string_view kQuotaFiles[] = {"aquota.user", "aquota.group", "quota.user",
                                            "quota.group"};

constexpr std::string_view kDisks[] = {".qcow2", ".vmdk", ".vdi", ".vhdx", ".vhd", ".qed"};

constexpr std::string_view kPasswordFiles[] = {".kdbx", ".kdb"};

// Names in the directory of a database.
struct DatabaseMark {
  const char* name;
  std::string_view is;
};
constexpr DatabaseMark kDatabaseMarks[] = {
    {"PG_VERSION", "a PostgreSQL database"},
    {"ibdata1", "an InnoDB database"},
    {"#innodb_redo", "an InnoDB database"},
    {"WiredTiger.wt", "a MongoDB database"},
};

struct WorkTreeMark {
  const char* name;
  std::string_view is;
};
constexpr WorkTreeMark kWorkTrees[] = {
    {".git", "a git work tree"},
    {".hg", "a Mercurial work tree"},
    {".svn", "a Subversion work tree"},
    {".jj", "a Jujutsu work tree"},
};

bool is_one_of(std::string_view name, std::span<const std::string_view> names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

bool ends_with_one_of(std::string_view name, std::span<const std::string_view> endings) {
  return std::any_of(endings.begin(), endings.end(),
                     [name](std::string_view ending) { return name.ends_with(ending); });
}

// Whether an entry inside a directory is what the row guards. Of a place with several names, an
// empty one, as in the tree of a system that nobody has used, guards nothing.
bool is_guarded(const EntryInside& entry, const GuardedNames& row) {
  if (!row.also_inside || !row.names.ends_with(entry.name)) return false;
  if (row.names.size() == entry.name.size()) return true;
  return row.names[row.names.size() - entry.name.size() - 1] == '/' && entry.has_entries() &&
         ends_with_names(entry.path(), row.names);
}

// "is X" or "is inside X"; nothing if it is neither.
Answer in_guarded(std::string_view path, std::span<const GuardedNames> table) {
  for (const GuardedNames& row : table) {
    if (!has_names(path, row.names)) continue;
    return (ends_with_names(path, row.names) ? "is " : "is inside ") + std::string(row.is);
  }
  return std::nullopt;
}

// ---- What to ask

struct Question {
  const std::string& path;
  std::string_view name;
  const Surroundings& around;
  const base::SetAside& set_aside;
  const std::optional<std::uint64_t>& root_device;
  const std::string& repository;
  const std::string& database;
  const Location& location;
  const EntryFacts& facts;
};

Answer ask_plain(const Question& ask) {
  if (!is_plain_root(ask.path)) return "is not an absolute path without . and ..";
  return std::nullopt;
}

Answer ask_top(const Question& ask) {
  if (ask.path == "/") return "is the root directory";
  if (ask.path.find('/', 1) == std::string::npos) return "is directly in the root directory";
  if (base::folder_of(ask.path) == "/var/") return "is directly in /var";
  return std::nullopt;
}

Answer ask_system(const Question& ask) {
  for (const std::string_view place : kSystem) {
    if (base::is_at_or_below(ask.path, place)) {
      return "belongs to the system, as all of " + std::string(place) + " does";
    }
    if (base::is_below(place, ask.path)) return "contains " + std::string(place);
  }
  return std::nullopt;
}

Answer ask_places(const Question& ask) {
  for (const GuardedPlace& place : ask.around.places) {
    if (ask.path == place.path) return "is " + place.is;
    if (base::is_below(place.path, ask.path)) return "contains " + place.is;
  }
  const bool in_homes = base::is_below(ask.path, "/home");
  if (in_homes && ask.path.find('/', 6) == std::string::npos) return "is a home directory";
  return std::nullopt;
}

Answer ask_mounts(const Question& ask) {
  for (const fs::Mount& mount : ask.around.mounts) {
    if (mount.point == ask.path) return "is a mount point";
    if (base::is_below(mount.point, ask.path)) return "contains the mount point " + mount.point;
  }
  const fs::Mount* const mount = mount_of(ask.around.mounts, ask.path);
  if (mount != nullptr && is_one_of(mount->type, kKernelFilesystems)) {
    return "is on a filesystem of the kernel (" + mount->type + ')';
  }
  return std::nullopt;
}

Answer ask_device(const Question& ask) {
  if (!ask.root_device || *ask.root_device == ask.facts.device) return std::nullopt;
  return "is on another filesystem than the directory that was named";
}

Answer ask_names(const Question& ask) {
  return in_guarded(ask.path, kGuardedNames);
}

Answer ask_browsers(const Question& ask) {
  for (const GuardedNames& row : kBrowserProfiles) {
    const std::string fenced = '/' + std::string(row.names) + '/';
    const std::string path = ask.path + '/';
    const std::size_t at = path.find(fenced);
    if (at == std::string::npos) continue;
    const std::string below = path.substr(at + fenced.size() - 1);
    const bool is_cache =
        std::any_of(std::begin(kBrowserCaches), std::end(kBrowserCaches),
                    [&below](std::string_view name) { return has_names(below, name); });
    if (!is_cache) return in_guarded(ask.path, {&row, 1});
  }
  return std::nullopt;
}

Answer ask_own(const Question& ask) {
  if (ask.set_aside.why(ask.path) != base::kBelongsToFathom) return std::nullopt;
  return std::string(base::kBelongsToFathom);
}

constexpr std::string_view kSchema = "{\"schema\":\"fathom.";

// Of a location, or of an open file.
template <class File>
bool begins_as_own_file(const File& file) {
  const auto beginning = read_small_file(file, kSchema.size());
  return beginning && *beginning == kSchema;
}

// Plans and journals, whatever their names are.
template <class File>
Answer own_file(std::string_view name, const File& file) {
  constexpr std::string_view kNotPlans[] = {".o", ".c", ".h", ".js", ".py", ".pyc", ".so"};
  if (ends_with_one_of(name, kNotPlans) || !begins_as_own_file(file)) return std::nullopt;
  return "is a plan, a journal or a result of Fathom";
}

Answer ask_own_files(const Question& ask) {
  if (ask.facts.kind != fs::Kind::file || ask.facts.size < kSchema.size()) return std::nullopt;
  return own_file(ask.name, ask.location);
}

Answer ask_attributes(const Question& ask) {
  if (ask.facts.immutable) return "is immutable (chattr +i)";
  if (ask.facts.append_only) return "is append-only (chattr +a)";
  return std::nullopt;
}

Answer ask_special_files(const Question& ask) {
  const auto& swaps = ask.around.swap_files;
  if (std::find(swaps.begin(), swaps.end(), ask.path) != swaps.end())
    return "is a swap file in use";
  if (is_one_of(ask.name, kQuotaFiles)) return "is a quota file";
  if (ends_with_one_of(ask.name, kDisks)) return "is the disk of a virtual machine";
  if (ends_with_one_of(ask.name, kPasswordFiles)) return "is a store of passwords";
  return std::nullopt;
}

// The database beside a file that is a part of it; empty: it is not one.
std::string sqlite_database_of(int folder, std::string_view name) {
  for (const std::string_view part : kSqliteParts) {
    if (name.size() <= part.size() || !name.ends_with(part)) continue;
    std::string base(name.substr(0, name.size() - part.size()));
    if (has_name(folder, base.c_str())) return base;
  }
  return {};
}

// A database is its file and those beside it; while one of these exists, it is in use or has to be
// recovered.
Answer sqlite(const Location& location, bool is_file) {
  const int folder = location.folder.get();
  const std::string base = sqlite_database_of(folder, location.name);
  if (!base.empty()) return "is part of the SQLite database " + base;
  for (const std::string_view part : kSqliteParts) {
    const std::string beside = location.name + std::string(part);
    if (is_file && has_name(folder, beside.c_str())) {
      return "is a SQLite database in use: " + beside + " exists";
    }
  }
  return std::nullopt;
}

Answer ask_sqlite(const Question& ask) {
  return sqlite(ask.location, ask.facts.kind == fs::Kind::file);
}

// Whether the directory at a path below an open one has a name.
bool has(int root, const std::string& path, const char* name) {
  return has_name(root, (path + '/' + name).c_str());
}

std::optional<std::string_view> database_in(int root, const std::string& path) {
  for (const DatabaseMark& mark : kDatabaseMarks) {
    if (has(root, path, mark.name)) return mark.is;
  }
  return std::nullopt;
}

bool is_repository(int root, const std::string& path) {
  return has(root, path, "HEAD") && has(root, path, "objects") && has(root, path, "refs");
}

Answer inside(const std::string& database, const std::string& repository) {
  if (!database.empty()) return "is inside " + database;
  if (!repository.empty()) return "is inside the git repository " + repository;
  return std::nullopt;
}

Answer ask_above(const Question& ask) {
  return inside(ask.database, ask.repository);
}

Answer ask_inside(const Question& ask) {
  if (ask.facts.kind != fs::Kind::directory) return std::nullopt;
  const int folder = ask.location.folder.get();
  const std::string name(ask.name);
  for (const auto& [mark, is] : kWorkTrees) {
    if (has(folder, name, mark)) return "is " + std::string(is);
  }
  if (is_repository(folder, name)) return "is a git repository";
  if (const auto database = database_in(folder, name)) return "is " + std::string(*database);
  return std::nullopt;
}

// Before anything is opened: these know the path alone. They also judge the paths that an entry has
// below other mounts of its filesystem.
constexpr Answer (*kPlaceChecks[])(const Question&) = {
    ask_top, ask_system, ask_places, ask_names, ask_browsers, ask_own,
};

constexpr Answer (*kEntryChecks[])(const Question&) = {
    ask_device, ask_above, ask_attributes, ask_special_files, ask_sqlite, ask_inside, ask_own_files,
};

Answer first_answer(std::span<Answer (*const)(const Question&)> checks, const Question& ask) {
  for (const auto check : checks) {
    if (Answer answer = check(ask)) return answer;
  }
  return std::nullopt;
}

// The other paths that mounts give to an entry, or to something in it.
struct OtherPaths {
  std::vector<std::string> is;
  std::vector<std::string> contains;
};

OtherPaths other_paths(const std::vector<fs::Mount>& mounts, const std::string& path) {
  const fs::Mount* const mount = mount_of(mounts, path);
  if (mount == nullptr) return {};
  const auto joined = [](const std::string& folder, std::string_view rest) {
    return rest.empty() ? folder : (folder == "/" ? "" : folder) + std::string(rest);
  };
  const auto without = [](const std::string& whole, const std::string& folder) {
    return std::string_view(whole).substr(folder == "/" ? 0 : folder.size());
  };
  const std::string in_filesystem = joined(mount->top, without(path, mount->point));
  OtherPaths others;
  for (const fs::Mount& other : mounts) {
    if (other.device != mount->device || other.point == mount->point) continue;
    // Containers and virtual roots have the data of users mounted there.
    if (base::is_below(other.point, "/var/lib")) continue;
    if (base::is_below(other.top, in_filesystem)) {
      if (mount_of(mounts, other.point) == &other) others.contains.push_back(other.point);
    } else if (base::is_at_or_below(in_filesystem, other.top)) {
      std::string there = joined(other.point, without(in_filesystem, other.top));
      const bool is_hidden = mount_of(mounts, there) != &other;
      if (!is_hidden) others.is.push_back(std::move(there));
    }
  }
  return others;
}

std::string error_text(int error) {
  return std::generic_category().message(-error);
}

// Empty if the variable has no value.
std::string path_in(const Surroundings& around, const char* variable) {
  const auto found = around.variables.find(variable);
  return found == around.variables.end() ? std::string() : found->second;
}

}  // namespace

// What a directory is by the names in it.
struct NeverTouch::Marks {
  bool is_repository = false;
  std::optional<std::string_view> database;
};

// What why_file() has asked before, and which names it asks about as why() does.
struct NeverTouch::Known {
  explicit Known(const Surroundings& around) {
    const auto add = [this](const std::string& path) {
      names.insert(path.substr(path.rfind('/') + 1));
    };
    for (const fs::Mount& mount : around.mounts) {
      add(mount.point);
      add(mount.top);  // a file may be mounted
    }
    for (const GuardedPlace& place : around.places) add(place.path);
    for (const std::string& file : around.swap_files) add(file);
    for (const GuardedNames& row : kGuardedNames) add(std::string(row.names));
    for (const GuardedNames& row : kBrowserProfiles) add(std::string(row.names));
    for (const std::string_view name : kQuotaFiles) names.emplace(name);
  }

  [[nodiscard]] bool matters(const std::string& name) const {
    return names.contains(name) || base::SetAside::is_possible_name(name) ||
           ends_with_one_of(name, kDisks) || ends_with_one_of(name, kPasswordFiles);
  }

  template <class Function>
  const Marks& marks_of(const std::string& folder, const Function& ask) {
    const auto known = marks.find(folder);
    return known != marks.end() ? known->second : marks.emplace(folder, ask(folder)).first->second;
  }

  std::unordered_set<std::string> names;
  std::unordered_map<std::string, Answer> folders;  // of the files in a directory
  std::unordered_map<std::string, Marks> marks;     // of directories
};

NeverTouch::NeverTouch(Surroundings surroundings)
    : around_(std::move(surroundings)),
      set_aside_(path_in(around_, "XDG_DATA_HOME"), path_in(around_, "XDG_STATE_HOME")),
      above_(std::make_unique<Above>()),
      known_(std::make_unique<Known>(around_)) {}
NeverTouch::~NeverTouch() = default;
NeverTouch::NeverTouch(NeverTouch&&) noexcept = default;
NeverTouch& NeverTouch::operator=(NeverTouch&&) noexcept = default;

namespace {

// The directories above an entry, the highest first: "home", "home/ana".
template <class Function>
void for_each_folder_above(const std::string& path, Function&& function) {
  for (std::size_t end = path.find('/', 1); end != std::string::npos;
       end = path.find('/', end + 1)) {
    if (function(path.substr(1, end - 1))) return;
  }
}

bool is_link(int root, const std::string& path) {
  Location location;
  EntryFacts facts;
  return find_location(root, path, location) == 0 && facts_at(location, facts) == 0 &&
         facts.kind == fs::Kind::symlink;
}

}  // namespace

void NeverTouch::Above::read(const std::string& folder, Known* known) {
  path = folder;
  link.clear();
  repository.clear();
  database.clear();
  base::Fd root;
  error = open_root("/", root);
  if (error < 0) return;
  error = open_folder(root.get(), folder.empty() ? "" : std::string_view(folder).substr(1),
                      entry.folder);
  const auto marks_of = [&](const std::string& above) -> Marks {
    return {is_repository(root.get(), above), database_in(root.get(), above)};
  };
  for_each_folder_above(folder + '/', [&](const std::string& above) {
    if (error < 0) {
      if (is_link(root.get(), above)) link = '/' + above;
      return !link.empty();
    }
    const Marks marks = known == nullptr ? marks_of(above) : known->marks_of(above, marks_of);
    if (marks.is_repository) repository = '/' + above;
    if (marks.database) database = *marks.database;
    return !repository.empty() || !database.empty();
  });
}

// Why an entry may not be touched because of its path and of the directories above it, which are
// read for this. Of the path of a directory with a name that nothing has: the answer for all files
// in it whose names do not matter.
std::optional<std::string> NeverTouch::why_not_there(
    const std::string& path, const std::optional<std::uint64_t>& root_device, Known* known) const {
  const std::string name = path.substr(path.rfind('/') + 1);
  Above& above = *above_;
  const EntryFacts facts;
  const auto question = [&](const std::string& of) -> Question {
    return {of,
            std::string_view(of).substr(of.rfind('/') + 1),
            around_,
            set_aside_,
            root_device,
            above.repository,
            above.database,
            above.entry,
            facts};
  };
  const Question ask = question(path);
  if (Answer answer = ask_plain(ask)) return answer;
  if (Answer answer = first_answer(kPlaceChecks, ask)) return answer;
  if (Answer answer = ask_mounts(ask)) return answer;
  const OtherPaths others = other_paths(around_.mounts, path);
  for (const std::string& other : others.is) {
    if (const Answer why = first_answer(kPlaceChecks, question(other)))
      return "is also " + other + ", which " + *why;
  }
  for (const std::string& other : others.contains) {
    if (const Answer why = first_answer(kPlaceChecks, question(other)))
      return "contains what is also " + other + ", which " + *why;
  }
  above.read(path.substr(0, path.rfind('/')), known);
  if (!above.link.empty()) return "is behind the symbolic link " + above.link;
  if (above.error < 0) return "cannot be reached (" + error_text(above.error) + ')';
  return std::nullopt;
}

std::optional<std::string> NeverTouch::why(const std::string& path,
                                           std::optional<std::uint64_t> root_device) const {
  if (Answer answer = why_not_there(path, root_device, nullptr)) return answer;
  Above& above = *above_;
  above.entry.name = path.substr(path.rfind('/') + 1);
  EntryFacts facts;
  if (const int error = facts_at(above.entry, facts); error < 0) {
    return "cannot be examined (" + error_text(error) + ')';
  }
  return first_answer(kEntryChecks, {path, above.entry.name, around_, set_aside_, root_device,
                                     above.repository, above.database, above.entry, facts});
}

std::optional<std::string> NeverTouch::why_file(const std::string& path, const Location& location,
                                                int file) const {
  if (known_->matters(location.name)) return why(path);
  const std::string folder = path.substr(0, path.rfind('/') + 1);
  const auto [known, is_new] = known_->folders.try_emplace(folder);
  if (is_new) {
    known->second = why_not_there(folder + std::string(NAME_MAX + 1, 'x'), std::nullopt, &*known_);
    if (!known->second) known->second = inside(above_->database, above_->repository);
  }
  if (known->second) return known->second;
  if (Answer answer = sqlite(location, /*is_file=*/true)) return answer;
  return own_file(location.name, file);
}

std::optional<std::string_view> never_inside(const EntryInside& entry) {
  const std::string_view name = entry.name;
  for (const GuardedNames& row : kGuardedNames) {
    if (is_guarded(entry, row)) return row.is;
  }
  for (const GuardedNames& row : kBrowserProfiles) {
    if (is_guarded(entry, row)) return row.is;
  }
  for (const DatabaseMark& mark : kDatabaseMarks) {
    if (mark.name == name) return mark.is;
  }
  if (is_one_of(name, kQuotaFiles)) return "a quota file";
  if (ends_with_one_of(name, kDisks)) return "the disk of a virtual machine";
  if (ends_with_one_of(name, kPasswordFiles)) return "a store of passwords";
  if (name.starts_with(".fathom-")) return "what belongs to Fathom";
  return std::nullopt;
}

std::optional<std::string_view> never_inside(const EntryInside& entry, int folder) {
  if (const auto never = never_inside(entry)) return never;
  if (entry.name == "HEAD" && has_name(folder, "objects") && has_name(folder, "refs")) {
    return "a git repository";
  }
  if (!sqlite_database_of(folder, entry.name).empty() && !entry.has_entries()) {
    return "a SQLite database in use";
  }
  Location location;
  // Not every file is opened: a journal of another name is not known here.
  if (entry.name.ends_with(".journal") && duplicate(folder, location.folder) == 0) {
    location.name = entry.name;
    if (begins_as_own_file(location)) return "a journal of Fathom";
  }
  return std::nullopt;
}

}  // namespace fathom::act
