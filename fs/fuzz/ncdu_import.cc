// Fuzzes read_ncdu(): for any text, it throws a base::Error, or its result can be exported and read
// again.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "fathom/base/error.h"
#include "fathom/fs/ncdu_export.h"
#include "fathom/fs/ncdu_import.h"
#include "fathom/fs/totals.h"
#include "fathom/testing/always.h"

namespace fathom::fs {
namespace {

std::string export_of(const NcduImport& found) {
  std::string text;
  write_ncdu(found.scan, {.root = {}, .version = found.version, .taken = found.taken},
             [&text](std::string_view block) {
               text += block;
               return true;
             });
  return text;
}

// Names are unique in the directories of a filesystem, so an export does not have to distinguish
// entries with the same path.
bool has_unique_paths(const Scan& scan) {
  const Tree& tree = scan.tree;
  std::vector<std::string> paths;
  tree.for_each_node([&](NodeId node) { paths.push_back(tree.path(node)); });
  std::unordered_set<std::string> directories;
  tree.for_each_directory([&](DirId id) { directories.insert(tree.path(tree.node(id))); });
  for (const ScanError& error : scan.errors) {
    const bool is_of_directory = directories.contains(error.path);
    paths.push_back(is_of_directory ? error.path + "/ has an error" : error.path);
  }
  std::sort(paths.begin(), paths.end());
  return std::adjacent_find(paths.begin(), paths.end()) == paths.end();
}

void expect_survives(const NcduImport& found) {
  const std::string first = export_of(found);
  const NcduImport back = read_ncdu(text_source(first));
  testing::always(export_of(back) == first, "an export changed when it was read and written again");
  const Counts before = Totals(found.scan.tree).whole();
  const Counts after = Totals(back.scan.tree).whole();
  testing::always(before.entries() == after.entries(), "an entry was lost");
  testing::always(before.disk_bytes == after.disk_bytes, "disk_bytes changed");
  testing::always(before.apparent_bytes == after.apparent_bytes, "apparent_bytes changed");
  testing::always(found.scan.errors.size() == back.scan.errors.size(), "an error was lost");
  testing::always(found.scan.excluded.size() == back.scan.excluded.size(),
                  "an excluded entry was lost");
  testing::always(found.scan.filtered_out == back.scan.filtered_out,
                  "a filtered-out entry was lost");
}

void check(std::string_view text) {
  std::optional<NcduImport> found;
  try {
    found = read_ncdu(text_source(text));
  } catch (const base::Error&) {  // expected for most texts
    return;
  }
  if (has_unique_paths(found->scan)) expect_survives(*found);
}

}  // namespace
}  // namespace fathom::fs

// libFuzzer requires this name. NOLINTNEXTLINE(readability-identifier-naming)
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fathom::fs::check({reinterpret_cast<const char*>(data), size});
  return 0;
}
