// make_engine: creates one of the four engines.

#include "engine/make_engine.h"

#include "engine/lockfree.h"
#include "engine/pool.h"
#include "engine/serial.h"
#include "engine/steal.h"

namespace fathom::fs {

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
    case Engine::automatic:
    case Engine::btrfs:
    case Engine::ext4:
    case Engine::xfs:
      break;
  }
  return std::make_unique<LockfreeEngine>(threads, limit, observer);
}

}  // namespace fathom::fs
