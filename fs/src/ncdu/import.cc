// read_ncdu: reads tokens into a tree, with an explicit stack of open directories.

#include "fathom/fs/ncdu_import.h"

#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>
#include <optional>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "fathom/base/clock.h"
#include "fathom/base/saturating.h"
#include "fathom/fs/tree_builder.h"
#include "ncdu/json_input.h"

namespace fathom::fs {

namespace {

constexpr std::uint64_t kAny = std::numeric_limits<std::uint64_t>::max();
constexpr std::uint64_t kAny32 = std::numeric_limits<std::uint32_t>::max();
constexpr std::uint64_t kAny16 = std::numeric_limits<std::uint16_t>::max();
constexpr std::uint64_t kMostErrno = 4095;  // Linux's limit
constexpr std::uint16_t kPermissionBits = 07777;

// The paths of unreadable items can grow with the square of the depth, whatever the size of the
// file: a malicious file must not exhaust memory.
constexpr std::uint64_t kMostErrorBytes = 256ULL << 20;

// The fields of one entry.
struct Item {
  std::string name;
  std::string excluded;   // the reason for excluding it; empty: it is not excluded
  std::string operation;  // the failed one
  std::optional<std::string> target;
  std::optional<bool> target_exists;
  std::optional<std::uint64_t> device;
  std::optional<std::uint64_t> inode;
  std::uint64_t size = 0;
  std::uint64_t disk_bytes = 0;
  std::int64_t mtime = kUnknownTime;
  std::uint32_t uid = kUnknownOwner;
  std::uint32_t gid = kUnknownOwner;
  std::uint32_t links = 1;
  std::uint16_t mode = 0;  // 0: unknown
  int error = 0;
  bool read_error = false;
  bool is_irregular = false;
  bool is_hard_link = false;
  bool filtered_out = false;  // in our own exports, as is the next
  bool has_omitted_children = false;
  bool has_totals = false;  // gdu: the sizes include everything in the directory
};

// Accepts only operations that a scan has.
const char* operation_of(const std::string& text, const char* otherwise) {
  constexpr std::array<const char*, 3> kOperations = {"open", "list", "stat"};
  const auto* const found = std::find(kOperations.begin(), kOperations.end(), text);
  return found == kOperations.end() ? otherwise : *found;
}

// The mode of an entry that is not an array. Without a type, it is derived from the other fields.
std::uint16_t mode_of(const Item& item) {
  if ((item.mode & S_IFMT) != 0) return item.mode;
  std::uint16_t type = S_IFREG;
  if (item.is_irregular) type = item.size != 0 ? S_IFLNK : 0;
  return type | item.mode;
}

// Rounds up to whole blocks.
std::uint64_t blocks_of(std::uint64_t bytes) {
  return bytes / kBlockBytes + (bytes % kBlockBytes == 0 ? 0 : 1);
}

Entry entry_of(const Item& item, std::uint64_t parent_device) {
  return {.size = item.size,
          .blocks = blocks_of(item.disk_bytes),
          .inode = 0,
          .device = item.device.value_or(parent_device),
          .mtime = item.mtime,
          .uid = item.uid,
          .gid = item.gid,
          .links = 1,
          .mode = item.mode};
}

class NcduReader {
 public:
  NcduReader(const Source& source, const SelectionAt& selection)
      : input_(source), selection_at_(selection) {}

  NcduImport read() {
    const base::Stopwatch watch;
    refuse_other_formats();
    header();
    selection_ = selection_at_(result_.taken);
    tree();
    while (input_.accept(',')) input_.skip_value();  // of later formats
    input_.expect(']');
    if (input_.token() != JsonInput::kEnd) input_.fail("text follows the end of the export");
    finish();
    result_.scan.seconds = watch.seconds();
    return std::move(result_);
  }

 private:
  // A directory whose children are being read.
  struct Open {
    DirId id;
    std::uint64_t device;
    std::size_t path_length;  // of its parent's path
  };

  void refuse_other_formats() {
    using namespace std::string_view_literals;
    const std::string_view head = input_.head();
    if (head.empty()) input_.fail("the input is empty");
    if (head.starts_with("\x28\xb5\x2f\xfd"sv)) {
      input_.fail("the export is compressed: pass it through zstd -d");
    }
    if (head.starts_with("\x1f\x8b"sv)) {
      input_.fail("the export is compressed: pass it through gzip -d");
    }
    if (head.starts_with("\xbfncduEX1"sv)) {
      input_.fail("this is ncdu's binary export: convert it with ncdu -f FILE -o -");
    }
  }

