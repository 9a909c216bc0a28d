// WorkEngine: creates one of the four engines.

#include "engine/engine.h"

#include <array>
#include <utility>

#include "engine/lockfree.h"
#include "engine/pool.h"
#include "engine/serial.h"
#include "engine/steal.h"

namespace fathom::fs {

namespace {

constexpr std::array<std::pair<Engine, std::string_view>, 4> kNames = {{
    {Engine::serial, "serial"},
    {Engine::pool, "pool"},
    {Engine::steal, "steal"},
    {Engine::lockfree, "lockfree"},
}};

}  // namespace

std::string_view to_string(Engine engine) {
  for (const auto& [value, name] : kNames) {
    if (value == engine) return name;
  }
  return "";
}

std::optional<Engine> parse_engine(std::string_view text) {
  for (const auto& [value, name] : kNames) {
    if (name == text) return value;
  }
  return std::nullopt;
}

std::unique_ptr<WorkEngine> make_engine(Engine engine, unsigned threads, unsigned limit,
                                        const rt::Observer* observer) {
  switch (engine) {
    case Engine::serial:
      return std::make_unique<SerialEngine>(observer);
    case Engine::pool:
      return std::make_unique<PoolEngine>(threads, observer);
    case Engine::steal:
      return std::make_unique<StealEngine>(threads, observer);
    case Engine::lockfree:
      break;
  }
  return std::make_unique<LockfreeEngine>(threads, limit, observer);
}

}  // namespace fathom::fs
