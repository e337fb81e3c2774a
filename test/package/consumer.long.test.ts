import { spawnSync } from 'node:child_process';
import { expect, it } from 'vitest';

// Over apache-arrow, whose types bring Node's with them, `npm run test:everywhere` compiles them.
it.each([
  ['nodenext', 'nodenext'],
  ['esnext', 'bundler'],
])("the types compile in a consumer's program: module %s, resolution %s, no other types", (module, resolution) => {
  const options = ['-p', 'test/package/consumer/tsconfig.json', '--module', module, '--moduleResolution', resolution];
  const tsc = spawnSync(process.execPath, ['node_modules/typescript/bin/tsc', ...options], { encoding: 'utf8' });
  expect([tsc.stdout, tsc.status]).toEqual(['', 0]);
});
