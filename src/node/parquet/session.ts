import { freemem } from 'node:os';
import type { DuckDBConnection, DuckDBDataChunk, DuckDBInstance } from '@duckdb/node-api';
import { type Api, checkVectors, loadApi } from '../../engines/duckdb/api.js';
import { type TemporaryDirectory, temporaryDirectory } from '../files/output.js';

/** What DuckDB may use before it writes to disk. Its buffers for files and the memory of this process come on top. */
const MEMORY_MB = 256;
const MEMORY_MB_A_THREAD = 64;
/** The writer of a column: 400 columns of text with 5 rows need from 384 to 512 MB, whatever the number of threads. */
const MEMORY_MB_A_COLUMN = 1.5;
/** A row group is read and written in one piece: 91 MB of texts in 21 columns need from 384 to 512 MB. */
const ROW_GROUPS = 2;
/** The part of the memory that is free which DuckDB may use at most. */
const SHARE = 3 / 4;

/**
 * The limit for DuckDB, in MB.
 * @param table how many columns a table has, those in nested ones counted, and its largest row group, uncompressed
 * @param freeMb what the machine or the container has left
 */
export function memoryFor(table: { columns: number; rowGroupMb: number }, threads: number, freeMb: number): number {
  const { columns, rowGroupMb } = table;
  const least = MEMORY_MB + threads * MEMORY_MB_A_THREAD;
  const needed = least + columns * MEMORY_MB_A_COLUMN + ROW_GROUPS * rowGroupMb;
  return Math.ceil(Math.max(least, Math.min(needed, SHARE * freeMb)));
}

function freeMb(): number {
  const limit = process.constrainedMemory() || Number.POSITIVE_INFINITY; // 0 or more than there is, if there is none
  return Math.min(limit - process.memoryUsage.rss(), freemem()) / 1e6;
}

/** A DuckDB in this process, with a directory for what does not fit its memory. */
export class Session {
  readonly #connections: DuckDBConnection[];

  private constructor(
    readonly api: Api,
    private readonly instance: DuckDBInstance,
    readonly connection: DuckDBConnection,
    readonly temporary: TemporaryDirectory,
    readonly threads: number,
    private readonly signal: AbortSignal | undefined,
  ) {
    this.#connections = [connection];
    signal?.addEventListener('abort', this.#interrupt);
  }

  readonly #interrupt = (): void => {
    for (const connection of this.#connections) connection.interrupt();
  };

  /**
   * @param user what needs DuckDB, for the error if it is not installed
   * @param place a directory where there is room for temporary files
   * @param signal ends what is running
   */
  static async open(user: string, place: string, threads: number, signal?: AbortSignal): Promise<Session> {
    const api = await loadApi(user);
    signal?.throwIfAborted();
    const temporary = temporaryDirectory(place);
    try {
      const instance = await api.DuckDBInstance.create(':memory:', {
        memory_limit: `${memoryFor({ columns: 0, rowGroupMb: 0 }, threads, 0)}MB`,
        temp_directory: temporary.path,
        threads: String(threads),
        // A pattern that is a URL would fetch an extension.
        autoinstall_known_extensions: 'false',
        autoload_known_extensions: 'false',
      });
      const connection = await instance.connect();
      await checkVectors(api, connection, user);
      return new Session(api, instance, connection, temporary, threads, signal);
    } catch (error) {
      temporary.discard();
      throw error;
    }
  }

  /** Gives DuckDB the memory that a table needs, as far as there is any. */
  async makeRoom(size: Parameters<typeof memoryFor>[0]): Promise<void> {
    await this.run(`SET memory_limit = '${memoryFor(size, this.threads, freeMb())}MB'`);
  }

  /** Another connection to the same database, until the session is closed. */
  async connect(): Promise<DuckDBConnection> {
    const connection = await this.instance.connect();
    this.#connections.push(connection);
    return connection;
  }

  async run(sql: string): Promise<void> {
    this.signal?.throwIfAborted();
    await this.connection.run(sql);
  }

  /** All rows of a result that is small. */
  async rows(sql: string): Promise<unknown[][]> {
    this.signal?.throwIfAborted();
    return (await this.connection.runAndReadAll(sql)).getRows();
  }

  /** The rows of a result that may be large, up to 2,048 at a time, in their order. */
  async *chunks(sql: string): AsyncGenerator<DuckDBDataChunk> {
    const result = await this.connection.stream(sql);
    for (;;) {
      this.signal?.throwIfAborted();
      const chunk = await result.fetchChunk();
      if (chunk === null || chunk.rowCount === 0) return;
      yield chunk;
    }
  }

  close(): void {
    this.signal?.removeEventListener('abort', this.#interrupt);
    for (const connection of this.#connections) connection.closeSync();
    this.instance.closeSync();
    this.temporary.discard();
  }
}

export const literal = (text: string): string => `'${text.replaceAll("'", "''")}'`;

export const identifier = (name: string): string => `"${name.replaceAll('"', '""')}"`;
