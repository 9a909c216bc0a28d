// tables_of(): the Parquet files of a snapshot, to be compared byte by byte.

#pragma once

#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "snapshot/snapshot_files.h"

namespace fathom::store {

inline std::vector<std::string> tables_of(const std::string& folder) {
  std::vector<std::string> tables;
  for (const std::string_view name : {kEntriesName, kDirectoriesName, kErrorsName}) {
    std::ifstream file(folder + '/' + std::string(name), std::ios::binary);
    tables.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
  }
  return tables;
}

}  // namespace fathom::store
