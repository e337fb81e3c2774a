// Writes the server that libmemcached chooses for each key, as a u32, with the weighted continuum of ketama. The arguments are the
// servers: a host, a port and a weight for each.
#include <libmemcached/memcached.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
  memcached_st *client = memcached_create(NULL);
  memcached_behavior_set(client, MEMCACHED_BEHAVIOR_KETAMA_WEIGHTED, 1);
  for (int i = 1; i + 2 < argc; i += 3) {
    memcached_server_add_with_weight(client, argv[i], (in_port_t)atoi(argv[i + 1]), (uint32_t)atoi(argv[i + 2]));
  }
  char *key = NULL;
  uint32_t length;
  while (fread(&length, sizeof length, 1, stdin) == 1) {
    key = realloc(key, length + 1);
    if (fread(key, 1, length, stdin) != length) return 1;
    uint32_t server = memcached_generate_hash(client, key, length);
    fwrite(&server, sizeof server, 1, stdout);
  }
  free(key);
  memcached_free(client);
  return 0;
}
