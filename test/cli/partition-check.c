/* Whether a directory holds the records of a file, each in the file of its shard, byte for byte and in their order.
 * Shares no code with what it checks: it reads CSV by RFC 4180 and JSON by RFC 8259, hashes keys with XXH64 and takes
 * the jump consistent hash of Lamping and Veach. For well-formed input, on a little-endian machine.
 *   cc -std=c11 -O2 -o partition-check partition-check.c
 *   ./partition-check csv|ndjson KEY INPUT DIRECTORY SHARDS
 * KEY is the name of a column, or names with dots. It writes the rows and the bytes of each file, a line each; or what is
 * wrong, and exits with 1. */
#define _POSIX_C_SOURCE 200809L
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static _Noreturn void fail(const char *format, ...) {
  va_list values;
  va_start(values, format);
  vfprintf(stderr, format, values);
  va_end(values);
  fputc('\n', stderr);
  exit(1);
}

/* ---- Files ---- */

struct bytes {
  const char *at, *end;
};

static struct bytes map(const char *path) {
  int file = open(path, O_RDONLY);
  struct stat stats;
  if (file < 0 || fstat(file, &stats) != 0) fail("%s: cannot be read", path);
  if (stats.st_size == 0) return (struct bytes){"", ""};
  const char *data = mmap(NULL, stats.st_size, PROT_READ, MAP_PRIVATE, file, 0);
  if (data == MAP_FAILED) fail("%s: cannot be mapped", path);
  close(file);
  return (struct bytes){data, data + stats.st_size};
}

/* ---- A text that grows ---- */

struct text {
  char *data;
  size_t length, room;
};

static void append(struct text *text, const char *data, size_t length) {
  if (text->length + length > text->room) {
    text->room = 2 * (text->length + length) + 64;
    text->data = realloc(text->data, text->room);
    if (!text->data) fail("no memory");
  }
  if (length > 0) memcpy(text->data + text->length, data, length);
  text->length += length;
}

static bool is(const struct text *text, const char *name, size_t length) {
  return text->length == length && (length == 0 || memcmp(text->data, name, length) == 0);
}

/* ---- XXH64 with seed 0, as its specification has it ---- */

static const uint64_t P1 = 0x9E3779B185EBCA87, P2 = 0xC2B2AE3D27D4EB4F, P3 = 0x165667B19E3779F9,
                      P4 = 0x85EBCA77C2B2AE63, P5 = 0x27D4EB2F165667C5;

static uint64_t rotate(uint64_t x, int bits) { return x << bits | x >> (64 - bits); }

static uint64_t read64(const char *at) {
  uint64_t value;
  memcpy(&value, at, 8);
  return value;
}

static uint32_t read32(const char *at) {
  uint32_t value;
  memcpy(&value, at, 4);
  return value;
}

static uint64_t round64(uint64_t lane, uint64_t input) { return rotate(lane + input * P2, 31) * P1; }

static uint64_t xxh64(const char *at, size_t length) {
  const char *end = at + length;
  uint64_t hash = P5;
  if (length >= 32) {
    uint64_t lanes[4] = {P1 + P2, P2, 0, 0 - P1};
    for (; end - at >= 32; at += 32)
      for (int i = 0; i < 4; i++) lanes[i] = round64(lanes[i], read64(at + 8 * i));
    hash = rotate(lanes[0], 1) + rotate(lanes[1], 7) + rotate(lanes[2], 12) + rotate(lanes[3], 18);
    for (int i = 0; i < 4; i++) hash = (hash ^ round64(0, lanes[i])) * P1 + P4;
  }
  hash += length;
  for (; end - at >= 8; at += 8) hash = rotate(hash ^ round64(0, read64(at)), 27) * P1 + P4;
  if (end - at >= 4) {
    hash = rotate(hash ^ read32(at) * P1, 23) * P2 + P3;
    at += 4;
  }
  for (; at < end; at++) hash = rotate(hash ^ (uint8_t)*at * P5, 11) * P1;
  hash = (hash ^ hash >> 33) * P2;
  hash = (hash ^ hash >> 29) * P3;
  return hash ^ hash >> 32;
}

