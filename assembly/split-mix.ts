// The finalizer of SplitMix64 over keys[i] + increment (constants: Steele, Lea and Flood, 2014;
// variant 13 of Stafford). With increment = a * 0x9e3779b97f4a7c15 it is the a-th output of the
// generator started at keys[i].
export function splitMix64Column(keys: usize, mixed: usize, rows: u32, increment: u64): void {
  const end = keys + (<usize>rows << 3);
  for (; keys < end; keys += 8, mixed += 8) {
    let z = load<u64>(keys) + increment;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    store<u64>(mixed, z ^ (z >> 31));
  }
}
