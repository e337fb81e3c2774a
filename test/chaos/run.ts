import { randomInt } from 'node:crypto';
import { parseArgs } from 'node:util';
import { chaos } from './chaos.js';
import { ENGINES } from './engines.js';
import { FAULTS, isFault } from './operator.js';

/**
 * Runs chaos, and prints what went wrong; exits with 1 then.
 *
 *   npm run test:chaos -- ENGINE... --strings N --ids N [--seed N] [--workers N] [--fault FAULT]
 *
 * The engines are sqlite, postgres and etcd. The store begins in the first one, and moves among all of them.
 */
async function main(): Promise<void> {
  const { positionals, values } = parseArgs({
    allowPositionals: true,
    options: {
      strings: { type: 'string', default: '20000' },
      ids: { type: 'string', default: '100000' },
      seed: { type: 'string', default: String(randomInt(2 ** 31)) },
      workers: { type: 'string', default: '4' },
      fault: { type: 'string' },
    },
  });
  if (positionals.length === 0 || positionals.some((name) => !Object.hasOwn(ENGINES, name))) {
    throw new Error(`expected some of ${Object.keys(ENGINES).join(', ')}, got ${positionals.join(' ')}`);
  }
  const { seed, fault } = values;
  const numbers = { strings: values.strings, ids: values.ids, seed, workers: values.workers };
  const [wrong] = Object.entries(numbers).find(([, text]) => !/^\d+$/.test(text)) ?? [];
  if (wrong !== undefined) throw new Error(`--${wrong}: expected a whole number`);
  if (fault !== undefined && !isFault(fault))
    throw new Error(`--fault: expected one of ${FAULTS.join(', ')}, got ${fault}`);
  const interrupting = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => interrupting.abort());
  console.log(`chaos over ${positionals.join(' and ')}, seed ${seed}`);
  const faults = await chaos({
    engines: positionals,
    strings: Number(values.strings),
    ids: Number(values.ids),
    seed: Number(seed),
    workers: Number(values.workers),
    fault,
    signal: interrupting.signal,
    onProgress: (line) => console.log(line),
  });
  console.log(faults.length === 0 ? 'nothing twice, changed or lost' : faults.join('\n'));
  process.exit(faults.length === 0 ? 0 : 1);
}

await main();