/* ---- Jump consistent hash ---- */

static int32_t jump(uint64_t key, int32_t shards) {
  int64_t shard = -1;
  for (int64_t next = 0; next < shards;) {
    shard = next;
    key = key * 2862933555777941757u + 1;
    next = (int64_t)((double)(shard + 1) * (2147483648.0 / (double)((key >> 33) + 1)));
  }
  return (int32_t)shard;
}

/* ---- CSV ---- */

/* Reads a field up to the delimiter or line end behind it. */
static const char *csv_field(const char *at, const char *end, struct text *value) {
  value->length = 0;
  if (at == end || *at != '"') {
    const char *start = at;
    while (at < end && *at != ',' && *at != '\r' && *at != '\n') at++;
    append(value, start, at - start);
    return at;
  }
  for (at++;;) {
    const char *quote = memchr(at, '"', end - at);
    if (!quote) fail("a quote is not closed");
    append(value, at, quote - at);
    at = quote + 1;
    if (at == end || *at != '"') return at;
    append(value, at++, 1);
  }
}

/* Reads the field at `column` of a record. Returns where the record ends, without its line end. */
static const char *csv_record(const char *at, const char *end, int column, struct text *value) {
  static struct text other;
  for (int i = 0;; i++) {
    at = csv_field(at, end, i == column ? value : &other);
    if (at == end || *at != ',') {
      if (i < column) fail("a record has no field %d", column + 1);
      return at;
    }
    at++;
  }
}

/* Where a name is in a header. */
static int csv_column(struct bytes header, const char *name) {
  struct text value = {0};
  for (int column = 0;; column++) {
    const char *at = csv_field(header.at, header.end, &value);
    if (is(&value, name, strlen(name))) return column;
    if (at == header.end || *at != ',') fail("no column %s", name);
    header.at = at + 1;
  }
}

/* ---- JSON ---- */

static const char *spaces(const char *at) {
  while (*at == ' ' || *at == '\t' || *at == '\r') at++;
  return at;
}

static uint32_t hex4(const char *at) {
  uint32_t code = 0;
  for (int i = 0; i < 4; i++) {
    const char *digits = "0123456789abcdef", *digit = strchr(digits, at[i] | ('A' <= at[i] && at[i] <= 'F' ? 32 : 0));
    if (!digit || !at[i]) fail("an escape without four digits");
    code = code << 4 | (uint32_t)(digit - digits);
  }
  return code;
}

static void append_utf8(struct text *value, uint32_t code) {
  char bytes[4];
  int length = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
  for (int i = length - 1; i > 0; i--, code >>= 6) bytes[i] = (char)(0x80 | (code & 0x3f));
  bytes[0] = (char)(length == 1 ? code : (0xf00u >> length & 0xf0u) | code);
  append(value, bytes, length);
}

/* Reads a string, and returns where it ends. */
static const char *json_string(const char *at, struct text *value) {
  value->length = 0;
  for (at++; *at != '"';) {
    const char *start = at;
    while (*at != '"' && *at != '\\' && *at != '\n') at++;
    append(value, start, at - start);
    if (*at == '\n') fail("a string is not closed");
    if (*at == '"') break;
    const char *escapes = "\"\\/bfnrt", *escape = strchr(escapes, at[1]);
    if (escape) {
      append(value, &"\"\\/\b\f\n\r\t"[escape - escapes], 1);
      at += 2;
    } else {
      if (at[1] != 'u') fail("an unknown escape");
      uint32_t code = hex4(at + 2);
      at += 6;
      if (code >= 0xd800 && code < 0xe000) {
        if (code >= 0xdc00 || at[0] != '\\' || at[1] != 'u') fail("half of a surrogate pair");
        code = 0x10000 + ((code - 0xd800) << 10) + (hex4(at + 2) - 0xdc00);
        at += 6;
      }
      append_utf8(value, code);
    }
  }
  return at + 1;
}

