import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { PINS } from '../pins.js';
import { run } from '../processes.js';
import type { Row } from '../row.js';

const [first] = PINS.typescript;

const WAYS = [
  { module: 'nodenext', resolution: 'nodenext', versions: PINS.typescript },
  { module: 'esnext', resolution: 'bundler', versions: PINS.typescript },
  { module: 'commonjs', resolution: 'node10', versions: [first] }, // gone from later ones
];

/** The consumers that `npm test` compiles within the project, beside the packed package. */
export const typescript: readonly Row[] = WAYS.map(({ module, resolution, versions }) => ({
  name: `TypeScript, ${resolution}`,
  backend: '',
  run: async (scratch) => {
    const folder = join(scratch.app, `consumer-${resolution}`);
    cpSync(join(import.meta.dirname, '../../package/consumer'), folder, { recursive: true });
    let checks = 0;
    for (const version of versions) {
      const tools = await scratch.tool(`typescript@${version}`);
      for (const config of ['tsconfig.json', 'tsconfig.arrow.json']) {
        const options = ['-p', config, '--module', module, '--moduleResolution', resolution];
        await run(join(tools, 'node_modules/.bin/tsc'), options, { cwd: folder });
        checks++;
      }
    }
    return { version: versions.join(', '), backend: '', checks, failures: [] };
  },
}));
