// `npm run bench:guard [-- --record]`: fails if, in three tries, shardbits has lost half of its lead over a baseline in
// the same process, or two threads are slower than one. recorded.json has the leads. They are ratios, because machines differ, of the fastest rounds,
// because collected garbage and other processes only ever add to a round.
import { readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { GROUPS } from './groups.js';
import type { MeasuredArea } from './rounds.js';
import { QUICK, run } from './run.js';

const RECORDED = 'bench/recorded.json';
const TRIES = 3;

/**
 * What is no rival: other ways of ours, and what is the memory of the machine alone. Where memory is fast, a copy takes half as
 * long beside the same arithmetic.
 */
const ASIDE = ['wasm, new', 'wasm, resident', 'copy', 'copy, new'];

/** Leads that may not fall below this: a second thread has to gain something. */
const LEAST: { readonly [area: string]: number } = { 'file-two-threads': 1 };

type Ratios = { [area: string]: { [way: string]: number } };

function ratiosOf(areas: readonly MeasuredArea[]): Ratios {
  return Object.fromEntries(
    areas.map((area) => {
      const [shardbits, ...others] = area.ways.map((way) => {
        if ('differs' in way) throw new Error(`${area.name}, ${way.name}: ${way.differs}`);
        return way;
      });
      const rivals = others.filter(({ name }) => !ASIDE.includes(name));
      const ratios = rivals.map((way) => [way.name, Number((way.ns.min / shardbits.ns.min).toPrecision(3))]);
      return [area.name, Object.fromEntries(ratios)];
    }),
  );
}

/** The leads that have fallen below half, or below what they have to be, in words. */
function lost(recorded: Ratios, seen: Ratios): Map<string, string> {
  const found = new Map<string, string>();
  for (const [area, ways] of Object.entries(recorded)) {
    for (const [way, was] of Object.entries(ways)) {
      const is = seen[area]?.[way];
      if (is === undefined) found.set(`${area}, ${way}`, 'is recorded, but not in the bench');
      else if (is < (LEAST[area] ?? was / 2))
        found.set(`${area}, ${way}`, `takes ${is} times as long as shardbits, recorded ${was}`);
    }
  }
  return found;
}

const { values } = parseArgs({ options: { record: { type: 'boolean' } } });
if (values.record) {
  const { areas } = await run(GROUPS, QUICK);
  writeFileSync(RECORDED, `${JSON.stringify(ratiosOf(areas), undefined, 2)}\n`);
} else {
  const recorded: Ratios = JSON.parse(readFileSync(RECORDED, 'utf8'));
  let stillLost: Map<string, string> | undefined;
  for (let attempt = 1; attempt <= TRIES && stillLost?.size !== 0; attempt++) {
    const { areas } = await run(GROUPS, QUICK);
    const found = lost(recorded, ratiosOf(areas));
    const before = stillLost;
    stillLost = before ? new Map([...found].filter(([name]) => before.has(name))) : found;
    for (const [name, problem] of stillLost) console.log(`try ${attempt} of ${TRIES}: ${name} ${problem}`);
  }
  if (stillLost?.size) process.exitCode = 1;
  else console.log('no lead has fallen to half of what is recorded');
}
