// InodeTable and NameTable: what was read in bulk is found, and nothing else.

#include <dirent.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "volume/inode_table.h"
#include "volume/name_table.h"

namespace fathom::fs {
namespace {

// ---- InodeTable

// An inode that can be told from others.
Inode inode_of_size(std::uint64_t size) {
  return {.size = size, .mode = S_IFREG | 0644};
}

InodeTable::Part part_of_numbers(const std::vector<std::uint64_t>& numbers) {
  InodeTable::Part part;
  for (const std::uint64_t number : numbers) part.add(number, inode_of_size(number));
  return part;
}

bool has(const InodeTable& table, std::uint64_t number) {
  const Inode* const found = table.find(number);
  return found != nullptr && found->size == number;
}

using Inodes = std::map<std::uint64_t, std::uint64_t>;  // sizes by number

// Ascending numbers with random gaps, from small numbers to the highest one.
std::vector<std::uint64_t> random_numbers(std::mt19937_64& random) {
  constexpr std::uint64_t kHighest = std::numeric_limits<std::uint64_t>::max();
  std::vector<std::uint64_t> numbers;
  for (const std::uint64_t begin :
       {std::uint64_t{1}, std::uint64_t{1} << 32, std::uint64_t{1} << 63, kHighest - 200}) {
    const std::uint64_t widest = std::uint64_t{1} << random() % 12;  // 1: all numbers are used
    std::uint64_t number = begin + random() % 64;
    for (int i = 0; i < 150 && number >= begin; ++i) {
      numbers.push_back(number);
      number += 1 + random() % widest;
    }
  }
  return numbers;
}

// Cuts the numbers at random places, also inside of groups of 64, into parts in any order.
InodeTable random_table(const std::vector<std::uint64_t>& numbers, std::mt19937_64& random,
                        Inodes& oracle) {
  std::vector<InodeTable::Part> parts(1);
  for (const std::uint64_t number : numbers) {
    if (random() % 40 == 0) parts.resize(parts.size() + 1 + random() % 2);  // some stay empty
    oracle[number] = random();
    parts.back().add(number, inode_of_size(oracle[number]));
  }
  std::shuffle(parts.begin(), parts.end(), random);
  return InodeTable(std::move(parts));
}

void expect_same_inodes(const InodeTable& table, const Inodes& oracle,
                        const std::vector<std::uint64_t>& numbers) {
  for (const std::uint64_t number : numbers) {
    for (const std::uint64_t near :
         {number - 64, number - 1, number, number + 1, number + 63, number + 64}) {
      const auto expected = oracle.find(near);
      const Inode* const found = table.find(near);
      ASSERT_EQ(found != nullptr, expected != oracle.end()) << near;
      if (found == nullptr) continue;
      ASSERT_EQ(found->size, expected->second) << near;
    }
  }
}

TEST(InodeTable, FindsWhatWasAddedAndNotForgotten) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937_64 random(seed);
    const std::vector<std::uint64_t> numbers = random_numbers(random);
    Inodes oracle;
    InodeTable table = random_table(numbers, random, oracle);
    EXPECT_EQ(table.size(), oracle.size());
    ASSERT_NO_FATAL_FAILURE(expect_same_inodes(table, oracle, numbers));
    for (const std::uint64_t number : numbers) {
      const std::uint64_t victim = number + random() % 3;
      if (random() % 2 == 0) continue;
      table.forget(victim);
      oracle.erase(victim);
    }
    ASSERT_NO_FATAL_FAILURE(expect_same_inodes(table, oracle, numbers));
  }
}

TEST(InodeTable, FindsBothPartsOfAGroupOf64) {
  const InodeTable table({part_of_numbers({64, 70, 99}), part_of_numbers({100, 127, 128})});
  for (const std::uint64_t number : {64U, 70U, 99U, 100U, 127U, 128U}) {
    EXPECT_TRUE(has(table, number)) << number;
  }
  for (const std::uint64_t number : {0U, 63U, 65U, 98U, 101U, 126U, 129U}) {
    EXPECT_EQ(table.find(number), nullptr) << number;
  }
}

