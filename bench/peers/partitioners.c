/* What systems place keys by, in plain C as they have it, one row after the other, over columns in files. Reads a line for
 * each run, such as `kafka 12`, and answers with the nanoseconds it took; the results are then in OUT.
 *   cc -O3 -march=native -o partitioners partitioners.c
 *   ./partitioners KEYS DATA OFFSETS OUT */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>
#include "column.h"

static uint32_t rotl32(uint32_t x, int r) { return (x << r) | (x >> (32 - r)); }
static uint64_t rotl64(uint64_t x, int r) { return (x << r) | (x >> (64 - r)); }
static uint32_t load32(const uint8_t *p) { uint32_t v; memcpy(&v, p, 4); return v; }
static uint64_t load64(const uint8_t *p) { uint64_t v; memcpy(&v, p, 8); return v; }

static uint32_t murmur2(const uint8_t *p, uint32_t len) {
  uint32_t h = 0x9747b28c ^ len;
  for (; len >= 4; p += 4, len -= 4) {
    uint32_t k = load32(p) * 0x5bd1e995;
    k ^= k >> 24;
    h = (h * 0x5bd1e995) ^ (k * 0x5bd1e995);
  }
  switch (len) {
    case 3: h ^= p[2] << 16; /* fall through */
    case 2: h ^= p[1] << 8; /* fall through */
    case 1: h ^= p[0]; h *= 0x5bd1e995;
  }
  h = (h ^ (h >> 13)) * 0x5bd1e995;
  return h ^ (h >> 15);
}

static uint64_t murmur64a(const uint8_t *p, uint64_t len) {
  const uint64_t m = 0xc6a4a7935bd1e995;
  uint64_t h = 0xc70f6907 ^ (len * m);
  for (; len >= 8; p += 8, len -= 8) {
    uint64_t k = load64(p) * m;
    h = (h ^ ((k ^ (k >> 47)) * m)) * m;
  }
  if (len) {
    uint64_t tail = 0;
    for (int i = (int)len - 1; i >= 0; i--) tail = (tail << 8) | p[i];
    h = (h ^ tail) * m;
  }
  h = (h ^ (h >> 47)) * m;
  return h ^ (h >> 47);
}

static uint32_t mix3(uint32_t k) { return rotl32(k * 0xcc9e2d51, 15) * 0x1b873593; }
static uint32_t round3(uint32_t h, uint32_t k) { return rotl32(h ^ mix3(k), 13) * 5 + 0xe6546b64; }

static uint32_t murmur3(const uint8_t *p, uint32_t len, uint32_t h, int spark) {
  uint32_t left = len;
  for (; left >= 4; p += 4, left -= 4) h = round3(h, load32(p));
  if (spark) for (; left; p++, left--) h = round3(h, (uint32_t)(int32_t)(int8_t)*p);
  uint32_t k = 0;
  switch (left) {
    case 3: k ^= p[2] << 16; /* fall through */
    case 2: k ^= p[1] << 8; /* fall through */
    case 1: k ^= p[0]; h ^= mix3(k);
  }
  h ^= len;
  h = (h ^ (h >> 16)) * 0x85ebca6b;
  h = (h ^ (h >> 13)) * 0xc2b2ae35;
  return h ^ (h >> 16);
}

static uint32_t table32[256];
static uint16_t table16[256];

static uint32_t crc32(const uint8_t *p, uint32_t len) {
  uint32_t crc = ~0u;
  while (len--) crc = (crc >> 8) ^ table32[(crc ^ *p++) & 255];
  return ~crc;
}

static uint32_t slot(const uint8_t *p, uint32_t len) {
  uint32_t open, close;
  for (open = 0; open < len && p[open] != '{'; open++);
  if (open < len) {
    for (close = open + 1; close < len && p[close] != '}'; close++);
    if (close < len && close > open + 1) { p += open + 1; len = close - open - 1; }
  }
  uint16_t crc = 0;
  while (len--) crc = (uint16_t)(crc << 8) ^ table16[((crc >> 8) ^ *p++) & 255];
  return crc;
}

#define MIX { a -= c; a ^= rotl32(c, 4); c += b; b -= a; b ^= rotl32(a, 6); a += c; c -= b; c ^= rotl32(b, 8); b += a; \
  a -= c; a ^= rotl32(c, 16); c += b; b -= a; b ^= rotl32(a, 19); a += c; c -= b; c ^= rotl32(b, 4); b += a; }

