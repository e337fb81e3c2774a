import { afterAll, beforeAll, expect, it } from 'vitest';
import { notTested } from '../support/not-tested.js';
import { randomU64s } from '../support/random.js';
import { IS_WHOLE } from '../support/scale.js';
import { ARM64, WINDOWS } from './emulated.js';
import { NotHere } from './row.js';
import { Scratch } from './scratch.js';
import { bundleSuites, namesIn, pureFiles, runSuitesOn } from './suites.js';

/** Part of a sweep is every tenth file, from one that the seed chooses. */
const PART = 10;

const scratch = new Scratch();
afterAll(() => scratch.remove());

let files: readonly string[];
let names: readonly string[];
let folder: string;

beforeAll(async () => {
  const all = await pureFiles(scratch);
  const first = Number(randomU64s(1)[0] % BigInt(PART));
  files = IS_WHOLE ? all : all.filter((_, i) => i % PART === first);
  names = await namesIn(scratch, files);
  folder = await bundleSuites(scratch, files);
});

it.for([
  [ARM64.name, ARM64],
  [WINDOWS.name, WINDOWS],
] as const)('the tests that need only JavaScript pass on %s', async ([name, platform], { skip }) => {
  const outcome = await runSuitesOn(scratch, platform, folder, files).catch((error) => {
    if (!(error instanceof NotHere) || process.env.CI) throw error;
    notTested(`the library on ${name}: ${error.message}`);
    return undefined;
  });
  if (outcome === undefined) return skip();
  const { version, backend, checks, failures } = outcome;
  console.info(`${name}, Node ${version}: ${checks} tests of ${files.length} files, ${failures.length} failures`);
  expect(failures).toEqual([]);
  expect(backend).toBe('wasm');
  expect(names).not.toEqual([]);
  expect(outcome.names).toEqual(names);
});
