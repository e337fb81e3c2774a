// What SECURITY.md promises is shown by tests: a sentence in its lists without one is not a promise.
import { existsSync, readFileSync } from 'node:fs';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };
import { sourcesIn } from '../house/sources.js';

/** Where no test can show that somebody is not kept out of something. */
const NO_PROMISES = 'Who is not kept out';

/** The tests of each sentence, by how it begins: `file: name of a test`. A name ends where its values begin. */
const SHOWN_BY: { readonly [sentence: string]: readonly string[] } = {
  'Nothing that they send makes the library read or write outside': [
    'test/rows/rows-fuzz.sweep.test.ts: have the keys that Papa Parse finds, and are malformed where they should be',
    'test/rows/rows-fuzz.sweep.test.ts: have them wherever they are cut',
    'test/arrow/refused.test.ts: offsets that descend or pass the data, by their row of the whole vector',
    'test/arrow/refused.test.ts: a chunk whose memory does not hold its rows',
  ],
  'Nothing that they send makes a command write another file': [
    'test/cli/parquet/awkward.test.ts: cannot be a directory called %j',
    'test/cli/out.sweep.test.ts: if it is an input, by whatever name',
    'test/node/one-name.test.ts: do not replace files that have come into their directory meanwhile',
    'test/cli/passwords.test.ts: takes no mistyped URL for the name of a file: %j',
  ],
  'Nothing that they send makes a command take much longer': [
    'test/house/expressions.long.test.ts: read no text again and again: $place $regex',
    'test/cli/passwords.test.ts: takes time by its length, whatever is in it',
  ],
  'Nothing that they send reaches your terminal': [
    'test/cli/foreign-text.sweep.test.ts: wherever the command line has it',
    'test/cli/foreign-text.test.ts: writes to standard error in one place, except for the question and the bar, which are of the program',
  ],
  'Rows for machines stay byte for byte': ['test/cli/foreign-text.test.ts: are the same bytes as before'],
  'The inspector sends nothing anywhere': [
    'test/inspector/page.server.test.ts: which works without a network, and asks for nothing',
    'test/inspector/page.server.test.ts: refers to nothing outside of itself',
  ],
  'The inspector runs no code': ['test/inspector/page.server.test.ts: runs nothing that was pasted into it'],
  'An interner never gives two different strings the same id': [
    'test/conformance/interner.test.ts: gives each an id of its own, if strings are chosen so that they have one XXH64 with any seed',
    'test/conformance/postgres-hashes.long.test.ts: that two strings share are an error, never the id of the other string',
    'test/simulation/simulation.long.test.ts: one seed decides everything',
  ],
  'They cannot make an interner reject their strings': [
    'test/conformance/sqlite.sweep.test.ts: has a hash for each of 4,096 strings that were chosen to have one XXH64 with any seed',
    'test/conformance/sqlite.sweep.test.ts: hashes with a key of its own, which nobody can foresee',
    'test/conformance/postgres-hashes.long.test.ts: have a random key, made once by whoever writes first, however many do',
    'test/conformance/postgres-hashes.long.test.ts: are SipHash-2-4 of the string in 128 bits',
  ],
  'It cannot have code run as a role that opens or uses the store': [
    'test/conformance/postgres-strangers.sweep.test.ts: has nothing run as the role of a store, whatever is created there',
  ],
  'Tables, indexes, triggers and rules that it owns': [
    'test/conformance/postgres-whole.sweep.test.ts: is refused with all that is missing or foreign: %s',
    'test/conformance/postgres-whole.sweep.test.ts: is no stranger who may create in the schema, or made one with the name of the role',
  ],
  'Links and folders that they put beside a high-water file': [
    'test/node/high-water-file.test.ts: is not removed through a link to a folder that has %j',
    'test/node/high-water-file.test.ts: stays if it is a file, or a link to a file or to nothing',
    'test/node/high-water-file.test.ts: is not touched if the folder of a holder has become a link, whatever the holder does next',
  ],
  'A new file that holds a hash key': [
    'test/conformance/sqlite-rights.sweep.test.ts: can only be read by its user, and so can those beside it',
  ],
  'A backup, a restore and a move keep the mode': [
    'test/conformance/sqlite-rights.sweep.test.ts: keeps its mode: %s',
    'test/conformance/sqlite-rights.sweep.test.ts: keeps its own mode when a backup is put in its place, and so does the file that was there',
  ],
  '`store restore` replaces only a store': [
    'test/conformance/sqlite-restore.sweep.test.ts: does not replace %s',
    'test/conformance/sqlite-restore.sweep.test.ts: numbers the files that were there, and never replaces one of them',
  ],
  '`shardbits inspect` listens on 127.0.0.1 only': [
    'test/cli/inspect.server.test.ts: serves nothing else, to nobody else',
  ],
  'The password of a store is in none of these': [
    'test/cli/passwords.sweep.test.ts: never prints a password',
    'test/cli/passwords.test.ts: keeps no password of the names that a move is given',
    'test/cli/passwords.test.ts: has no password: %j',
  ],
  'Two generators that lease their shards': [
    'test/conformance/lease.test.ts: keep two holders of a shard from minting an id twice, whatever their clocks show',
    'test/conformance/lease.test.ts: serve two generators, in turns or one after the other, without repeating an id',
  ],
  'The library and the command line open no connection': [
    'test/docs/security.test.ts: only stores and the inspector, which listens, have what makes connections',
  ],
  'The command line tells DuckDB to install no extensions': [
    'test/cli/parquet/awkward.test.ts: a pattern that is a URL is refused, and nothing is fetched',
  ],
  'The package has no runtime dependencies': ['test/package/package.server.test.ts: has no dependencies'],
  'Installed from npm, it runs no script': [
    'test/docs/security.test.ts: has no script that npm runs for those who install it',
  ],
  'What is bundled with it is listed': [
    'test/package/package.server.test.ts: ships the licences of what is bundled with it',
  ],
  'Until the release nobody owns its name': [
    'test/docs/references.test.ts: nothing is taught that would run what a stranger publishes under it',
  ],
};

