// `node interning-process.mjs STORE ACKNOWLEDGED SEED`: interns batches of keys from a common set until it is killed, and
// appends every acknowledged key with its id to a file. With an even seed, it closes and opens the store again and again.
import { appendFileSync } from 'node:fs';
import { Interner } from 'shardbits/registry';
import { openStore } from './open-store.mjs';

const [, , where, acknowledged, seed] = process.argv;
let interner = new Interner({ store: await openStore(where) });
let state = BigInt(seed);

function random(below) {
  state = BigInt.asUintN(64, state * 6364136223846793005n + 1442695040888963407n);
  return Number((state >> 33n) % BigInt(below));
}

for (let round = 0; ; round++) {
  const known = round * 40 + 200; // the set grows, so that there are always new keys that other processes intern, too
  const keys = Array.from({ length: 1 + random(300) }, () => `key ${random(known)}`);
  const ids = await interner.internMany(keys);
  appendFileSync(acknowledged, keys.map((key, i) => `${ids[i]}\t${key}\n`).join(''));
  if (Number(seed) % 2 === 0 && round % 5 === 4) {
    await interner.close();
    interner = new Interner({ store: await openStore(where) });
  }
}