TEST(InodeTable, HasNothingWithoutParts) {
  InodeTable table({InodeTable::Part(), InodeTable::Part()});
  table.forget(1);
  EXPECT_EQ(table.find(1), nullptr);
  EXPECT_EQ(table.size(), 0U);
  EXPECT_EQ(InodeTable().find(0), nullptr);
}

TEST(InodeTable, KeepsTheNeighboursOfAForgottenInode) {
  InodeTable table({part_of_numbers({7, 8, 9})});
  table.forget(8);
  table.forget(10);
  EXPECT_TRUE(has(table, 7));
  EXPECT_EQ(table.find(8), nullptr);
  EXPECT_TRUE(has(table, 9));
}

TEST(Inode, BecomesAnEntryWithAllItsFacts) {
  const Inode inode{.size = 1,
                    .blocks = 2,
                    .mtime = 3'999'999'999,
                    .ctime = 4,
                    .btime = 5,
                    .uid = 6,
                    .gid = 7,
                    .links = 8,
                    .mode = S_IFDIR | 0755};
  const Entry entry = inode.entry(9, 10);
  EXPECT_EQ(entry.size, 1U);
  EXPECT_EQ(entry.blocks, 2U);
  EXPECT_EQ(entry.mtime, 3);
  EXPECT_EQ(entry.times.mtime, 3'999'999'999);
  EXPECT_EQ(entry.times.ctime, 4);
  EXPECT_EQ(entry.times.btime, 5);
  EXPECT_EQ(entry.uid, 6U);
  EXPECT_EQ(entry.gid, 7U);
  EXPECT_EQ(entry.links, 8U);
  EXPECT_EQ(entry.mode, S_IFDIR | 0755);
  EXPECT_EQ(entry.inode, 9U);
  EXPECT_EQ(entry.device, 10U);
}

TEST(Inode, RoundsTimesBefore1970TowardsThePast) {
  const auto seconds = [](std::int64_t mtime) { return Inode{.mtime = mtime}.entry(1, 1).mtime; };
  EXPECT_EQ(seconds(1), 0);
  EXPECT_EQ(seconds(0), 0);
  EXPECT_EQ(seconds(-1), -1);
  EXPECT_EQ(seconds(-999'999'999), -1);
  EXPECT_EQ(seconds(-1'000'000'000), -1);
  EXPECT_EQ(seconds(-1'000'000'001), -2);
}

// ---- NameTable

struct KnownName {
  std::string name;
  std::uint64_t inode;
  std::uint8_t type;
  bool operator==(const KnownName&) const = default;
};

std::vector<KnownName> names_of(const NameTable& table, std::uint64_t directory) {
  std::vector<KnownName> names;
  table.for_each_name(directory, [&](const NameTable::Name& name) {
    names.push_back({name.name, name.inode, name.type});
    return true;
  });
  return names;
}

NameTable table_of(NameTable::Part part) {
  std::vector<NameTable::Part> parts;
  parts.push_back(std::move(part));
  return NameTable(std::move(parts));
}

std::string random_name_of_bytes(std::mt19937_64& random) {
  std::string name(1 + random() % 255, 0);
  for (char& byte : name) byte = static_cast<char>(1 + random() % 255);
  return name;
}

TEST(NameTable, HasTheNamesOfManyPartsInTheirOrder) {
  constexpr std::uint64_t kDirectories = 200;
  std::mt19937_64 random(1);
  std::map<std::uint64_t, std::vector<KnownName>> oracle;
  std::vector<NameTable::Part> parts(4);
  for (NameTable::Part& part : parts) {
    // 1 MiB, so that several directories continue in a further block.
    for (int listing = 0; listing < 200; ++listing) {
      const std::uint64_t directory = 2 * (random() % kDirectories);
      part.begin(directory);
      std::vector<KnownName>& expected = oracle[directory];
      for (std::uint64_t left = random() % 80; left > 0; --left) {
        expected.push_back({random_name_of_bytes(random), random(), std::uint8_t(random())});
        part.add(expected.back().name, expected.back().inode, expected.back().type);
      }
    }
  }
  const NameTable table(std::move(parts));
  for (std::uint64_t directory = 0; directory < 2 * kDirectories; ++directory) {
    SCOPED_TRACE(directory);
    EXPECT_EQ(table.knows(directory), oracle.count(directory) == 1);
    EXPECT_EQ(names_of(table, directory), oracle[directory]);
  }
}

// A block has 256 KiB, and each name takes 11 bytes more than its length.
TEST(NameTable, KeepsNamesAtTheEdgeOfABlock) {
  constexpr std::size_t kBlock = std::size_t{256} * 1024;
  constexpr std::size_t kFull = kBlock / 266;
  for (const std::size_t last :
       {kBlock - kFull * 266 - 12, kBlock - kFull * 266 - 11, kBlock - kFull * 266 - 10}) {
    SCOPED_TRACE(last);
    NameTable::Part part;
    part.begin(1, 9);
    std::vector<KnownName> expected(kFull, {std::string(255, 'n'), 7, DT_REG});
    expected.push_back({std::string(last, 'l'), 8, DT_LNK});
    for (const KnownName& name : expected) part.add(name.name, name.inode, name.type);
    part.begin(2, 1);
    part.begin(3, 1);
    part.add("x", 10, DT_DIR);
    const NameTable table = table_of(std::move(part));
    EXPECT_EQ(names_of(table, 1), expected);
    EXPECT_TRUE(table.knows(1, 9));
    EXPECT_TRUE(table.knows(2, 1));
    EXPECT_TRUE(names_of(table, 2).empty());
    EXPECT_EQ(names_of(table, 3), (std::vector<KnownName>{{"x", 10, DT_DIR}}));
  }
}

TEST(NameTable, KnowsEmptyDirectoriesButNotOthers) {
  NameTable::Part part;
  part.begin(5, 2);
  const NameTable table = table_of(std::move(part));
  EXPECT_TRUE(table.knows(5));
  EXPECT_TRUE(names_of(table, 5).empty());
  for (const std::uint64_t other : {0U, 4U, 6U}) EXPECT_FALSE(table.knows(other));
  EXPECT_FALSE(NameTable().knows(5));
}

TEST(NameTable, KnowsTheParentIfAnyPartTells) {
  std::vector<NameTable::Part> parts(3);
  parts[0].begin(5);  // blocks of a directory that are not the first
  parts[1].begin(5, 2);
  parts[2].begin(5);
  parts[2].begin(6);
  const NameTable table(std::move(parts));
  EXPECT_TRUE(table.knows(5, 2));
  EXPECT_FALSE(table.knows(5, 3));
  EXPECT_FALSE(table.knows(6, 2));
  EXPECT_FALSE(table.knows(7, 2));
}

// Blocks of a damaged directory may disagree.
TEST(NameTable, KnowsOneParentOfADirectory) {
  std::vector<NameTable::Part> parts(2);
  parts[0].begin(5, 2);
  parts[1].begin(5, 3);
  const NameTable table(std::move(parts));
  EXPECT_TRUE(table.knows(5, 2));
  EXPECT_FALSE(table.knows(5, 3));
}

TEST(NameTable, StopsAtTheNameThatTheCallerWants) {
  std::vector<NameTable::Part> parts(2);
  for (NameTable::Part& part : parts) {
    part.begin(1);
    for (const char* const name : {"a", "b"}) part.add(name, 1, DT_REG);
  }
  const NameTable table(std::move(parts));
  std::string seen;
  table.for_each_name(1, [&](const NameTable::Name& name) {
    seen += name.name;
    return seen != "ab";
  });
  EXPECT_EQ(seen, "ab");
}

}  // namespace
}  // namespace fathom::fs
