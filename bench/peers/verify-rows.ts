// `npm run verify [-- FILE…]`: routes real files with the command line and with a plain C program (route.c),
// with several numbers of shards and in every format, and compares the outputs byte for byte. The files are
// the system's word list, a million AT-URIs (`ROWS=…` for fewer), and those from the command line.
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writeAtUris } from './at-uri-file.js';
import { ROWS } from './rows.js';

/** Every number of shards in one format, and every format with one number of shards. */
const CASES: readonly (readonly [shards: number, format: string])[] = [
  ...[1, 2, 10, 1024, 100_000].map((shards) => [shards, 'tsv'] as const),
  ...['shard', 'u32'].map((format) => [1024, format] as const),
];
const THREADS = [1, 3];
const WORDS = '/usr/share/dict/words';

const folder = mkdtempSync(join(tmpdir(), 'shardbits-verify-'));
process.exitCode = await main().finally(() => rmSync(folder, { recursive: true }));

async function main(): Promise<number> {
  const peer = join(folder, 'route');
  const compiled = spawnSync('cc', ['-O3', '-march=native', '-o', peer, 'bench/peers/route.c', '-lxxhash']);
  if (compiled.status !== 0) {
    console.log(`skipped: no C compiler with libxxhash here (Debian: gcc, libxxhash-dev)\n${compiled.stderr ?? ''}`);
    return process.env.CI ? 1 : 0;
  }
  const files = [WORDS, atUrisFile(ROWS), ...process.argv.slice(2)];
  let different = 0;
  const tell = (isSame: boolean, what: string) => {
    if (!isSame) different++;
    console.log(`${isSame ? 'same     ' : 'DIFFERENT'} ${what}`);
  };
  for (const file of files) {
    if (!existsSync(file)) {
      console.log(`skipped: no ${file} (Debian: wamerican-insane)`);
      if (process.env.CI) different++;
      continue;
    }
    const lines = execFileSync('wc', ['-l', file], { encoding: 'utf8' }).split(' ')[0];
    for (const [shards, format] of CASES) {
      const args = ['dist/cli.js', 'route', file, '--shards', `${shards}`, '--format', format];
      const theirs = await digest(peer, [file, `${shards}`, format]);
      for (const threads of THREADS) {
        const isSame = (await digest(process.execPath, [...args, '--threads', `${threads}`])) === theirs;
        tell(isSame, `${lines} lines of ${file}, ${shards} shards, ${format}, ${threads} threads`);
      }
    }
    tell(isSplitTheSame(peer, file, 1024), `${lines} lines of ${file}, 1024 shards, --out-dir`);
  }
  console.log(different === 0 ? 'all outputs are the same as those of the C program' : `${different} are not the same`);
  return different === 0 ? 0 : 1;
}

function atUrisFile(count: number): string {
  const path = join(folder, 'at-uris.txt');
  writeAtUris(path, count);
  return path;
}

/** Whether the files of `--out-dir` have the keys that the C program gives to their shards, in the same order. */
function isSplitTheSame(peer: string, file: string, shards: number): boolean {
  const keys = Array.from({ length: shards }, () => createHash('sha256'));
  const rows = execFileSync(peer, [file, `${shards}`, 'tsv'], { maxBuffer: 2 ** 31 });
  for (let from = 0; from < rows.length; ) {
    const tab = rows.indexOf('\t', from);
    const end = rows.indexOf('\n', tab) + 1;
    keys[Number(rows.toString('latin1', from, tab))]?.update(rows.subarray(tab + 1, end));
    from = end;
  }
  const out = join(folder, 'shards');
  execFileSync(process.execPath, ['dist/cli.js', 'route', file, '--shards', `${shards}`, '--out-dir', out]);
  const names = readdirSync(out);
  const isSame =
    names.length === shards &&
    names.every((name, shard) => {
      const bytes = readFileSync(join(out, name));
      return createHash('sha256').update(bytes).digest('hex') === keys[shard]?.digest('hex');
    });
  rmSync(out, { recursive: true });
  return isSame;
}

/** The length and the SHA-256 of a command's output. */
function digest(command: string, args: string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    const hash = createHash('sha256');
    let byteLength = 0;
    child.stdout.on('data', (chunk: Buffer) => {
      hash.update(chunk);
      byteLength += chunk.length;
    });
    child.on('error', reject);
    child.on('close', (code) => {
      if (code === 0) resolve(`${byteLength} ${hash.digest('hex')}`);
      else reject(new Error(`${command} ended with ${code}`));
    });
  });
}
