// A game of three levels. At its end a level frees what it loaded, except the scores, which it
// keeps, and some meshes, which it forgets: they stay between the freed textures, and the heap
// falls into pieces.

#include <cstddef>
#include <cstdlib>
#include <string>
#include <vector>

constexpr int kTextures = 24;
constexpr int kTicks = 40;

static std::vector<void*> scores;

static void* read_file(int level) {
  return std::malloc(300000 + 10000 * level);
}
static void* load_texture(int level, int number) {
  return std::malloc(6000 + 700 * ((level + number) % 9));
}
static void* load_mesh(int number) {
  return std::malloc(900 + 64 * (number % 11));
}
static void* spawn_actor() {
  return std::malloc(232);
}
static std::string* name_actor(int number) {
  return new std::string("an actor with a long name, number " + std::to_string(number));
}
static void keep_score(int level) {
  scores.push_back(std::malloc(48 + level));
}

static void play(int level) {
  void* const file = read_file(level);
  std::vector<void*> textures, meshes, actors;
  std::vector<std::string*> names;
  for (int i = 0; i < kTextures; i++) {
    textures.push_back(load_texture(level, i));
    meshes.push_back(load_mesh(i));
    meshes.push_back(load_mesh(i + 1));
    if (i % 6 == 0) keep_score(level);
  }
  std::free(file);
  for (int tick = 0; tick < kTicks; tick++) {
    actors.push_back(spawn_actor());
    names.push_back(name_actor(tick));
  }
  for (void* const texture : textures) std::free(texture);
  for (std::size_t i = 0; i < meshes.size(); i++) {
    if (i % 8 != 5) std::free(meshes[i]);  // forgets every eighth
  }
  for (void* const actor : actors) std::free(actor);
  for (std::string* const name : names) delete name;
}

int main() {
  for (int level = 0; level < 3; level++) play(level);
  for (void* const score : scores) std::free(score);
  return 0;
}
