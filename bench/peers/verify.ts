// `npm run verify [-- FILE…]`: routes real files by the command line and by a plain C program (route.c),
// at several numbers of shards and in every format, and compares the outputs byte for byte. Files: the
// system's word list, four million AT-URIs, and those given.
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { atUris } from '../../src/cli/at-uris.js';

const SHARDS = [1, 2, 10, 1024, 100_000];
const FORMATS = ['tsv', 'shard', 'u32'];
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
  const files = [WORDS, atUrisFile(4_000_000), ...process.argv.slice(2)];
  let different = 0;
  for (const file of files) {
    if (!existsSync(file)) {
      console.log(`skipped: no ${file} (Debian: wamerican-insane)`);
      if (process.env.CI) different++;
      continue;
    }
    const lines = execFileSync('wc', ['-l', file], { encoding: 'utf8' }).split(' ')[0];
    for (const shards of SHARDS) {
      for (const format of FORMATS) {
        const ours = digest(process.execPath, [
          'dist/cli.js',
          'route',
          file,
          '--shards',
          `${shards}`,
          '--format',
          format,
        ]);
        const theirs = digest(peer, [file, `${shards}`, format]);
        const same = (await ours) === (await theirs);
        if (!same) different++;
        console.log(`${same ? 'same     ' : 'DIFFERENT'} ${lines} lines of ${file}, ${shards} shards, ${format}`);
      }
    }
  }
  console.log(different === 0 ? 'all outputs are the same as those of the C program' : `${different} are not the same`);
  return different === 0 ? 0 : 1;
}

function atUrisFile(count: number): string {
  const { data, offsets } = atUris(count);
  const rowBytes = (offsets[1] as number) + 1;
  const text = Buffer.alloc(count * rowBytes, '\n');
  for (let row = 0; row < count; row++) text.set(data.subarray(offsets[row], offsets[row + 1]), row * rowBytes);
  const path = join(folder, 'at-uris.txt');
  writeFileSync(path, text);
  return path;
}

/** The SHA-256 and length of what a command writes. */
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
