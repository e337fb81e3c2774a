import { join } from 'node:path';
import { PINS } from '../pins.js';
import { run } from '../processes.js';
import { outcomeOf, type Row, together } from '../row.js';

const ARGUMENTS = { bun: [], deno: ['run', '--allow-all'] } as const;

/** As on Node. */
export const bunAndDeno: readonly Row[] = (['bun', 'deno'] as const).map((name) => ({
  name: name === 'bun' ? 'Bun' : 'Deno',
  backend: 'wasm',
  run: async (scratch) => {
    const program = join(await scratch.tool(`${name}@${PINS[name]}`), 'node_modules/.bin', name);
    const outcomes = [];
    for (const file of ['on-a-server.mjs', 'on-a-server.cjs']) {
      outcomes.push(outcomeOf(await run(program, [...ARGUMENTS[name], file], { cwd: scratch.app })));
    }
    return together(outcomes);
  },
}));
