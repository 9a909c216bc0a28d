// ShardRequest: what `fathom scan --shard` is asked for.

#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "fathom/fs/shard.h"
#include "fathom/store/part_folder.h"

namespace fathom::cli {

struct ShardRequest {
  bool wanted = false;
  std::optional<std::string> into;  // the folder of the parts
  store::PartWork work = {};        // what to scan
  fs::Shard budget = {};            // without the paths where it begins
  std::size_t batches = 8;          // of what is left over, at most
  bool dies_with_parent = false;
  std::vector<std::string> selection = {};  // the flags that decide what counts, as given
};

}  // namespace fathom::cli
