import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Way } from '../area.js';

interface Session {
  query(sql: string, format?: string): string;
  queryAsync(sql: string, options: { format: string }): Promise<{ bytes(): Uint8Array }>;
  cleanup(): void;
}

/** What a server's configuration needs for functions in WebAssembly. */
const CONFIGURATION = `<clickhouse>
  <allow_experimental_webassembly_udf>true</allow_experimental_webassembly_udf>
  <webassembly_udf_engine>wasmtime</webassembly_udf_engine>
</clickhouse>`;

/** ClickHouse in this process (chDB), on one thread, over tables in its memory. */
export class ClickHouse {
  readonly #session: Session;
  readonly #folder = mkdtempSync(join(tmpdir(), 'shardbits-clickhouse-'));

  constructor() {
    const { Session } = createRequire(import.meta.url)('chdb') as {
      Session: new (path: string, options: { connectionArgs: readonly string[] }) => Session;
    };
    const configuration = join(this.#folder, 'config.xml');
    writeFileSync(configuration, CONFIGURATION);
    this.#session = new Session('', { connectionArgs: [`--config-file=${configuration}`] });
    this.#session.query('CREATE DATABASE bench');
  }

  /** Makes a table of one column `x` from bytes in the format RowBinary. */
  load(table: string, type: string, column: Uint8Array | BigUint64Array): void {
    const folder = mkdtempSync(join(tmpdir(), 'shardbits-bench-'));
    const path = join(folder, 'column.bin');
    writeFileSync(path, column);
    const source = `file('${path}', 'RowBinary', 'x ${type}')`;
    // With several threads, one load in a hundred changes the order of its blocks of 65,409 rows.
    this.#session.query(
      `CREATE TABLE bench.${table} ENGINE = Memory AS SELECT * FROM ${source} SETTINGS max_threads = 1`,
    );
    rmSync(folder, { recursive: true });
  }

  /** The result of a query, in the format RowBinary. */
  async rowBinary(sql: string): Promise<ArrayBuffer> {
    return new Uint8Array((await this.#session.queryAsync(sql, { format: 'RowBinary' })).bytes()).buffer;
  }

  /** The result of a query, as lines with tabs between columns. */
  lines(sql: string): string {
    return this.#session.query(sql, 'TSV');
  }

  drop(table: string): void {
    this.#session.query(`DROP TABLE bench.${table}`);
  }

  /** The nanoseconds of a query whose result is dropped. */
  time(sql: string): number {
    const start = process.hrtime.bigint();
    this.#session.query(sql, 'Null');
    return Number(process.hrtime.bigint() - start);
  }

  /** An expression over `x`. Its results are verified once; the timed query computes the column and drops it. */
  way(table: string, expression: string, Column: typeof Uint32Array | typeof BigUint64Array): Way {
    const sql = `SELECT ${expression} FROM bench.${table} SETTINGS max_threads = 1`;
    let verified = false;
    let ns = 0;
    return {
      name: 'ClickHouse, one thread',
      run: async () => {
        if (!verified) {
          verified = true;
          return [new Column(await this.rowBinary(sql))];
        }
        ns = this.time(sql);
        return undefined;
      },
      ownTime: () => ns,
    };
  }

  stop(): void {
    this.#session.cleanup();
    rmSync(this.#folder, { recursive: true });
  }
}
