// PathLess: compares paths at the point where they diverge, which Ancestors finds.

#include "tree/path_less.h"

#include <algorithm>
#include <cstddef>

namespace fathom::fs {

// A path from its root, in pieces.
class PathLess::Spelling {
 public:
  Spelling(const PathLess& of, NodeId node)
      : of_(of), node_(node), in_(of.tree_.parent(node)), depth_(in_ == kNoDir ? 0 : depth_in()) {}

  // Returns an empty piece at the end.
  std::string_view next() {
    if (slash_) {
      slash_ = false;
      return "/";
    }
    while (at_ <= depth_) {
      const std::string_view name = of_.tree_.name(at_ == depth_ ? node_ : above(at_));
      ++at_;
      if (name.empty()) continue;
      slash_ = at_ <= depth_ && name.back() != '/';
      return name;
    }
    return {};
  }

 private:
  [[nodiscard]] std::uint32_t depth_in() const { return of_.tree_.depth(in_) + 1; }
  [[nodiscard]] NodeId above(std::uint32_t depth) const {
    return of_.tree_.node(of_.ancestors_.at_depth(in_, depth));
  }

  const PathLess& of_;
  const NodeId node_;
  const DirId in_;
  const std::uint32_t depth_;  // of the node
  std::uint32_t at_ = 0;       // the depth of the next name
  bool slash_ = false;         // precedes the next name
};

// The node itself, or its ancestor, that is directly in `from`.
NodeId PathLess::step_to(NodeId node, DirId from) const {
  const DirId in = tree_.parent(node);
  if (in == from) return node;
  return tree_.node(ancestors_.at_depth(in, from == kNoDir ? 0 : tree_.depth(from) + 1));
}

bool PathLess::operator()(NodeId a, NodeId b) const {
  const DirId common = ancestors_.common(tree_.parent(a), tree_.parent(b));
  const NodeId at_a = step_to(a, common);
  const NodeId at_b = step_to(b, common);
  if (at_a == at_b) return at_b != b;  // one is inside the other
  if (common == kNoDir) return less_between_roots(a, b);
  return name_less(tree_.name(at_a), at_a != a, tree_.name(at_b), at_b != b);
}

// Roots may be nested or equal: most paths differ within their first names.
bool PathLess::less_between_roots(NodeId a, NodeId b) const {
  Spelling spelling_a(*this, a);
  Spelling spelling_b(*this, b);
  std::string_view rest_a;
  std::string_view rest_b;
  for (;;) {
    if (rest_a.empty()) rest_a = spelling_a.next();
    if (rest_b.empty()) rest_b = spelling_b.next();
    const std::size_t common = std::min(rest_a.size(), rest_b.size());
    if (common == 0) break;
    const int order = rest_a.compare(0, common, rest_b, 0, common);
    if (order != 0) return order < 0;
    rest_a.remove_prefix(common);
    rest_b.remove_prefix(common);
  }
  if (rest_a.empty() != rest_b.empty()) return rest_a.empty();
  return tree_.root_index(step_to(a, kNoDir)) < tree_.root_index(step_to(b, kNoDir));
}

// A name that is a prefix of the other is followed by a slash or by nothing.
bool name_less(std::string_view a, bool more_a, std::string_view b, bool more_b) {
  const std::size_t common = std::min(a.size(), b.size());
  if (const int order = a.compare(0, common, b, 0, common); order != 0) return order < 0;
  const auto next = [common](std::string_view name, bool more) {
    if (common < name.size()) return static_cast<int>(static_cast<unsigned char>(name[common]));
    return more ? '/' : -1;
  };
  return next(a, more_a) < next(b, more_b);
}

}  // namespace fathom::fs
