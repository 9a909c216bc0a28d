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

inline constexpr std::int64_t kSampleNow = 1'790'000'000;  // 2026-09-21

// A home directory with all that has a sign of its own: hard links, excluded and unreadable
// directories, names that terminals would interpret.
[[nodiscard]] std::shared_ptr<const Facts> sample_facts(bool running = false);

// One directory with that many files.
[[nodiscard]] std::shared_ptr<const Facts> flat_facts(std::uint32_t files);

// The browser with the sample, including its extras.
[[nodiscard]] State sample_state(bool unicode = true);

// Facts and extras of it, so that a test needs no other thread.
void supply_extras(State& state);

// "jj<Enter>/log<Esc>": characters, and names of keys. "<<" is the character.
[[nodiscard]] std::vector<Key> keys_of(std::string_view words);

// Presses them all, and supplies extras wherever they are wanted. Returns the last effect that is
// one.
Effect type(State& state, std::string_view words);

}  // namespace fathom::tui
