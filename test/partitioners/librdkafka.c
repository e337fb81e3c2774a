/* Reads keys, each after its length (4 bytes, little-endian), to the end of its input. Writes six partitions for each
 * (int32): by the partitioners consistent, murmur2 and fnv1a of librdkafka, for 12 partitions and then for 1000.
 *   gcc -o librdkafka librdkafka.c -lrdkafka     (Debian: librdkafka-dev)
 * These partitioners read only the key, so the topic may be null. They treat a null key as an empty one: every other
 * empty key is passed as null. */
#include <librdkafka/rdkafka.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int main(void) {
  const int32_t counts[] = {12, 1000};
  uint32_t length, empty = 0;
  char *key = NULL;
  while (fread(&length, 4, 1, stdin) == 1) {
    key = realloc(key, length + 1);
    if (!key || fread(key, 1, length, stdin) != length) return 1;
    const char *given = length == 0 && empty++ % 2 == 0 ? NULL : key;
    for (int i = 0; i < 2; i++) {
      int32_t partitions[] = {
          rd_kafka_msg_partitioner_consistent(NULL, given, length, counts[i], NULL, NULL),
          rd_kafka_msg_partitioner_murmur2(NULL, given, length, counts[i], NULL, NULL),
          rd_kafka_msg_partitioner_fnv1a(NULL, given, length, counts[i], NULL, NULL),
      };
      fwrite(partitions, sizeof partitions, 1, stdout);
    }
  }
  return 0;
}
