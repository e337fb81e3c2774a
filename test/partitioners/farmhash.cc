// Reads keys, each after its length (4 bytes, little-endian), to the end of its input. Writes for each its fingerprint by
// util::Fingerprint64 (int64), and for every n among its arguments what BigQuery's MOD(ABS(f), n) and MOD(MOD(f, n) + n, n)
// give (int64 each).
//   g++ -o farmhash farmhash.cc -lfarmhash
#include <farmhash.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

int main(int argc, char **argv) {
  uint32_t length;
  std::string key;
  while (std::fread(&length, 4, 1, stdin) == 1) {
    key.resize(length);
    if (std::fread(&key[0], 1, length, stdin) != length) return 1;
    const int64_t fingerprint = static_cast<int64_t>(util::Fingerprint64(key));
    if (fingerprint == INT64_MIN) return 1; // which has no ABS
    std::fwrite(&fingerprint, 8, 1, stdout);
    for (int i = 1; i < argc; i++) {
      const int64_t n = std::strtoll(argv[i], nullptr, 10);
      const int64_t shards[] = {std::llabs(fingerprint) % n, (fingerprint % n + n) % n};
      std::fwrite(shards, 8, 2, stdout);
    }
  }
  return 0;
}
