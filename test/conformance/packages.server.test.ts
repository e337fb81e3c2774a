import { spawnSync } from 'node:child_process';
import { cpSync, readdirSync, realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../support/cli.js';

it.each([
  { open: 'etcdStore', entry: 'stores-etcd', name: 'etcd3', where: '127.0.0.1:1' },
])('$open names the package that is not installed, says what to do, and makes no file', ({
  open,
  entry,
  name,
  where,
}) => {
  const folder = realpathSync(temporaryFolder());
  cpSync('dist', join(folder, 'dist'), { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
  const script = `
    const { ${open} } = await import('./dist/${entry}.js');
    const error = await ${open}('${where}').catch((thrown) => thrown);
    console.log(error.code, error.isTransient, error.cause?.code, error.message);`;
  const all = ['--input-type=module', '-e', script];
  const { stdout } = spawnSync(process.execPath, all, { encoding: 'utf8', cwd: folder });
  expect(stdout).toContain(
    `ERR_STORE_UNAVAILABLE false ERR_MODULE_NOT_FOUND ${open} needs the package "${name}": npm install ${name}`,
  );
  expect(readdirSync(folder).sort()).toEqual(['dist', 'package.json']);
});
