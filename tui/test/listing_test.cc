// Tests of Listing: a window is the same as if everything had been sorted.

#include "model/listing.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "sample.h"

namespace fathom::tui {
namespace {

std::vector<std::string> names_of(Listing& listing, std::size_t begin, std::size_t end) {
  listing.show(begin, end);
  std::vector<std::string> names;
  for (std::size_t i = begin; i < std::min(end, listing.size()); ++i) {
    names.emplace_back(listing.name(i));
  }
  return names;
}

TEST(Listing, AnyWindowIsThatOfTheWholeOrder) {
  const auto facts = flat_facts(30'000);
  const Items items = facts->in(facts->top());
  std::minstd_rand random(3);
  for (const SortKey key : {SortKey::size, SortKey::name, SortKey::items, SortKey::modified}) {
    for (const bool reverse : {false, true}) {
      const Arrangement how{.key = key, .reverse = reverse};
      Listing whole(*facts, items, how);
      const std::vector<std::string> all = names_of(whole, 0, whole.size());
      Listing windows(*facts, items, how);
      for (int i = 0; i < 60; ++i) {
        const std::size_t begin = i % 5 == 0 ? 29'980 : random() % 30'000;
        const auto found = names_of(windows, begin, begin + 1 + random() % 60);
        const auto at = all.begin() + static_cast<std::ptrdiff_t>(begin);
        ASSERT_TRUE(std::equal(found.begin(), found.end(), at)) << begin;
      }
    }
  }
}

TEST(Listing, OrdersAsSaid) {
  const auto facts = flat_facts(5'000);
  const fs::Tree& tree = facts->tree();
  Listing listing(*facts, facts->in(facts->top()), {.key = SortKey::size});
  listing.show(0, listing.size());
  for (std::size_t i = 1; i < listing.size(); ++i) {
    const auto before = std::pair(~tree.blocks(listing.at(i - 1).node), listing.name(i - 1));
    EXPECT_LE(before, std::pair(~tree.blocks(listing.at(i).node), listing.name(i)));
  }
  (void)listing.arrange({.key = SortKey::name}, 0);
  const auto names = names_of(listing, 0, listing.size());
  EXPECT_TRUE(std::is_sorted(names.begin(), names.end()));
}

TEST(Listing, KeepsTheSelectedRowWhenTheOrderChanges) {
  const auto facts = flat_facts(20'000);
  Listing listing(*facts, facts->in(facts->top()), {});
  listing.show(5'000, 5'020);
  const std::string name(listing.name(5'010));
  std::size_t at = 5'010;
  for (const SortKey key : {SortKey::name, SortKey::modified, SortKey::size}) {
    at = listing.arrange({.key = key}, at);
    listing.show(at, at + 1);
    EXPECT_EQ(listing.name(at), name);
  }
  EXPECT_EQ(at, 5'010U);
}

TEST(Listing, TurnsAroundAsIfItHadBeenSortedThatWay) {
  const auto facts = flat_facts(9'000);
  const Items items = facts->in(facts->top());
  for (const SortKey key : {SortKey::size, SortKey::name, SortKey::items, SortKey::modified}) {
    Listing turned(*facts, items, {.key = key});
    turned.show(100, 160);
    const std::string name(turned.name(130));
    const std::size_t at = turned.arrange({.key = key, .reverse = true}, 130);
    EXPECT_EQ(turned.name(at), name);
    Listing direct(*facts, items, {.key = key, .reverse = true});
    EXPECT_EQ(names_of(turned, 0, 9'000), names_of(direct, 0, 9'000));
  }
}

TEST(Listing, NarrowsAndWidens) {
  const auto facts = flat_facts(3'000);
  Listing listing(*facts, facts->in(facts->top()), {.key = SortKey::name});
  listing.narrow("1");
  const std::size_t with_1 = listing.size();
  listing.narrow("12");
  EXPECT_LT(listing.size(), with_1);
  const auto narrowed = names_of(listing, 0, listing.size());
  Listing direct(*facts, facts->in(facts->top()), {.key = SortKey::name});
  direct.narrow("12");
  EXPECT_EQ(names_of(direct, 0, direct.size()), narrowed);
  listing.narrow("");
  EXPECT_EQ(listing.size(), 3'000U);
  listing.narrow("*.LOG");
  EXPECT_EQ(listing.size(), 1'000U);
}

TEST(Listing, StaysInOrderWhenRowsAreDropped) {
  const auto facts = flat_facts(30'000);
  Listing narrowed(*facts, facts->in(facts->top()), {});
  narrowed.show(0, 60);
  narrowed.show(20'000, 20'060);
  narrowed.narrow("1");
  narrowed.narrow("12");
  Listing direct(*facts, facts->in(facts->top()), {});
  direct.narrow("12");
  EXPECT_EQ(names_of(narrowed, 0, narrowed.size()), names_of(direct, 0, direct.size()));
  narrowed.narrow("12-nothing");
  EXPECT_EQ(narrowed.size(), 0U);
  narrowed.narrow("");
  EXPECT_EQ(narrowed.size(), 30'000U);
}

TEST(Listing, HidesAndShowsRowsAroundTheSelectedOne) {
  const auto facts = sample_facts();
  const Items items = facts->in(facts->top());
  Listing listing(*facts, items, {.key = SortKey::name});
  const std::vector<std::string> all = names_of(listing, 0, listing.size());
  const auto place = [](const std::vector<std::string>& names, std::string_view name) {
    return static_cast<std::size_t>(std::find(names.begin(), names.end(), name) - names.begin());
  };
  std::size_t at = listing.arrange({.key = SortKey::name, .hidden = false}, place(all, "notes.md"));
  const std::vector<std::string> shown = names_of(listing, 0, listing.size());
  EXPECT_EQ(shown.size(), all.size() - 3);  // .profile and two that were excluded
  EXPECT_EQ(at, place(shown, "notes.md"));
  at = listing.arrange({.key = SortKey::name}, at);
  EXPECT_EQ(names_of(listing, 0, listing.size()), all);
  EXPECT_EQ(at, place(all, "notes.md"));
  EXPECT_EQ(listing.arrange({.key = SortKey::name, .hidden = false}, place(all, ".profile")), 0U);
}

TEST(Listing, FindsARowByItsNode) {
  const auto facts = flat_facts(9'000);
  Listing listing(*facts, facts->in(facts->top()), {.key = SortKey::name});
  const fs::NodeId node = facts->in(facts->top()).others[4'321];
  const std::size_t at = listing.find(node);
  ASSERT_NE(at, Listing::kNone);
  listing.show(at, at + 1);
  EXPECT_EQ(listing.at(at).node, node);
  EXPECT_EQ(listing.find(fs::kNoNode - 1), Listing::kNone);
}

}  // namespace
}  // namespace fathom::tui
