import { describe, expect, it } from 'vitest';
import { StoreUnavailableError } from '../../src/errors.js';
import { sqliteError } from '../../src/registry/stores/sqlite/connection.js';
import { makeTables } from '../../src/registry/stores/sqlite/file.js';

describe('errors of a store in SQLite', () => {
  it('are its own if the file system refuses', () => {
    const cause = Object.assign(new Error('EPERM: operation not permitted, link'), { code: 'EPERM', syscall: 'link' });
    const error = sqliteError(cause, 'ids.db');
    expect(error).toBeInstanceOf(StoreUnavailableError);
    expect(error).toMatchObject({ message: `ids.db: ${cause.message}`, isTransient: false, cause });
  });

  it('are those of before a rollback that fails, because SQLite has rolled back itself', () => {
    const database = {
      exec(sql: string) {
        if (sql === 'rollback') throw new Error('cannot rollback - no transaction is active');
      },
      prepare() {
        throw new Error('disk I/O error');
      },
      close() {},
    };
    expect(() => makeTables(database)).toThrow('disk I/O error');
  });
});
