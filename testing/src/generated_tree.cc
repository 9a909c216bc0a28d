// GeneratedTree: std::mt19937_64 with hand-written distributions.

#include "fathom/testing/generated_tree.h"

#include <algorithm>
#include <array>
#include <random>
#include <string_view>

namespace fathom::testing {
namespace {

// Patterns of names. A number is appended to each, so that all names are different.
constexpr std::array<std::string_view, 8> kStems = {
    "file", "photo", "a name with blanks", "na\xc3\xafve", "\xff\xfe", "line\nbreak", "-n", "...",
};
constexpr std::array<std::string_view, 6> kExtensions = {".txt", ".jpg", ".tar.gz", ".CC", ".", ""};

class Generator {
 public:
  Generator(TempTree& tree, const GeneratedTree& wanted)
      : tree_(tree), wanted_(wanted), random_(wanted.seed) {}

  GeneratedPaths make() {
    make_directories();
    for (const std::string& directory : made_.directories) make_files(directory);
    if (!made_.files.empty()) make_hard_links();
    make_symlinks();
    return std::move(made_);
  }

 private:
  // A number below the bound. The distributions of the standard library differ between
  // implementations; a slight bias towards small numbers does no harm here.
  std::size_t below(std::size_t bound) { return static_cast<std::size_t>(random_() % bound); }

  template <class Container>
  const auto& any_of(const Container& container) {
    return container[below(container.size())];
  }

  static std::string join(const std::string& directory, const std::string& name) {
    return directory == "." ? name : directory + '/' + name;
  }

  std::string next_name() {
    std::string name(any_of(kStems));
    name += std::to_string(names_++);
    name += any_of(kExtensions);
    return name;
  }

  void make_directories() {
    made_.directories = {"."};
    std::vector<std::size_t> depths = {0};
    std::vector<std::size_t> parents = {0};  // those that may have further directories in them
    for (std::size_t i = 0; i < wanted_.directories; ++i) {
      const std::size_t parent = any_of(parents);
      made_.directories.push_back(join(made_.directories[parent], next_name()));
      depths.push_back(depths[parent] + 1);
      if (depths.back() < wanted_.max_depth) parents.push_back(depths.size() - 1);
      tree_.dir(made_.directories.back());
    }
  }

  // Uniform in the number of bits: small sizes are as likely as large ones, up to 128 KiB.
  std::size_t next_size() {
    const std::size_t bits = below(18);
    return below(std::size_t{1} << bits);
  }

  void make_files(const std::string& directory) {
    const std::size_t count = below(2 * wanted_.files_per_directory + 1);
    for (std::size_t i = 0; i < count; ++i) {
      made_.files.push_back(join(directory, next_name()));
      tree_.file(made_.files.back(), next_size());
    }
  }

  void make_hard_links() {
    for (std::size_t i = 0; i < wanted_.hard_links; ++i) {
      const std::string& directory = any_of(made_.directories);
      made_.hard_links.push_back(join(directory, next_name()));
      tree_.hardlink(any_of(made_.files), made_.hard_links.back());
    }
  }

  // Relative, because absolute targets would differ between trees.
  std::string next_target(const std::string& link) {
    std::string target;
    for (auto up = std::count(link.begin(), link.end(), '/'); up > 0; --up) target += "../";
    const std::size_t kind = below(3);
    if (kind == 0) return target + any_of(made_.directories);
    if (kind == 1 && !made_.files.empty()) return target + any_of(made_.files);
    return target + "nowhere/" + next_name();
  }

  void make_symlinks() {
    for (std::size_t i = 0; i < wanted_.symlinks; ++i) {
      const std::string& directory = any_of(made_.directories);
      made_.symlinks.push_back(join(directory, next_name()));
      tree_.symlink(next_target(made_.symlinks.back()), made_.symlinks.back());
    }
  }

  TempTree& tree_;
  const GeneratedTree& wanted_;
  std::mt19937_64 random_;
  std::size_t names_ = 0;  // names generated so far
  GeneratedPaths made_;
};

}  // namespace

GeneratedPaths generate(TempTree& tree, const GeneratedTree& wanted) {
  return Generator(tree, wanted).make();
}

}  // namespace fathom::testing
