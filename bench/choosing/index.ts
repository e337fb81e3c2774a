// `npm run bench -- choosing [--quick] [--json FILE]`: ways of finding the node of a key, for docs/choosing.md. First it
// counts where they place keys and which keys move, checks that a second process would agree, and writes what is
// the same on every machine to placements.results.json. Then it times one lookup after the other.
// Needs `npm install --prefix bench/peers`.
import { existsSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import type { Area, Way } from '../area.js';
import { run, writeReport } from '../run.js';
import { setBackend } from '../shardbits.js';
import { others } from './others.js';
import { COUNTS, type Contender, KEYS, keys, nodeNames, OURS } from './ours.js';
import { placementOf } from './placement.js';
import { areaName, PLACEMENTS, placementRows } from './table.js';

if (!existsSync('bench/peers/node_modules')) {
  console.error('the packages to compare with are not installed: npm install --prefix bench/peers');
  process.exit(1);
}
const { values } = parseArgs({ options: { quick: { type: 'boolean' }, json: { type: 'string' } } });
const contenders = [...OURS, ...(await others())];
const placements = contenders.map(placementOf);
for (const row of placementRows(placements)) console.log(row.join(' | '));
const unstable = placements.filter(({ isStable }) => !isStable).map(({ name }) => name);
if (unstable.join() !== 'consistent-hash 1.2.2') throw new Error(`other places in another process: ${unstable}`);
writeFileSync(PLACEMENTS, `[\n${placements.map((placement) => JSON.stringify(placement)).join(',\n')}\n]\n`);

/** Asks for one node after the other. Rings differ, so their results are not compared here. */
function lookups({ name, place }: Contender, nodes: readonly string[], rows: number): Way {
  const node = place(nodes);
  const some = keys().slice(0, rows);
  let length = 0;
  return {
    name,
    rows,
    run() {
      for (const key of some) length += node(key).length;
      if (length < rows) throw new Error(`${name} found no nodes`);
      return undefined;
    },
  };
}

function* choosing(rows: number): Iterable<Area> {
  setBackend('wasm');
  for (const count of COUNTS) {
    // A loop over all nodes is slow.
    const rowsOf = ({ name }: Contender) => (name.startsWith('rendezvous') ? Math.ceil(rows / count) : rows);
    const ways = contenders.map((contender) => lookups(contender, nodeNames(count), rowsOf(contender)));
    yield {
      name: areaName(count),
      title: `the node of a key, one of ${count.toLocaleString('en')}`,
      rows,
      bytesPerRow: 10,
      ways,
    };
  }
}

const report = await run([choosing], { rows: KEYS, rounds: values.quick ? 3 : 7 });
if (values.json !== undefined) writeReport(values.json, report);
