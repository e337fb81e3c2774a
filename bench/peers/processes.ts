import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  closeSync,
  createReadStream,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Results, Way } from '../area.js';

/** The folder of the inputs. The bench removes it at its end. */
export const folder = mkdtempSync(join(tmpdir(), 'shardbits-bench-'));
/** A directory that is new and empty before each run of a process. */
export const outputs = join(folder, 'outputs');
/** The file for standard output. Processes that cannot write there write to this file. */
export const output = join(outputs, 'stdout');

const hasDuckDB = isInstalled('DuckDB', '@duckdb/node-api');
const hasClickHouse = isInstalled('ClickHouse', 'chdb');

function isInstalled(name: string, dependency: string): boolean {
  const found = existsSync(`bench/peers/node_modules/${dependency}`);
  if (!found) console.log(`${name} is left out: npm install --prefix bench/peers`);
  return found;
}

/** Reads what a process has written, for comparison. Called once, after the first run. */
export type Written = Way['run'];

/** A process from its start to its end. */
export function processWay(name: string, command: string, args: readonly string[], written?: Written): Way {
  let isVerified = written === undefined;
  let ns = 0;
  let peakBytes = 0;
  return {
    name,
    async run() {
      rmSync(outputs, { recursive: true, force: true });
      mkdirSync(outputs);
      const file = openSync(output, 'w');
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
      return written?.();
    },
    ownTime: () => ns,
    peakBytes: () => peakBytes,
  };
}

export function shardbitsWay(name: string, args: readonly string[], written: Written): Way {
  return processWay(name, process.execPath, ['dist/cli.js', ...args], written);
}

/** Ways with DuckDB; none if it is not installed. */
export function duckdbWays(threads: number, statement: string, written: Written): Way[] {
  const name = `DuckDB, ${threads === 1 ? 'one thread' : `${threads} threads`}`;
  const args = ['bench/peers/query-duckdb.mjs', `${threads}`, statement];
  return hasDuckDB ? [processWay(name, process.execPath, args, written)] : [];
}

/** Ways with ClickHouse, on one thread; none if it is not installed. */
export function clickhouseWays(statement: string, written: Written): Way[] {
  const args = ['bench/peers/query-clickhouse.mjs', statement];
  return hasClickHouse ? [processWay('ClickHouse, one thread', process.execPath, args, written)] : [];
}

/** The bytes of the output, as a digest. */
export async function outputDigest(): Promise<Results> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(output)) hash.update(chunk as Buffer);
  return [hash.digest()];
}

/** The most resident memory that a process has had, in bytes; 0 if it has ended. */
function peakOf(pid: number): number {
  try {
    return 1024 * Number(/^VmHWM:\s*(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0);
  } catch {
    return 0;
  }
}
