// read_ncdu: adds one item after the other to a tree. The stack of open directories is explicit.

#include "fathom/fs/ncdu_import.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <tuple>
#include <utility>

#include "fathom/base/clock.h"
#include "fathom/base/saturating.h"
#include "fathom/fs/tree_builder.h"
#include "format/json_input.h"
#include "format/ncdu_header.h"
#include "format/ncdu_item.h"
#include "format/open_directories.h"

namespace fathom::fs {

namespace {

// The paths of unreadable items can grow with the square of the depth, whatever the size of the
// file: a malicious file must not exhaust memory.
constexpr std::uint64_t kMostErrorBytes = 256ULL << 20;

class NcduReader {
 public:
  // The input continues with the root. The header has been read into the result.
  NcduReader(JsonInput& input, Selection selection, NcduImport& result)
      : input_(input),
        selection_(std::move(selection)),
        scan_(result.scan),
        is_gdu_(result.program == "gdu") {}

  void read() {
    if (!input_.accept('[')) input_.fail("expected a directory");
    array();
    while (!open_.empty()) {
      if (input_.accept(']')) {
        open_.pop();
        continue;
      }
      input_.expect(',');
      if (input_.accept('[')) {
        array();
      } else if (input_.accept('{')) {
        object();
      } else {
        input_.fail(input_.token() == JsonInput::kEnd ? "the export is truncated"
                                                      : "expected an entry");
      }
    }
  }

  // Completes the scan, except for the time that it took.
  void finish() {
    rows_.reset();
    scan_.tree = builder_.finish({root_});
    scan_.engine = Engine::serial;
    scan_.threads = 1;
    std::sort(scan_.errors.begin(), scan_.errors.end(), [](const ScanError& a, const ScanError& b) {
      return std::forward_as_tuple(a.path, a.code, std::string_view(a.operation)) <
             std::forward_as_tuple(b.path, b.code, std::string_view(b.operation));
    });
  }

 private:
  // Reads a directory from behind its '[' to its first child.
  void array() {
    if (!input_.accept('{')) input_.fail("a directory begins with an object that describes it");
    item_.read(input_, open_.empty());
    if (!item_.excluded.empty()) {
      if (open_.empty()) input_.fail("the whole export is excluded");
      exclude(item_.why_excluded());
      return input_.expect(']');
    }
    if (excludes(true)) {
      while (input_.accept(',')) input_.skip_value();
      return input_.expect(']');
    }
    open_directory();
  }

  void open_directory() {
    const OpenDirectories::Directory in = open_.innermost();
    Entry entry = item_.directory_entry(++directories_, in.device);
    if (is_gdu_) entry.size = entry.blocks = 0;
    const auto added = rows_->add_directory(in.id, open_.depth(), item_.name, entry);
    if (open_.empty()) {
      root_ = added.node;
      scan_.roots = {item_.name};
    }
    const bool picked = picks(true);
    const std::string_view path = open_.push(added.id, entry.device, item_.name, picked);
    if (item_.filtered_out || !picked || !selection_.matches(item_.name, entry)) {
      rows_->mark(added.id, kFilteredOut);
      if (!item_.filtered_out) count_filtered_out();
    }
    if (item_.has_omitted_children) rows_->mark(added.id, kHasOmittedChildren);
    if (item_.read_error) {
      rows_->mark_incomplete(added.id);
      if (!was_cut_off()) unread(path, item_.operation_or("list"));
    }
  }

  // Whether the directory is incomplete because the scan was interrupted, which is not an error.
  [[nodiscard]] bool was_cut_off() const { return scan_.cancelled && item_.error == 0; }

  // Reads an entry from behind its '{'. It is not a directory unless its mode says so.
  void object() {
    item_.read(input_, false);
    if (!item_.excluded.empty()) return exclude(item_.why_excluded());
    if (excludes(item_.is_directory())) return;
    const OpenDirectories::Directory in = open_.innermost();
    if (item_.read_error) {
      rows_->mark_incomplete(in.id);
      return unread(open_.path_of(item_.name), item_.operation_or("stat"));
    }
    if (item_.is_directory()) {
      open_directory();
      return open_.pop();
    }
    const Entry entry = item_.other_entry(in.device);
    if (!picks(false) || !selection_.matches(item_.name, entry)) {
      rows_->mark(in.id, kHasOmittedChildren);
      return count_filtered_out();
    }
    if (item_.target && entry.kind() == Kind::symlink) {
      rows_->add_link(in.id, item_.name, entry, {.path = *item_.target, .end = item_.link_end()});
    } else {
      rows_->add(in.id, item_.name, entry);
    }
  }

  // Whether the selection excludes the item; if so, records it. Never the root.
  bool excludes(bool directory) {
    if (open_.empty() || !selection_.checks_names()) return false;
    const bool found = selection_.excludes(open_.path_below_root(item_.name), directory);
    if (found) exclude(Excluded::pattern);
    return found;
  }

  // Whether Selection::only picks the item, or has picked its directory.
  bool picks(bool directory) {
    if (selection_.only.empty() || open_.innermost().picked) return true;
    return !open_.empty() && selection_.picks(open_.path_below_root(item_.name), directory);
  }

  void exclude(Excluded why) {
    const DirId in = open_.innermost().id;
    scan_.excluded.push_back({.in = in, .name = item_.name, .why = why});
    rows_->mark(in, kHasOmittedChildren);
  }

  void count_filtered_out() {
    scan_.filtered_out = base::saturating_add(scan_.filtered_out, std::uint64_t{1});
  }

  void unread(std::string_view path, const char* operation) {
    error_bytes_ = base::saturating_add(error_bytes_, path.size());
    if (error_bytes_ > kMostErrorBytes) {
      input_.fail("the paths of unreadable items exceed 256 MiB in total");
    }
    scan_.errors.push_back({std::string(path), operation, item_.error});
  }

  JsonInput& input_;
  const Selection selection_;
  Scan& scan_;
  const bool is_gdu_;
  TreeBuilder builder_;
  std::optional<TreeBuilder::Appender> rows_{builder_};
  NodeId root_ = kNoNode;
  std::uint64_t directories_ = 0;  // so far
  OpenDirectories open_;
  std::uint64_t error_bytes_ = 0;
  NcduItem item_;
};

}  // namespace

NcduImport read_ncdu(const Source& source, const Selection& selection) {
  return read_ncdu(source, [&selection](std::int64_t) { return selection; });
}

NcduImport read_ncdu(const Source& source, const SelectionAt& selection) {
  const base::Stopwatch watch;
  JsonInput input(source);
  NcduImport result;
  read_ncdu_header(input, result);
  NcduReader reader(input, selection(result.taken), result);
  reader.read();
  while (input.accept(',')) input.skip_value();  // of later formats
  input.expect(']');
  if (input.token() != JsonInput::kEnd) input.fail("text follows the end of the export");
  reader.finish();
  result.scan.seconds = watch.seconds();
  return result;
}

}  // namespace fathom::fs
