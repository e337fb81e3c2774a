import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { PINS } from '../pins.js';
import { run } from '../processes.js';
import type { Row } from '../row.js';

const WAYS = [
  { module: 'nodenext', resolution: 'nodenext' },
  { module: 'esnext', resolution: 'bundler' },
] as const;

/** The consumers that `npm test` compiles within the project, beside the packed package. */
export const typescript: readonly Row[] = WAYS.map(({ module, resolution }) => ({
  name: `TypeScript, ${resolution}`,
  backend: '',
  run: async (scratch) => {
    const folder = join(scratch.app, `consumer-${resolution}`);
    cpSync(join(import.meta.dirname, '../../package/consumer'), folder, { recursive: true });
    let checks = 0;
    for (const version of PINS.typescript) {
      const tools = await scratch.tool(`typescript@${version}`);
      for (const config of ['tsconfig.json', 'tsconfig.arrow.json']) {
        const options = ['-p', config, '--module', module, '--moduleResolution', resolution];
        await run(join(tools, 'node_modules/.bin/tsc'), options, { cwd: folder });
        checks++;
      }
    }
    return { version: PINS.typescript.join(', '), backend: '', checks, failures: [] };
  },
}));
