// `npm run bench:files [-- --quick] [--json FILE]`: files of keys routed by whole processes, from their start
// to their end: the command line, a plain C program (route.c), and ClickHouse in Node.js (route-clickhouse.mjs).
// All write the same u32s, compared byte for byte first. Linux, as it reads peak memory from /proc.
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { closeSync, createReadStream, existsSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { Area, Way } from '../area.js';
import { run, writeReport } from '../run.js';
import { writeAtUris } from './at-uri-file.js';

const SHARDS = '1024';
const folder = mkdtempSync(join(tmpdir(), 'shardbits-bench-'));
const out = join(folder, 'out');
const program = join(folder, 'route');
const hasC = spawnSync('cc', ['-O3', '-march=native', '-o', program, 'bench/peers/route.c', '-lxxhash']).status === 0;
const hasClickHouse = existsSync('bench/peers/node_modules/chdb');
if (!hasC) console.log('plain C is left out: no C compiler with libxxhash here (Debian: gcc, libxxhash-dev)');
if (!hasClickHouse) console.log('ClickHouse is left out: npm install --prefix bench/peers');

async function* files(rows: number): AsyncIterable<Area> {
  for (const keys of rows > 4_000_000 ? [4_000_000, 16_000_000, 42_000_000] : [rows]) {
    const path = join(folder, `keys-${keys}`);
    writeAtUris(path, keys);
    const cli = (threads: number) =>
      processWay(`shardbits, ${threads} thread${threads > 1 ? 's' : ''}`, process.execPath, [
        ...['dist/cli.js', 'route', path, '--shards', SHARDS, '--format', 'u32', '--threads', `${threads}`],
      ]);
    yield {
      name: `route-${keys}`,
      title: `route --format u32, a file of ${(keys * 71) / 1e6} MB`,
      rows: keys,
      bytesPerRow: 75,
      ways: [
        cli(1),
        cli(2),
        ...(availableParallelism() > 2 ? [cli(availableParallelism())] : []),
        ...(hasC ? [processWay('C, -O3 -march=native', program, [path, SHARDS, 'u32'])] : []),
        ...(hasClickHouse
          ? [
              processWay('ClickHouse, one thread', process.execPath, [
                'bench/peers/route-clickhouse.mjs',
                path,
                SHARDS,
                out,
              ]),
            ]
          : []),
      ],
    };
    rmSync(path);
  }
}

/** A process that writes to standard output, which is a file here. */
function processWay(name: string, command: string, args: readonly string[]): Way {
  let isVerified = false;
  let ns = 0;
  let peakBytes = 0;
  return {
    name,
    async run() {
      const file = openSync(out, 'w');
      const start = process.hrtime.bigint();
      const child = spawn(command, args, { stdio: ['ignore', file, 'inherit'] });
      const watching = setInterval(() => {
        peakBytes = Math.max(peakBytes, peakOf(child.pid as number));
      }, 10);
      const code = await new Promise((resolve) => child.on('exit', resolve));
      ns = Number(process.hrtime.bigint() - start);
      clearInterval(watching);
      closeSync(file);
      if (code !== 0) throw new Error(`${name}: exit code ${code}`);
      if (isVerified) return undefined;
      isVerified = true;
      return [await digestOf(out)];
    },
    ownTime: () => ns,
    peakBytes: () => peakBytes,
  };
}

/** The most memory that a process has had resident; 0 once it has ended. */
function peakOf(pid: number): number {
  try {
    return 1024 * Number(/^VmHWM:\s*(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0);
  } catch {
    return 0;
  }
}

async function digestOf(path: string): Promise<Uint8Array> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer);
  return hash.digest();
}

const { values } = parseArgs({ options: { quick: { type: 'boolean' }, json: { type: 'string' } } });
const size = values.quick ? { rows: 4_000_000, rounds: 3 } : { rows: 42_000_000, rounds: 5 };
const report = await run([files], size).finally(() => rmSync(folder, { recursive: true }));
if (values.json !== undefined) writeReport(values.json, report);
