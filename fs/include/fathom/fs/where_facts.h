// TreeFacts: what a scan knows about its entries, for a Where.
//
//   TreeFacts facts(tree, totals, newest, names);
//   facts.look_at(node, directory);
//   where.selects(facts, now);

#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "fathom/fs/newest.h"
#include "fathom/fs/owner_names.h"
#include "fathom/fs/totals.h"
#include "fathom/fs/tree.h"
#include "fathom/fs/where.h"

namespace fathom::fs {

class TreeFacts : public WhereFacts {
 public:
  // All must outlive the object. Each id is looked up once.
  TreeFacts(const Tree& tree, const Totals& totals, const Newest& newest, const OwnerNames& names,
            std::int64_t now)
      : tree_(tree), totals_(totals), newest_(newest), names_(names), now_(now) {}

  // Chooses the entry; `directory` is its second number, or kNoDir.
  void look_at(NodeId node, DirId directory) {
    node_ = node;
    directory_ = directory;
  }

  // Unknown are the rule and the class, which belong to no scan.
  [[nodiscard]] WhereValue value(WhereField field) const override;

 private:
  using Names = std::map<std::uint32_t, std::string>;

  [[nodiscard]] WhereValue newest() const;
  [[nodiscard]] WhereValue name_of(std::uint32_t id, const OwnerNames::NameOf& look_up,
                                   Names& known) const;

  const Tree& tree_;
  const Totals& totals_;
  const Newest& newest_;
  const OwnerNames& names_;
  const std::int64_t now_;
  NodeId node_ = kNoNode;
  DirId directory_ = kNoDir;
  mutable Names users_;
  mutable Names groups_;
  mutable std::string text_;  // of the last answer
};

}  // namespace fathom::fs
