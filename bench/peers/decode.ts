import { rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Area } from '../area.js';
import { u64s } from '../inputs.js';
import { clickhouseWays, duckdbWays, folder, output, outputDigest, shardbitsWay } from './processes.js';

const EPOCH = 1672531200000; // of layouts.snowflake
const ROW = '286435872092454913\t1740822615500\t100\t1\t2025-03-01T09:50:15.500Z\n';

/** Decodes snowflake ids, one on each line, to a table of their fields and dates. All ways write the same bytes. */
export function* decode(rows: number): Iterable<Area> {
  const path = join(folder, 'ids');
  const ids = u64s(rows).map((key) => key >> 1n);
  writeFileSync(path, `${ids.join('\n')}\n`);
  const { size } = statSync(path);
  yield {
    name: 'decode',
    title: `decode --layout snowflake, a file of ${Math.round(size / 1e6)} MB`,
    rows,
    bytesPerRow: Math.round(size / rows) + ROW.length,
    ways: [
      shardbitsWay('shardbits', ['decode', path, '--layout', 'snowflake', '--threads', '1'], outputDigest),
      ...duckdbWays(
        1,
        `COPY (
          SELECT id, (id >> 22) + ${EPOCH} AS timestamp, (id >> 12) & 1023 AS shard, id & 4095 AS sequence,
            strftime(epoch_ms(timestamp::BIGINT), '%Y-%m-%dT%H:%M:%S.%gZ') AS date
          FROM read_csv('${path}', columns = {'id': 'UBIGINT'}, header = false)
        ) TO '${output}' (FORMAT csv, DELIMITER '\t', HEADER)`,
        outputDigest,
      ),
      ...clickhouseWays(
        `SELECT id, bitShiftRight(id, 22) + ${EPOCH} AS timestamp, bitAnd(bitShiftRight(id, 12), 1023) AS shard,
          bitAnd(id, 4095) AS sequence,
          formatDateTime(fromUnixTimestamp64Milli(timestamp::Int64, 'UTC'), '%Y-%m-%dT%H:%i:%S.%fZ') AS date
        FROM file('${path}', 'TSV', 'id UInt64') INTO OUTFILE '${output}' TRUNCATE FORMAT TSVWithNames`,
        outputDigest,
      ),
    ],
  };
  rmSync(path);
}
