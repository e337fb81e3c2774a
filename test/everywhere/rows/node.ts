import { join } from 'node:path';
import { PINS } from '../pins.js';
import { run } from '../processes.js';
import { outcomeOf, type Row, together } from '../row.js';

const MAJORS = [20, 22, 24, 26] as const;

/** As ES modules and as CommonJS, with files, threads, the command line and peers. */
export const nodes: readonly Row[] = MAJORS.map((major) => ({
  name: `Node ${major}`,
  backend: 'wasm',
  run: async (scratch) => {
    const isThis = process.versions.node.startsWith(`${major}.`);
    const node = isThis
      ? process.execPath
      : join(await scratch.tool(`node@${PINS.node[major]}`), 'node_modules/node/bin/node');
    const outcomes = [];
    for (const program of ['on-a-server.mjs', 'on-a-server.cjs']) {
      outcomes.push(outcomeOf(await run(node, [program], { cwd: scratch.app })));
    }
    return together(outcomes);
  },
}));
