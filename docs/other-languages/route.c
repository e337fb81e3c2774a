// Writes the shard of every key of standard input, one key on each line:
//   route SHARDS [jump|fastrange|modulo] [SEED] [text|u64] [DOWN,DOWN,...]
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

static uint64_t hash_text(const char *key, size_t length, uint64_t seed) { return XXH64(key, length, seed); }

static uint64_t hash_u64(uint64_t key, uint64_t seed) {
  unsigned char bytes[8];
  for (int i = 0; i < 8; i++) bytes[i] = (unsigned char)(key >> 8 * i);
  return XXH64(bytes, 8, seed);
}

static uint32_t jump(uint64_t key, uint32_t buckets) {
  int64_t bucket = -1, next = 0;
  while (next < buckets) {
    bucket = next;
    key = key * 2862933555777941757u + 1;
    next = (int64_t)((double)(bucket + 1) * ((double)(1u << 31) / (double)((key >> 33) + 1)));
  }
  return (uint32_t)bucket;
}

static uint32_t fastrange(uint64_t hash, uint32_t shards) {
  return (uint32_t)((unsigned __int128)hash * shards >> 64);
}

static uint32_t modulo(uint64_t hash, uint32_t shards) { return (uint32_t)(hash % shards); }

static uint64_t mix(uint64_t x) {
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
  x = (x ^ x >> 27) * 0x94d049bb133111ebu;
  return x ^ x >> 31;
}

#define GAMMA 0x9e3779b97f4a7c15u

struct router {
  uint32_t shards;
  uint32_t (*place)(uint64_t hash, uint32_t shards);
  uint32_t *down;
  size_t downs;
};

static bool is_down(const struct router *router, uint32_t shard) {
  for (size_t i = 0; i < router->downs; i++)
    if (router->down[i] == shard) return true;
  return false;
}

static uint32_t route(const struct router *router, uint64_t hash) {
  uint64_t tried = hash;
  for (uint64_t probe = 1; probe <= 257; probe++) {
    const uint32_t shard = router->place(tried, router->shards);
    if (!is_down(router, shard)) return shard;
    tried = mix(hash + probe * GAMMA);
  }
  uint32_t best = 0;
  uint64_t highest = 0;
  for (uint32_t shard = 0; shard < router->shards; shard++) {
    const uint64_t score = mix(mix(shard + GAMMA) + hash);
    if (score >= highest && !is_down(router, shard)) best = shard, highest = score;
  }
  return best;
}

int main(int argc, char **argv) {
  const uint32_t shards = argc > 1 ? (uint32_t)strtoul(argv[1], NULL, 10) : 10;
  const char *strategy = argc > 2 ? argv[2] : "jump";
  const uint64_t seed = argc > 3 ? strtoull(argv[3], NULL, 10) : 0;
  const bool is_u64 = argc > 4 && strcmp(argv[4], "u64") == 0;
  struct router router = {shards, jump, NULL, 0};
  if (strcmp(strategy, "fastrange") == 0) router.place = fastrange;
  if (strcmp(strategy, "modulo") == 0) router.place = modulo;
  if (argc > 5) router.down = calloc(strlen(argv[5]), sizeof *router.down);
  for (char *text = argc > 5 ? strtok(argv[5], ",") : NULL; text != NULL; text = strtok(NULL, ","))
    router.down[router.downs++] = (uint32_t)strtoul(text, NULL, 10);

  char *line = NULL;
  size_t room = 0;
  for (ssize_t length; (length = getline(&line, &room, stdin)) >= 0;) {
    if (length > 0 && line[length - 1] == '\n') line[--length] = 0;
    const uint64_t hash = is_u64 ? hash_u64(strtoull(line, NULL, 10), seed) : hash_text(line, (size_t)length, seed);
    printf("%u\n", route(&router, hash));
  }
  return ferror(stdin) ? 1 : 0;
}
