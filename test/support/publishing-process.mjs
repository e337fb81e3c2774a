// `node publishing-process.mjs STORE FILE NUMBER`: publishes one map after the other, and watches what other processes
// publish, until it is killed. Appends to a file, with version and digest: the maps that it is about to publish (with the
// digest of the map before), those that were acknowledged, and those that it sees.
import { createHash } from 'node:crypto';
import { appendFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { currentMap, publishMap, ShardMap, watchMap } from 'shardbits/map';
import { openStore } from './open-store.mjs';

const [, , where, file, number] = process.argv;
const store = await openStore(where);

const digestOf = (map) => createHash('sha256').update(JSON.stringify(map)).digest('base64url');
const note = (...words) => appendFileSync(file, `${words.join('\t')}\n`);

function nextOf(map, weight, round) {
  const changed = { name: `node ${round % 8}`, weight };
  if (map === undefined) return ShardMap.create({ shards: 512, nodes: [changed, { name: 'other' }], replicas: 2 });
  return map.with({ nodes: [...map.nodes.filter(({ name }) => name !== changed.name), changed] });
}

async function publish() {
  for (let round = 1; ; round++) {
    const map = await currentMap(store);
    // No other map has this weight, so no two maps are equal.
    const next = nextOf(map, Number(number) + round / 1e6, round);
    note('tries', next.version, digestOf(next), map === undefined ? 'none' : digestOf(map));
    try {
      await publishMap(store, next);
      note('published', next.version, digestOf(next));
    } catch (error) {
      if (error.code !== 'ERR_MAP_CONFLICT' || error.version < next.version) throw error;
    }
    await setTimeout(Math.random() * 5);
  }
}

async function watch() {
  for await (const map of watchMap(store, { intervalMs: 2 })) note('saw', map.version, digestOf(map));
}

await Promise.all([publish(), watch()]);
