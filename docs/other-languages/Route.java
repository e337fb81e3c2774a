// Writes the shard of every key of standard input, one key on each line:
//   Route SHARDS [jump|fastrange|modulo] [SEED] [text|u64] [DOWN,DOWN,...]
import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import net.jpountz.xxhash.XXHash64;
import net.jpountz.xxhash.XXHashFactory;

record Route(int shards, String strategy, Set<Integer> down) {
  static final XXHash64 XXH64 = XXHashFactory.fastestJavaInstance().hash64();

  static long hash(String key, long seed) {
    return XXH64.hash(ByteBuffer.wrap(key.getBytes(UTF_8)), seed);
  }

  static long hash(long key, long seed) {
    return XXH64.hash(ByteBuffer.allocate(8).order(ByteOrder.LITTLE_ENDIAN).putLong(0, key), seed);
  }

  static int jump(long key, int buckets) {
    long bucket = -1, next = 0;
    while (next < buckets) {
      bucket = next;
      key = key * 2862933555777941757L + 1;
      next = (long) ((bucket + 1) * ((double) (1L << 31) / ((key >>> 33) + 1)));
    }
    return (int) bucket;
  }

  static int fastrange(long hash, int shards) {
    return (int) (Math.multiplyHigh(hash, shards) + (hash < 0 ? shards : 0));
  }

  static int modulo(long hash, int shards) {
    return (int) Long.remainderUnsigned(hash, shards);
  }

  static long mix(long x) {
    x = (x ^ x >>> 30) * 0xbf58476d1ce4e5b9L;
    x = (x ^ x >>> 27) * 0x94d049bb133111ebL;
    return x ^ x >>> 31;
  }

  static final long GAMMA = 0x9e3779b97f4a7c15L;

  int place(long hash) {
    return switch (strategy) {
      case "jump" -> jump(hash, shards);
      case "fastrange" -> fastrange(hash, shards);
      case "modulo" -> modulo(hash, shards);
      default -> throw new IllegalArgumentException(strategy);
    };
  }

  int route(long hash) {
    long tried = hash;
    for (int probe = 1; probe <= 257; probe++) {
      int shard = place(tried);
      if (!down.contains(shard)) return shard;
      tried = mix(hash + probe * GAMMA);
    }
    int best = 0;
    long highest = 0;
    for (int shard = 0; shard < shards; shard++) {
      long score = mix(mix(shard + GAMMA) + hash);
      if (Long.compareUnsigned(score, highest) >= 0 && !down.contains(shard)) {
        best = shard;
        highest = score;
      }
    }
    return best;
  }

  public static void main(String[] args) throws IOException {
    int shards = args.length > 0 ? Integer.parseInt(args[0]) : 10;
    String strategy = args.length > 1 ? args[1] : "jump";
    long seed = args.length > 2 ? Long.parseUnsignedLong(args[2]) : 0;
    boolean isU64 = args.length > 3 && args[3].equals("u64");
    Stream<String> down = Stream.of(args.length > 4 ? args[4].split(",") : new String[0]);
    Set<Integer> numbers = down.filter(text -> !text.isEmpty()).map(Integer::valueOf).collect(Collectors.toSet());
    Route router = new Route(shards, strategy, numbers);

    try (PrintWriter out = new PrintWriter(System.out)) {
      BufferedReader in = new BufferedReader(new InputStreamReader(System.in, UTF_8));
      for (String key; (key = in.readLine()) != null; ) {
        out.println(router.route(isU64 ? hash(Long.parseUnsignedLong(key), seed) : hash(key, seed)));
      }
    }
  }
}
