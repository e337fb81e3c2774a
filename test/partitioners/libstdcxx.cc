// Reads keys, each after its length (4 bytes, little-endian), to the end of its input. Writes for each its hash by
// std::hash (uint64), and floor(hash * n / 2^64) for every n among its arguments (uint64).
//   g++ -o libstdcxx libstdcxx.cc
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>

#if !defined(__GLIBCXX__) || __SIZEOF_SIZE_T__ != 8
#error "only libstdc++ with 64 bits has this hash"
#endif

int main(int argc, char **argv) {
  uint32_t length;
  std::string key;
  while (std::fread(&length, 4, 1, stdin) == 1) {
    key.resize(length);
    if (std::fread(&key[0], 1, length, stdin) != length) return 1;
    const uint64_t hash = std::hash<std::string>{}(key);
    if (hash != std::_Hash_bytes(key.data(), length, 0xc70f6907UL)) return 1;
    std::fwrite(&hash, 8, 1, stdout);
    for (int i = 1; i < argc; i++) {
      const uint64_t shards = std::strtoull(argv[i], nullptr, 10);
      const uint64_t shard = static_cast<uint64_t>((static_cast<unsigned __int128>(hash) * shards) >> 64);
      std::fwrite(&shard, 8, 1, stdout);
    }
  }
  return 0;
}