  void header() {
    if (!input_.accept('[')) input_.fail("this is not an ncdu export, which begins with '['");
    if (input_.whole_number(kAny) != 1) input_.fail("only version 1 of the format is supported");
    input_.expect(',');
    input_.whole_number(kAny);  // additions of a minor version can be skipped
    input_.expect(',');
    input_.expect('{');
    members([this](std::string_view key) {
      if (key == "progname") {
        after_key();
        result_.program = input_.string();
      } else if (key == "progver") {
        after_key();
        result_.version = input_.string();
      } else if (key == "timestamp") {
        after_key();
        result_.taken = input_.seconds();
      } else if (key == "unwanted") {
        after_key();
        result_.scan.filtered_out = input_.whole_number(kAny);
      } else if (key == "interrupted") {
        after_key();
        result_.scan.cancelled = input_.boolean();
      } else {
        after_key();
        input_.skip_value();
      }
    });
    is_gdu_ = result_.program == "gdu";
    input_.expect(',');
  }

  void after_key() { input_.expect(':'); }

  // Calls member(key) for each member of an object that has been opened. member() reads the rest,
  // from the colon on; the key is valid until then.
  template <class Member>
  void members(Member member) {
    if (input_.accept('}')) return;
    do {
      member(input_.string());
    } while (input_.accept(','));
    input_.expect('}');
  }

  void tree() {
    if (!input_.accept('[')) input_.fail("expected a directory");
    directory();
    while (!open_.empty()) {
      if (input_.accept(']')) {
        path_.resize(open_.back().path_length);
        open_.pop_back();
        continue;
      }
      input_.expect(',');
      if (input_.accept('[')) {
        directory();
      } else if (input_.accept('{')) {
        item();
        other();
      } else {
        input_.fail(input_.token() == JsonInput::kEnd ? "the export is truncated"
                                                      : "expected an entry");
      }
    }
  }

  // Reads the part behind a '['.
  void directory() {
    if (!input_.accept('{')) input_.fail("a directory begins with an object that describes it");
    item();
    if (!item_.excluded.empty()) {
      if (open_.empty()) input_.fail("the whole export is excluded");
      add_excluded();
      return input_.expect(']');
    }
    if (excludes(true)) {
      while (input_.accept(',')) input_.skip_value();
      return input_.expect(']');
    }
    add_directory();
  }

  void add_directory() {
    const bool is_root = open_.empty();
    Entry entry = entry_of(item_, is_root ? 0 : open_.back().device);
    entry.mode = static_cast<std::uint16_t>(S_IFDIR | (item_.mode & kPermissionBits));
    entry.inode = ++directories_;
    if (item_.has_totals || is_gdu_) entry.size = entry.blocks = 0;
    const auto added =
        rows_->add_directory(is_root ? kNoDir : open_.back().id,
                             static_cast<std::uint32_t>(open_.size()), item_.name, entry);
    if (is_root) {
      root_ = added.node;
      result_.scan.roots = {item_.name};
    }
    open_.push_back({.id = added.id, .device = entry.device, .path_length = path_.size()});
    extend_path(path_, item_.name);
    if (is_root) root_length_ = path_.size() + (path_.ends_with('/') ? 0 : 1);
    if (item_.filtered_out || !selection_.matches(item_.name, entry)) {
      rows_->mark(added.id, kFilteredOut);
      if (!item_.filtered_out) count_filtered_out();
    }
    if (item_.has_omitted_children) rows_->mark(added.id, kHasOmittedChildren);
    if (item_.read_error) {
      rows_->mark_incomplete(added.id);
      if (!was_cut_off()) unread(path_, operation_of(item_.operation, "list"));
    }
  }

  // Whether the directory is incomplete because the scan was interrupted, which is not an error.
  [[nodiscard]] bool was_cut_off() const { return result_.scan.cancelled && item_.error == 0; }

