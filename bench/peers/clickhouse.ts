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

/** ClickHouse in this process (chDB), on one thread, over tables in its memory. */
export class ClickHouse {
  readonly #session: Session;

  constructor() {
    const { Session } = createRequire(import.meta.url)('chdb') as { Session: new () => Session };
    this.#session = new Session();
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
        const start = process.hrtime.bigint();
        this.#session.query(sql, 'Null');
        ns = Number(process.hrtime.bigint() - start);
        return undefined;
      },
      ownTime: () => ns,
    };
  }

  stop(): void {
    this.#session.cleanup();
  }
}
