// Writes the shard of every key of standard input, one key on each line:
//   route SHARDS [jump|fastrange|modulo] [SEED] [text|u64] [DOWN,DOWN,...]
use std::collections::HashSet;
use std::error::Error;
use std::io::{stdin, stdout, BufRead, BufWriter, Write};
use xxhash_rust::xxh64::xxh64;

fn hash_text(key: &str, seed: u64) -> u64 {
    xxh64(key.as_bytes(), seed)
}

fn hash_u64(key: u64, seed: u64) -> u64 {
    xxh64(&key.to_le_bytes(), seed)
}

fn jump(mut key: u64, buckets: u32) -> u32 {
    let (mut bucket, mut next) = (0, 0);
    while next < i64::from(buckets) {
        bucket = next;
        key = key.wrapping_mul(2862933555777941757).wrapping_add(1);
        next = ((bucket + 1) as f64 * ((1u64 << 31) as f64 / ((key >> 33) + 1) as f64)) as i64;
    }
    bucket as u32
}

fn fastrange(hash: u64, shards: u32) -> u32 {
    (u128::from(hash) * u128::from(shards) >> 64) as u32
}

fn modulo(hash: u64, shards: u32) -> u32 {
    (hash % u64::from(shards)) as u32
}

fn mix(mut x: u64) -> u64 {
    x = (x ^ x >> 30).wrapping_mul(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27).wrapping_mul(0x94d049bb133111eb);
    x ^ x >> 31
}

const GAMMA: u64 = 0x9e3779b97f4a7c15;

struct Router {
    shards: u32,
    place: fn(u64, u32) -> u32,
    down: HashSet<u32>,
}

impl Router {
    fn route(&self, hash: u64) -> u32 {
        let mut tried = hash;
        for probe in 1..=257u64 {
            let shard = (self.place)(tried, self.shards);
            if !self.down.contains(&shard) {
                return shard;
            }
            tried = mix(hash.wrapping_add(GAMMA.wrapping_mul(probe)));
        }
        let score = |shard: &u32| mix(mix(GAMMA + u64::from(*shard)).wrapping_add(hash));
        let up = (0..self.shards).filter(|shard| !self.down.contains(shard));
        up.max_by_key(score).expect("a shard that is up")
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let args: Vec<String> = std::env::args().collect();
    let arg = |i, default| args.get(i).map_or(default, String::as_str);
    let router = Router {
        shards: arg(1, "10").parse()?,
        place: match arg(2, "jump") {
            "fastrange" => fastrange,
            "modulo" => modulo,
            _ => jump,
        },
        down: arg(5, "").split(',').flat_map(str::parse).collect(),
    };
    let seed = arg(3, "0").parse()?;
    let is_u64 = arg(4, "text") == "u64";

    let mut out = BufWriter::new(stdout().lock());
    for line in stdin().lock().lines() {
        let key = line?;
        let hash = if is_u64 {
            hash_u64(key.parse()?, seed)
        } else {
            hash_text(&key, seed)
        };
        writeln!(out, "{}", router.route(hash))?;
    }
    Ok(())
}
