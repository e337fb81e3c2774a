import { run } from '../processes.js';
import { outcomeOf, type Row, together } from '../row.js';
import { bunOrDeno } from '../runtimes.js';

/** As on Node. */
export const bunAndDeno: readonly Row[] = (['bun', 'deno'] as const).map((name) => ({
  name: name === 'bun' ? 'Bun' : 'Deno',
  backend: 'wasm',
  run: async (scratch) => {
    const [program, ...args] = await bunOrDeno(scratch, name);
    const outcomes = [];
    for (const file of ['on-a-server.mjs', 'on-a-server.cjs']) {
      outcomes.push(outcomeOf(await run(program, [...args, file], { cwd: scratch.app })));
    }
    return together(outcomes);
  },
}));
