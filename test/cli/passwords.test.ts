// What looks like the URL of a database is printed without its password, however it is mistyped.
import { readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { withoutPassword } from '../../src/arguments.js';
import { StoreConflictError, StoreCorruptError, StoreUnavailableError } from '../../src/errors.js';
import { journal, memoryStore, moveStore, storeState } from '../../src/registry/index.js';
import { temporaryFolder } from '../support/cli.js';
import { runHere } from '../support/run-here.js';
import { expectNoPassword, FITTING, MISTYPED, SECRET } from './secrets.js';

const NONE = [
  'postgres://u@host:5432/db',
  'postgres://host:5432/db?schema=a',
  'etcd://a:2379,b:2379/prefix',
  'etcds://u@[::1]:2379/p?ca=ca.pem',
  'http://127.0.0.1:4242/',
  'C:\\Users\\me@corp\\ids.db',
  'C:/Users/me@corp/ids.db',
  '/home/me@corp/keys.txt',
  'keys.txt:3: expected',
  'me@example.com',
  'postgres://user:password@host/database',
  'etcd://host:port,host:port',
];

describe('a text without its password', () => {
  it.each([...MISTYPED, ...FITTING])('%j', (text) => {
    const shown = withoutPassword(text);
    expect(shown).not.toContain(SECRET);
    expect(withoutPassword(shown)).toBe(shown);
  });

  it('is as it was if it has none', () => {
    for (const text of NONE) expect(withoutPassword(text)).toBe(text);
  });

  it('keeps what tells one store from another', () => {
    expect(withoutPassword('postgres://u:p@host:5432/db?schema=s')).toBe('postgres://u@host:5432/db?schema=s');
    expect(withoutPassword('u:p@host/db')).toBe('u:***@host/db');
    expect(withoutPassword('host=h password=p dbname=d')).toBe('host=h password=*** dbname=d');
  });

  it('takes time by its length, whatever is in it', () => {
    for (const piece of [
      'a:',
      '/',
      '@/a:',
      '=a:',
      'x://',
      'x://a:',
      'password=',
      "password='\\' ",
      '?password',
      '%40%3a',
    ]) {
      for (const text of [piece.repeat(1e5), `@${piece.repeat(1e5)}`, `${piece.repeat(1e5)}@`]) withoutPassword(text);
    }
  });
});

describe('the command line', () => {
  it('never prints a password, in every fourth place', () => expectNoPassword(4));

  it.each(MISTYPED)('takes no mistyped URL for the name of a file: %j', async (text) => {
    const cwd = temporaryFolder();
    for (const args of [
      ['intern', '--store', text],
      ['mint', '--lease', text],
      ['store', 'move', text, text],
    ]) {
      const { code, stderr } = await runHere(args, { cwd, input: ['a\n'] });
      expect([code, stderr]).toEqual([2, expect.not.stringContaining(SECRET)]);
      expect(stderr).toMatch(/^error: /);
    }
    expect(readdirSync(cwd)).toEqual([]);
  });
});

describe('a store', () => {
  it('keeps no password of the names that a move is given', async () => {
    for (const url of [MISTYPED[0], FITTING[1]] as string[]) {
      const [from, to] = [memoryStore(), memoryStore()];
      await from.replaceSetting('journal', undefined, '[]');
      await moveStore(from, to, { from: url, to: url });
      const kept = JSON.stringify([
        await journal(from),
        await journal(to),
        await storeState(from),
        await storeState(to),
      ]);
      expect(kept).toContain('move');
      expect(kept).not.toContain(SECRET);
    }
  });
});

describe('an error of a store', () => {
  it.each([...MISTYPED, ...FITTING].filter((text) => !/\s\S*sEc/.test(text)))('has no password: %j', (text) => {
    for (const Kind of [StoreUnavailableError, StoreConflictError, StoreCorruptError]) {
      expect(new Kind(`${text}: there is no such file`).message).not.toContain(SECRET);
    }
  });
});