  // An object, which is not a directory unless its mode says so.
  void other() {
    if (!item_.excluded.empty()) return add_excluded();
    const bool directory = (item_.mode & S_IFMT) == S_IFDIR;
    if (excludes(directory)) return;
    if (directory && !item_.read_error) {
      add_directory();
      path_.resize(open_.back().path_length);
      open_.pop_back();
      return;
    }
    const Open& in = open_.back();
    if (item_.read_error) {
      std::string path = path_;
      extend_path(path, item_.name);
      rows_->mark_incomplete(in.id);
      return unread(std::move(path), operation_of(item_.operation, "stat"));
    }
    Entry entry = entry_of(item_, in.device);
    entry.mode = mode_of(item_);
    if (item_.inode && (item_.is_hard_link || item_.links > 1)) {
      entry.inode = *item_.inode;
      entry.links = item_.links > 1 ? item_.links : kManyLinks;
    }
    if (!selection_.matches(item_.name, entry)) {
      rows_->mark(in.id, kHasOmittedChildren);
      return count_filtered_out();
    }
    if (item_.target && entry.kind() == Kind::symlink) {
      rows_->add_link(in.id, item_.name, entry, {.path = *item_.target, .end = link_end()});
    } else {
      rows_->add(in.id, item_.name, entry);
    }
  }

  [[nodiscard]] LinkEnd link_end() const {
    if (!item_.target_exists) return LinkEnd::unknown;
    return *item_.target_exists ? LinkEnd::exists : LinkEnd::missing;
  }

  // Whether the selection excludes the entry; if so, records it. Never the root.
  bool excludes(bool directory) {
    if (open_.empty() || !selection_.checks_names()) return false;
    const std::size_t length = path_.size();
    extend_path(path_, item_.name);
    const bool found = selection_.excludes(std::string_view(path_).substr(root_length_), directory);
    path_.resize(length);
    if (found) exclude(Excluded::pattern);
    return found;
  }

  // An entry of which the export has only the name; no sum of the export includes it.
  void add_excluded() {
    if (item_.excluded == "otherfs" || item_.excluded == "othfs") {
      exclude(Excluded::other_filesystem);
    } else if (item_.excluded == "kernfs") {
      exclude(Excluded::kernel_filesystem);
    } else {
      exclude(Excluded::pattern);
    }
  }

  void exclude(Excluded why) {
    const DirId in = open_.back().id;
    result_.scan.excluded.push_back({.in = in, .name = item_.name, .why = why});
    rows_->mark(in, kHasOmittedChildren);
  }

  void count_filtered_out() {
    result_.scan.filtered_out = base::saturating_add(result_.scan.filtered_out, std::uint64_t{1});
  }

  void unread(std::string path, const char* operation) {
    error_bytes_ = base::saturating_add(error_bytes_, path.size());
    if (error_bytes_ > kMostErrorBytes) {
      input_.fail("the paths of unreadable items exceed 256 MiB in total");
    }
    result_.scan.errors.push_back({std::move(path), operation, item_.error});
  }

  static void extend_path(std::string& path, std::string_view name) {
    if (!path.empty() && path.back() != '/') path += '/';
    path += name;
  }

  // Reads an object that has been opened into item_.
  void item() {
    reset();
    members([this](std::string_view key) { field(key); });
    if (item_.name.empty()) input_.fail("an entry has no name");
    if (open_.empty()) {
      if (item_.name.find('\0') != item_.name.npos)
        input_.fail("a directory cannot have this name");
      return;
    }
    // Such a name would change the meaning of the path.
    const bool has_bad_byte =
        item_.name.find_first_of(std::string_view("/\0", 2)) != item_.name.npos;
    if (has_bad_byte || item_.name == "." || item_.name == "..") {
      input_.fail("an entry cannot have this name");
    }
  }

  // Keeps the memory of the strings.
  void reset() {
    std::string name = std::move(item_.name);
    std::string excluded = std::move(item_.excluded);
    name.clear();
    excluded.clear();
    item_ = Item{};
    item_.name = std::move(name);
    item_.excluded = std::move(excluded);
  }

  // A user or group id. ncdu 1 writes ids from 2^31 on as negative numbers, plus 2^64.
  std::uint32_t id() {
    constexpr std::uint64_t kWrapped = kAny - (kAny32 >> 1);
    const std::uint64_t number = input_.whole_number(kAny);
    if (number > kAny32 && number < kWrapped) input_.fail("a number is too large");
    return static_cast<std::uint32_t>(number);
  }