/** The sentences in the lists of a page, without their line breaks. */
function sentencesOf(page: string): string[] {
  const promises = page.split(/^## /m).filter((section) => !section.startsWith(NO_PROMISES));
  return promises
    .flatMap((section) => section.match(/^- (.*\n(?: {2}.*\n)*)/gm) ?? [])
    .flatMap((item) =>
      item
        .slice(2)
        .replace(/\s+/g, ' ')
        .trim()
        .split(/(?<=\.) (?=[A-Z])/),
    );
}

/** The names of the tests in a file, each up to its first value. */
function testsIn(file: string): Set<string> {
  const names = new Set<string>();
  const visit = (node: ts.Node): void => {
    const [name] = ts.isCallExpression(node) ? node.arguments : [];
    const called = ts.isCallExpression(node) ? node.expression.getText(source).replace(/\s/g, '') : '';
    if (
      name !== undefined &&
      ts.isStringLiteralLike(name) &&
      /^it\b|^test\b/.test(called) &&
      !/\bskip\b(?!If)/.test(called)
    ) {
      names.add(name.text);
    }
    node.forEachChild(visit);
  };
  const source = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest, true);
  visit(source);
  return names;
}

const sentences = sentencesOf(readFileSync('SECURITY.md', 'utf8'));

describe('SECURITY.md', () => {
  it.each(sentences)('%s', (sentence) => {
    const tests = Object.entries(SHOWN_BY).flatMap(([start, names]) => (sentence.startsWith(start) ? names : []));
    expect(tests, 'name a test that shows this sentence in SHOWN_BY').not.toEqual([]);
    for (const test of tests) {
      const [file = '', name = ''] = test.split(/: (.*)/s);
      expect(existsSync(file), file).toBe(true);
      expect([...testsIn(file)], test).toContain(name);
    }
  });

  it('has a sentence for every entry of the table', () => {
    expect(sentences.length).toBeGreaterThan(20);
    expect(Object.keys(SHOWN_BY).filter((start) => !sentences.some((one) => one.startsWith(start)))).toEqual([]);
  });
});

describe('the package', () => {
  it('has no script that npm runs for those who install it', () => {
    const scripts = Object.keys(manifest.scripts);
    expect(scripts.filter((name) => /^(pre|post)?install$/.test(name))).toEqual([]);
  });

  it('only stores and the inspector, which listens, have what makes connections', () => {
    const connecting =
      /^import (?!type)[^']*'(?:node:)?(net|tls|http|https|http2|dgram|dns)'|\b(fetch|WebSocket|EventSource|XMLHttpRequest)\(|sendBeacon|import\('(postgres|etcd3)'\)/m;
    const files = sourcesIn('src').filter(({ text }) => connecting.test(text.replace(/^\s*(\*|\/\/).*$/gm, '')));
    expect(files.map(({ path }) => path).sort()).toEqual([
      'src/cli/commands/inspect.ts',
      'src/registry/stores/etcd/members.ts',
      'src/registry/stores/postgres/client.ts',
    ]);
  });
});
