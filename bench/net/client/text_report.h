// What an experiment found, for people: tables that fit into 80 columns.

#pragma once

#include <string>
#include <vector>

#include "net/client/experiment.h"

namespace fathom::bench {

// For each number of clients: how long round trips took, and what they cost.
std::string text_report(const Plan& plan, const std::vector<Block>& blocks);

// The tables of the seed: what one message takes, by the number of clients; and, of the block
// `switches`, which thread gave up its processor how often.
std::string seed_tables(const Plan& plan, const std::vector<Block>& blocks, const Block& switches);

}  // namespace fathom::bench
