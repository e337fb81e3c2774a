import type { DuckDBConnection, DuckDBDataChunk, DuckDBInstance } from '@duckdb/node-api';
import { type TemporaryDirectory, temporaryDirectory } from '../../node/files/output.js';
import { type Api, loadApi } from '../duckdb/api.js';

/** What DuckDB may use before it writes to disk. Its buffers for files and the memory of this process come on top. */
const MEMORY_MB = 256;
const MEMORY_MB_A_THREAD = 64;

/** A DuckDB in this process, with a directory for what does not fit its memory. */
export class Session {
  #functions = 0;

  private constructor(
    readonly api: Api,
    private readonly instance: DuckDBInstance,
    readonly connection: DuckDBConnection,
    private readonly temporary: TemporaryDirectory,
    readonly threads: number,
  ) {}

  /**
   * @param user what needs DuckDB, for the error if it is not installed
   * @param place a directory where there is room for temporary files
   */
  static async open(user: string, place: string, threads: number): Promise<Session> {
    const api = await loadApi(user);
    const temporary = temporaryDirectory(place);
    try {
      const instance = await api.DuckDBInstance.create(':memory:', {
        memory_limit: `${MEMORY_MB + threads * MEMORY_MB_A_THREAD}MB`,
        temp_directory: temporary.path,
        threads: String(threads),
        // A pattern that is a URL would fetch an extension.
        autoinstall_known_extensions: 'false',
        autoload_known_extensions: 'false',
      });
      return new Session(api, instance, await instance.connect(), temporary, threads);
    } catch (error) {
      temporary.discard();
      throw error;
    }
  }

  /** Where the session keeps its files. */
  get directory(): string {
    return this.temporary.path;
  }

  /** Another connection to the same database. */
  connect(): Promise<DuckDBConnection> {
    return this.instance.connect();
  }

  /** A name for another function. */
  nextFunction(): string {
    this.#functions++;
    return `shardbits_${this.#functions}`;
  }

  async run(sql: string): Promise<void> {
    await this.connection.run(sql);
  }

  /** All rows of a result that is small. */
  async rows(sql: string): Promise<unknown[][]> {
    return (await this.connection.runAndReadAll(sql)).getRows();
  }

  /** The rows of a result that may be large, up to 2,048 at a time, in their order. */
  async *chunks(sql: string): AsyncGenerator<DuckDBDataChunk> {
    const result = await this.connection.stream(sql);
    for (;;) {
      const chunk = await result.fetchChunk();
      if (chunk === null || chunk.rowCount === 0) return;
      yield chunk;
    }
  }

  close(): void {
    this.connection.closeSync();
    this.instance.closeSync();
    this.temporary.discard();
  }
}

/** A text as a literal of SQL. */
export const literal = (text: string): string => `'${text.replaceAll("'", "''")}'`;

/** A name as an identifier of SQL. */
export const identifier = (name: string): string => `"${name.replaceAll('"', '""')}"`;
