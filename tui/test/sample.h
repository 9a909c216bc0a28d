// Sample: a scan that looks like a real one, without a filesystem; and keys in words.

#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "grid/key.h"
#include "model/press.h"
#include "model/state.h"

namespace fathom::tui {

inline constexpr std::uint64_t kMiB = 1024 * 1024;
inline constexpr std::int64_t kSampleNow = 1'790'000'000;  // 2026-09-21

// A home directory with all that has a sign of its own: hard links, excluded and unreadable
// directories, names that terminals would interpret.
[[nodiscard]] std::shared_ptr<const Facts> sample_facts(bool running = false);

// One directory with that many files.
[[nodiscard]] std::shared_ptr<const Facts> flat_facts(std::uint32_t files);

// Two roots, with a file each.
[[nodiscard]] std::shared_ptr<const Facts> facts_of_two_roots();

// What rules could say about the sample.
[[nodiscard]] std::shared_ptr<const Findings> sample_clean(std::shared_ptr<const Facts> facts);

// As if some of its files were equal.
[[nodiscard]] std::shared_ptr<const Findings> sample_equal(std::shared_ptr<const Facts> facts);

// As if some of it were new, and something gone, since a snapshot.
[[nodiscard]] std::shared_ptr<const Findings> sample_growth(std::shared_ptr<const Facts> facts);

// The browser with the sample, including its extras.
[[nodiscard]] State sample_state(bool unicode = true);

// What the state asks other threads for: extras, and findings of the sample.
void supply_extras(State& state);
void supply_findings(State& state);

// "jj<Enter>/log<Esc>": characters, and names of keys. "<<" is the character.
[[nodiscard]] std::vector<Key> keys_of(std::string_view words);

// Presses them all, and supplies extras and findings wherever they are wanted. Returns the last
// effect that is one.
Effect type(State& state, std::string_view words);

}  // namespace fathom::tui
