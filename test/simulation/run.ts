import './world.js';
import { FAULTS } from './faults.js';
import { operate } from './operating.js';
import { simulate } from './simulate.js';

/**
 * Runs seeds, and prints what they find.
 *
 *   npx tsx test/simulation/run.ts FIRST COUNT [FAULT]   runs seeds, until the first one that finds something
 *   npx tsx test/simulation/run.ts SEED                  runs a seed, and prints everything that happens in it
 */
async function main([first, count, planted]: readonly string[]): Promise<void> {
  const fault = planted === undefined || planted === '' ? undefined : FAULTS.find(({ name }) => name === planted);
  const log: string[] | undefined = count === undefined ? [] : undefined;
  for (let seed = Number(first); seed < Number(first) + Number(count ?? 1); seed++) {
    const { findings, counts } = await simulate(seed, fault, log);
    if (log) console.log(log.join('\n'));
    if (log) console.log(counts);
    const ofSteps = fault === undefined ? await operate(seed) : undefined;
    if (findings.length === 0 && ofSteps === undefined) continue;
    console.log(`seed ${seed}: ${[...findings, ofSteps].join('\n')}`);
    process.exitCode = 1;
    return;
  }
}

await main(process.argv.slice(2));