  void field(std::string_view key) {
    const Field found = field_of(key);
    after_key();
    switch (found) {
      case Field::name:
        if (!item_.name.empty()) input_.fail("an entry has two names");
        item_.name = input_.string();
        break;
      case Field::asize:
        item_.size = input_.whole_number(kAny);
        break;
      case Field::dsize:
        item_.disk_bytes = input_.whole_number(kAny);
        break;
      case Field::dev:
        item_.device = input_.whole_number(kAny);
        break;
      case Field::ino:
        item_.inode = input_.whole_number(kAny);
        break;
      case Field::hlnkc:
        item_.is_hard_link = input_.boolean();
        break;
      case Field::nlink:
        item_.links = static_cast<std::uint32_t>(input_.whole_number(kAny32));
        break;
      case Field::notreg:
        item_.is_irregular = input_.boolean();
        break;
      case Field::uid:
        item_.uid = id();
        break;
      case Field::gid:
        item_.gid = id();
        break;
      case Field::mode:
        item_.mode = static_cast<std::uint16_t>(input_.whole_number(kAny16));
        break;
      case Field::mtime:
        item_.mtime = input_.seconds();
        break;
      case Field::read_error:
        item_.read_error = input_.boolean();
        break;
      case Field::excluded:
        item_.excluded = input_.string();
        if (item_.excluded.empty()) input_.fail("an entry is excluded without a reason");
        break;
      case Field::items:
        item_.has_totals = true;
        input_.skip_value();
        break;
      case Field::error:
        item_.error = static_cast<int>(input_.whole_number(kMostErrno));
        break;
      case Field::operation:
        item_.operation = input_.string();
        break;
      case Field::target:
        item_.target = input_.string();
        break;
      case Field::target_exists:
        item_.target_exists = input_.boolean();
        break;
      case Field::filtered_out:
        item_.filtered_out = input_.boolean();
        break;
      case Field::has_omitted_children:
        item_.has_omitted_children = input_.boolean();
        break;
      case Field::unknown:
        input_.skip_value();
    }
  }

  enum class Field : std::uint8_t {
    name,
    asize,
    dsize,
    dev,
    ino,
    hlnkc,
    nlink,
    notreg,
    uid,
    gid,
    mode,
    mtime,
    read_error,
    excluded,
    items,
    error,
    operation,
    target,
    target_exists,
    filtered_out,
    has_omitted_children,
    unknown,
  };

  static Field field_of(std::string_view key) {
    // Ordered by frequency.
    static constexpr std::array<std::pair<std::string_view, Field>, 22> kFields = {{
        {"name", Field::name},
        {"asize", Field::asize},
        {"dsize", Field::dsize},
        {"uid", Field::uid},
        {"gid", Field::gid},
        {"mode", Field::mode},
        {"mtime", Field::mtime},
        {"notreg", Field::notreg},
        {"ino", Field::ino},
        {"hlnkc", Field::hlnkc},
        {"nlink", Field::nlink},
        {"dev", Field::dev},
        {"target", Field::target},
        {"target_exists", Field::target_exists},
        {"negative_mtime", Field::mtime},
        {"read_error", Field::read_error},
        {"excluded", Field::excluded},
        {"items", Field::items},
        {"errno", Field::error},
        {"operation", Field::operation},
        {"unwanted", Field::filtered_out},
        {"holds_more", Field::has_omitted_children},
    }};
    const auto* const found = std::find_if(kFields.begin(), kFields.end(),
                                           [key](const auto& field) { return field.first == key; });
    return found == kFields.end() ? Field::unknown : found->second;
  }

  void finish() {
    rows_.reset();
    Scan& scan = result_.scan;
    scan.tree = builder_.finish({root_});
    scan.engine = Engine::serial;
    scan.threads = 1;
    std::sort(scan.errors.begin(), scan.errors.end(), [](const ScanError& a, const ScanError& b) {
      return std::forward_as_tuple(a.path, a.code, std::string_view(a.operation)) <
             std::forward_as_tuple(b.path, b.code, std::string_view(b.operation));
    });
  }

  JsonInput input_;
  const SelectionAt& selection_at_;
  Selection selection_;
  NcduImport result_;
  bool is_gdu_ = false;
  TreeBuilder builder_;
  std::optional<TreeBuilder::Appender> rows_{builder_};
  NodeId root_ = kNoNode;
  std::uint64_t directories_ = 0;  // so far
  std::vector<Open> open_;
  std::string path_;             // of the innermost open directory
  std::size_t root_length_ = 0;  // of the part of a path that leads to the root, with its slash
  std::uint64_t error_bytes_ = 0;
  Item item_;
};

}  // namespace

NcduImport read_ncdu(const Source& source, const Selection& selection) {
  return read_ncdu(source, [&selection](std::int64_t) { return selection; });
}

NcduImport read_ncdu(const Source& source, const SelectionAt& selection) {
  return NcduReader(source, selection).read();
}

}  // namespace fathom::fs
