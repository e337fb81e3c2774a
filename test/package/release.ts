// `npm run check:release [-- --build]`: packs the package from a clean clone of the last commit, as a release does, and
// lets npm check what it would publish. Needs no network. With --build the clone builds dist/, which takes a minute;
// without it, dist/ is taken from here, where `npm ci` has built it.
import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import manifest from '../../package.json' with { type: 'json' };

const EXPECTED = /^(dist\/.+|README\.md|CHANGELOG\.md|LICENSE|package\.json)$/;
const isBuilt = process.argv.includes('--build');

const folder = mkdtempSync(join(tmpdir(), 'shardbits-release-'));
try {
  const clone = join(folder, 'clone');
  run('.', 'git', 'clone', '--quiet', '--depth', '1', `file://${resolve('.')}`, clone);
  symlinkSync(resolve('node_modules'), join(clone, 'node_modules'));
  if (!isBuilt) cpSync('dist', join(clone, 'dist'), { recursive: true });
  run(clone, 'npm', 'pack', '--pack-destination', folder, isBuilt ? '--foreground-scripts' : '--ignore-scripts');
  const archive = join(folder, `${manifest.name}-${manifest.version}.tgz`);
  const packed = run(folder, 'tar', '-tzf', archive).trim().split('\n');
  const files = packed.map((path) => path.replace(/^package\//, ''));

  const targets = JSON.stringify([manifest.exports, manifest.bin, manifest.main, manifest.module, manifest.types]);
  const needed = Array.from(targets.matchAll(/"(?:\.\/)?(dist\/[^"]+|package\.json)"/g), ([, path = '']) => path);
  const problems = [
    ...[...needed, 'README.md', 'CHANGELOG.md', 'LICENSE']
      .filter((path) => !files.includes(path))
      .map((path) => `${path} is missing`),
    ...files.filter((path) => !EXPECTED.test(path)).map((path) => `${path} does not belong in the package`),
  ];
  // What npm corrects by itself, it only warns of.
  const said = run(folder, 'sh', '-c', `npm publish --dry-run --offline '${archive}' 2>&1`);
  if (/auto-corrected|invalid/.test(said)) problems.push(said);
  run(folder, 'tar', '-xzf', archive);
  const version = run(folder, process.execPath, 'package/dist/cli.js', '--version').trim();
  if (version !== manifest.version) problems.push(`the command line says that it is version ${version}`);

  for (const problem of problems) console.error(problem);
  if (problems.length > 0) process.exitCode = 1;
  else console.log(`${manifest.name} ${version}: ${files.length} files can be published`);
} finally {
  rmSync(folder, { recursive: true });
}

/** What a command writes. It fails if the command does, after its errors were shown. */
function run(cwd: string, command: string, ...args: string[]): string {
  return execFileSync(command, args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });
}
