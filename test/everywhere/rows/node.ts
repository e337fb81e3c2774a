import { run } from '../processes.js';
import { outcomeOf, type Row, together } from '../row.js';
import { NODES, node } from '../runtimes.js';

/** As ES modules and as CommonJS, with files, threads, the command line and peers. */
export const nodes: readonly Row[] = NODES.map((major) => ({
  name: `Node ${major}`,
  backend: 'wasm',
  run: async (scratch) => {
    const program = await node(scratch, major);
    const outcomes = [];
    for (const file of ['on-a-server.mjs', 'on-a-server.cjs']) {
      outcomes.push(outcomeOf(await run(program, [file], { cwd: scratch.app })));
    }
    return together(outcomes);
  },
}));
