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
  run: async (scratch) => {
    const tools = await scratch.tool(`typescript@${PINS.typescript}`);
    const folder = join(scratch.app, `consumer-${resolution}`);
    cpSync(join(import.meta.dirname, '../../package/consumer'), folder, { recursive: true });
    const configs = ['tsconfig.json', 'tsconfig.arrow.json'];
    for (const config of configs) {
      const options = ['-p', config, '--module', module, '--moduleResolution', resolution];
      await run(join(tools, 'node_modules/.bin/tsc'), options, { cwd: folder });
    }
    return { version: PINS.typescript, backend: '', checks: configs.length, failures: [] };
  },
}));
