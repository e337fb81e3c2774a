import { spawnSync } from 'node:child_process';

export const RESOLUTIONS: [module: string, resolution: string][] = [
  ['nodenext', 'nodenext'],
  ['esnext', 'bundler'],
];

/** What the compiler says of a consumer's program, and its exit code. */
export function compiled(config: string, module: string, resolution: string): [string, number | null] {
  const options = ['-p', `test/package/consumer/${config}`, '--module', module, '--moduleResolution', resolution];
  const tsc = spawnSync(process.execPath, ['node_modules/typescript/bin/tsc', ...options], { encoding: 'utf8' });
  return [tsc.stdout, tsc.status];
}