static const char *json_skip(const char *at) {
  static struct text ignored;
  int level = 0;
  do {
    at = spaces(at);
    if (*at == '\n' || *at == '\0') fail("a value does not end");
    if (*at == '"') {
      at = json_string(at, &ignored);
    } else if (*at == '{' || *at == '[') {
      level++;
      at++;
    } else if (*at == '}' || *at == ']') {
      level--;
      at++;
    } else if (*at == ',' || *at == ':') {
      at++;
    } else {
      while (!strchr(" \t\r\n,:]}", *at)) at++;
    }
  } while (level > 0);
  return at;
}

/* Reads the value at a path of names with dots: what a string says, anything else as it is written. */
static void json_value(const char *at, const char *path, struct text *value) {
  static struct text name;
  size_t length = strcspn(path, ".");
  at = spaces(at);
  if (*at++ != '{') fail("there is no object with %s", path);
  for (at = spaces(at); *at == '"'; at = spaces(at)) {
    at = spaces(json_string(at, &name));
    if (*at++ != ':') fail("a name without a value");
    at = spaces(at);
    if (is(&name, path, length)) {
      if (path[length] == '.') {
        json_value(at, path + length + 1, value);
      } else if (*at == '"') {
        json_string(at, value);
      } else {
        value->length = 0;
        append(value, at, json_skip(at) - at);
      }
      return;
    }
    at = spaces(json_skip(at));
    if (*at == ',') at++;
  }
  fail("there is no %s", path);
}

/* ---- The check ---- */

int main(int argc, char **argv) {
  if (argc != 6) return 2;
  const char *format = argv[1], *key = argv[2], *directory = argv[4];
  bool is_csv = strcmp(format, "csv") == 0;
  struct bytes input = map(argv[3]), header = {input.at, input.at};
  int32_t shards = atoi(argv[5]);
  int column = 0, width = snprintf(NULL, 0, "%" PRId32, shards - 1);
  struct text value = {0};

  if (is_csv) {
    header.end = csv_record(input.at, input.end, 0, &value);
    column = csv_column(header, key);
    while (*header.end != '\n') header.end++;
    input.at = ++header.end;
  }

  struct {
    struct bytes rest;
    uint64_t rows, bytes;
  } *files = calloc(shards, sizeof *files);
  if (!files) fail("no memory");
  for (int32_t shard = 0; shard < shards; shard++) {
    char path[4096];
    snprintf(path, sizeof path, "%s/%0*" PRId32 ".%s", directory, width, shard, format);
    struct bytes all = map(path);
    size_t length = header.end - header.at;
    if ((size_t)(all.end - all.at) < length || memcmp(all.at, header.at, length) != 0) fail("%s: no header", path);
    files[shard].bytes = all.end - all.at;
    files[shard].rest = (struct bytes){all.at + length, all.end};
  }

  for (uint64_t row = 0; input.at < input.end; row++) {
    const char *end;
    if (is_csv) {
      end = csv_record(input.at, input.end, column, &value);
      if (end < input.end && *end == '\r') end++;
    } else {
      end = memchr(input.at, '\n', input.end - input.at);
      if (!end) fail("the last line has no end");
      json_value(input.at, key, &value);
    }
    /* A last record without a line end gets one. */
    if (end < input.end && *end != '\n') fail("row %" PRIu64 ": text behind a quote", row);
    int32_t shard = jump(xxh64(value.data, value.length), shards);
    struct bytes *rest = &files[shard].rest;
    size_t length = end - input.at;
    if ((size_t)(rest->end - rest->at) < length + 1 || memcmp(rest->at, input.at, length) != 0 || rest->at[length] != '\n')
      fail("row %" PRIu64 ": not the next one of shard %" PRId32, row, shard);
    rest->at += length + 1;
    files[shard].rows++;
    input.at = end < input.end ? end + 1 : end;
  }

  for (int32_t shard = 0; shard < shards; shard++) {
    if (files[shard].rest.at < files[shard].rest.end) fail("shard %" PRId32 ": more than its records", shard);
    printf("%" PRIu64 " %" PRIu64 "\n", files[shard].rows, files[shard].bytes);
  }
  return 0;
}
