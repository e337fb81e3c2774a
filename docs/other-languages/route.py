# Writes the shard of every key of standard input, one key on each line:
#   route.py SHARDS [jump|fastrange|modulo] [SEED] [text|u64] [DOWN,DOWN,...]
import sys

import xxhash

U64 = 2**64 - 1


def hash_key(key, seed=0):
    data = key.to_bytes(8, "little") if isinstance(key, int) else key.encode()
    return xxhash.xxh64_intdigest(data, seed)


def jump(key, buckets):
    bucket, following = -1, 0
    while following < buckets:
        bucket = following
        key = (key * 2862933555777941757 + 1) & U64
        following = int((bucket + 1) * (2**31 / ((key >> 33) + 1)))
    return bucket


PLACE = {
    "jump": jump,
    "fastrange": lambda hash, shards: hash * shards >> 64,
    "modulo": lambda hash, shards: hash % shards,
}

GAMMA = 0x9E3779B97F4A7C15


def mix(x):
    x = ((x ^ x >> 30) * 0xBF58476D1CE4E5B9) & U64
    x = ((x ^ x >> 27) * 0x94D049BB133111EB) & U64
    return x ^ x >> 31


def route(hash, shards, strategy="jump", down=frozenset()):
    tried = hash
    for probe in range(1, 258):
        shard = PLACE[strategy](tried, shards)
        if shard not in down:
            return shard
        tried = mix((hash + probe * GAMMA) & U64)
    up = (shard for shard in range(shards) if shard not in down)
    return max(up, key=lambda shard: mix((mix(shard + GAMMA) + hash) & U64))


if __name__ == "__main__":
    given = sys.argv[1:]
    shards, strategy, seed, kind, down = given + ["10", "jump", "0", "text", ""][len(given) :]
    down = frozenset(int(shard) for shard in down.split(",") if shard)
    for line in sys.stdin.buffer:
        text = line.rstrip(b"\n").decode()
        key = int(text) if kind == "u64" else text
        print(route(hash_key(key, int(seed)), int(shards), strategy, down))
