import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ARM64, runOn, S390X, WINDOWS } from '../emulated.js';
import { Checks, type Outcome } from '../program/checks.js';
import { outcomeOf, type Row, together } from '../row.js';

/** As with this machine's own Node: as ES modules and as CommonJS, with files, threads, the command line and peers. */
const others: readonly Row[] = [ARM64, WINDOWS].map((platform) => ({
  name: platform.name,
  backend: 'wasm',
  run: async (scratch) => {
    const outcomes = [];
    for (const file of ['on-a-server.mjs', 'on-a-server.cjs']) {
      outcomes.push(outcomeOf(await runOn(scratch, platform, [file], scratch.app)));
    }
    return together(outcomes);
  },
}));

const REFUSAL = 'shardbits needs a little-endian CPU';

/** No entry point may give results in the wrong order of bytes, however it is loaded. */
const bigEndian: Row = {
  name: S390X.name,
  backend: '',
  run: async (scratch) => {
    const manifest = JSON.parse(readFileSync(join(scratch.app, 'node_modules/shardbits/package.json'), 'utf8'));
    const entries = Object.entries<string | object>(manifest.exports).filter(([, to]) => typeof to === 'object');
    const names = entries.map(([name]) => join('shardbits', name));
    const program = `const names = ${JSON.stringify(names)};
      const refused = (load) => load.then(() => 'loaded', (error) => error.message);
      const each = (load) => Promise.all(names.map((name) => refused(load(name))));
      Promise.all([each((name) => import(name)), each(async (name) => require(name))]).then((all) =>
        console.log(JSON.stringify([process.versions.node, all.flat()])));`;
    const [version, messages] = outcomeOf<[string, string[]]>(
      await runOn(scratch, S390X, ['-e', program], scratch.app),
    );
    const checks = new Checks();
    messages.forEach((message, i) => {
      checks.same(`${i < names.length ? 'import' : 'require'} ${names[i % names.length]}`, message, REFUSAL);
    });
    return { version, backend: '', checks: checks.count, failures: checks.failures } satisfies Outcome;
  },
};

export const emulated: readonly Row[] = [...others, bigEndian];
