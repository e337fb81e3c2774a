// `npm run bench -- files [--quick] [--json FILE]`: times whole processes, from start to end, on files of keys, records and
// ids: the command line, a plain C program (route.c), DuckDB and ClickHouse in Node.js. Their outputs are compared first.
// Needs Linux, because it reads peak memory from /proc.
import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { Area } from '../area.js';
import { run, writeReport } from '../run.js';
import { writeAtUris } from './at-uri-file.js';
import { decode } from './decode.js';
import { partition } from './partition.js';
import { clickhouseWays, folder, output, outputDigest, processWay, shardbitsWay } from './processes.js';

const SHARDS = '1024';
const program = join(folder, 'route');
const hasC = spawnSync('cc', ['-O3', '-march=native', '-o', program, 'bench/peers/route.c', '-lxxhash']).status === 0;
if (!hasC) console.log('plain C is left out: there is no C compiler with libxxhash (Debian: gcc, libxxhash-dev)');

async function* files(rows: number): AsyncIterable<Area> {
  for (const keys of rows > 4_000_000 ? [4_000_000, 16_000_000, 42_000_000] : [rows]) {
    const path = join(folder, `keys-${keys}`);
    writeAtUris(path, keys);
    const cli = (threads: number) =>
      shardbitsWay(
        `shardbits, ${threads} thread${threads > 1 ? 's' : ''}`,
        ['route', path, '--shards', SHARDS, '--format', 'u32', '--threads', `${threads}`],
        outputDigest,
      );
    yield {
      name: `route-${keys}`,
      title: `route --format u32, a file of ${(keys * 71) / 1e6} MB`,
      rows: keys,
      bytesPerRow: 75,
      ways: [
        cli(1),
        cli(2),
        ...(availableParallelism() > 2 ? [cli(availableParallelism())] : []),
        ...(hasC ? [processWay('C, -O3 -march=native', program, [path, SHARDS, 'u32'], outputDigest)] : []),
        ...clickhouseWays(
          `SELECT toUInt32(jumpConsistentHash(xxHash64(line), ${SHARDS})) FROM file('${path}', 'LineAsString')
          INTO OUTFILE '${output}' TRUNCATE FORMAT RowBinary`,
          outputDigest,
        ),
      ],
    };
    rmSync(path);
  }
}

const { values } = parseArgs({ options: { quick: { type: 'boolean' }, json: { type: 'string' } } });
const size = values.quick ? { rows: 4_000_000, rounds: 3 } : { rows: 42_000_000, rounds: 5 };
const records = values.quick ? 400_000 : 4_000_000;
const groups = [files, () => partition(records), () => decode(records)];
const report = await run(groups, size).finally(() => rmSync(folder, { recursive: true }));
if (values.json !== undefined) writeReport(values.json, report);