static uint64_t lookup3(const uint8_t *p, uint32_t len, uint64_t seed) {
  uint32_t a, b, c;
  a = b = c = 0x9e3779b9 + len + 3923095;
  a += (uint32_t)(seed >> 32);
  b += (uint32_t)seed;
  MIX
  for (; len >= 12; p += 12, len -= 12) { a += load32(p); b += load32(p + 4); c += load32(p + 8); MIX }
  switch (len) {
    case 11: c += (uint32_t)p[10] << 24; /* fall through */
    case 10: c += (uint32_t)p[9] << 16; /* fall through */
    case 9: c += (uint32_t)p[8] << 8; /* fall through */
    case 8: b += load32(p + 4); a += load32(p); break;
    case 7: b += (uint32_t)p[6] << 16; /* fall through */
    case 6: b += (uint32_t)p[5] << 8; /* fall through */
    case 5: b += p[4]; /* fall through */
    case 4: a += load32(p); break;
    case 3: a += (uint32_t)p[2] << 16; /* fall through */
    case 2: a += (uint32_t)p[1] << 8; /* fall through */
    case 1: a += p[0];
  }
  c ^= b; c -= rotl32(b, 14); a ^= c; a -= rotl32(c, 11); b ^= a; b -= rotl32(a, 25); c ^= b; c -= rotl32(b, 16);
  a ^= c; a -= rotl32(c, 4); b ^= a; b -= rotl32(a, 14); c ^= b; c -= rotl32(b, 24);
  return ((uint64_t)b << 32) | c;
}

#define SIP { v0 += v1; v1 = rotl64(v1, 13) ^ v0; v0 = rotl64(v0, 32); v2 += v3; v3 = rotl64(v3, 16) ^ v2; \
  v0 += v3; v3 = rotl64(v3, 21) ^ v0; v2 += v1; v1 = rotl64(v1, 17) ^ v2; v2 = rotl64(v2, 32); }

static uint64_t siphash(const uint8_t *p, uint64_t len) {
  uint64_t v0 = 0x736f6d6570736575, v1 = 0x646f72616e646f6d, v2 = 0x6c7967656e657261, v3 = 0x7465646279746573;
  uint64_t left = len, m;
  for (; left >= 8; p += 8, left -= 8) { m = load64(p); v3 ^= m; SIP SIP v0 ^= m; }
  m = len << 56;
  for (int i = (int)left - 1; i >= 0; i--) m |= (uint64_t)p[i] << (8 * i);
  v3 ^= m; SIP SIP v0 ^= m;
  v2 ^= 0xff; SIP SIP SIP SIP
  return v0 ^ v1 ^ v2 ^ v3;
}

#define ROWS(shard) for (size_t i = 0; i < rows; i++) { \
  const uint8_t *p = data + offsets[i]; uint32_t len = offsets[i + 1] - offsets[i]; results[i] = shard; }

int main(int argc, char **argv) {
  if (argc != 5) return 2;
  size_t length;
  uint8_t *data = column(argv[2], &length);
  uint32_t *offsets = column(argv[3], &length);
  size_t rows = length / 4 - 1;
  for (uint32_t byte = 0; byte < 256; byte++) {
    uint32_t a = byte;
    uint16_t b = byte << 8;
    for (int bit = 0; bit < 8; bit++) {
      a = (a >> 1) ^ (a & 1 ? 0xedb88320 : 0);
      b = (b << 1) ^ (b & 0x8000 ? 0x1021 : 0);
    }
    table32[byte] = a;
    table16[byte] = b;
  }
  int file = open(argv[4], O_RDWR | O_CREAT, 0600);
  if (file < 0 || ftruncate(file, rows * 4) != 0) return 1;
  void *out = mmap(NULL, rows * 4, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  uint32_t *results = malloc(rows * 4);
  memset(results, 1, rows * 4);
  char line[64], name[32];
  while (fgets(line, sizeof line, stdin)) {
    struct timespec from, to;
    uint32_t n = 0;
    if (sscanf(line, "%31s %u", name, &n) < 1) return 2;
    clock_gettime(CLOCK_MONOTONIC, &from);
    if (strcmp(name, "kafka") == 0) ROWS((murmur2(p, len) & 0x7fffffff) % n)
    else if (strcmp(name, "rdkafka") == 0) ROWS(crc32(p, len) % n)
    else if (strcmp(name, "redis") == 0) ROWS(slot(p, len) & 16383)
    else if (strcmp(name, "ragedb") == 0) ROWS(((unsigned __int128)murmur64a(p, len) * n) >> 64)
    else if (strcmp(name, "spark") == 0) ROWS((((int32_t)murmur3(p, len, 42, 1) % (int32_t)n) + (int32_t)n) % (int32_t)n)
    else if (strcmp(name, "iceberg") == 0) ROWS((murmur3(p, len, 0, 0) & 0x7fffffff) % n)
    else if (strcmp(name, "postgres") == 0) ROWS((lookup3(p, len, 0x7a5b22367996dcfd) + 0x49a0f4dd15e5a8e3) % n)
    else if (strcmp(name, "clickhouse:sipHash64") == 0) ROWS(siphash(p, len) % n)
    else return 2;
    clock_gettime(CLOCK_MONOTONIC, &to);
    memcpy(out, results, rows * 4);
    printf("%.0f\n", (to.tv_sec - from.tv_sec) * 1e9 + (to.tv_nsec - from.tv_nsec));
    fflush(stdout);
  }
  return 0;
}
