import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { build, type Plugin } from 'esbuild';
import { beforeAll, describe, expect, it } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };
import { bundle } from '../support/bundle.js';

/** What is loaded by `import()` comes when a program needs it. */
const later: Plugin = {
  name: 'later',
  setup({ onResolve }) {
    onResolve({ filter: /./ }, ({ kind }) => (kind === 'dynamic-import' ? { external: true } : undefined));
  },
};

/** The files that are loaded with an entry, and have the text of a WebAssembly module. */
async function filesWith(module: Uint8Array, how: 'import' | 'require', entry: string, ...conditions: string[]) {
  const { metafile } = await build({
    stdin: { contents: how === 'import' ? `import '${entry}'` : `require('${entry}')`, resolveDir: '.' },
    bundle: true,
    write: false,
    metafile: true,
    logLevel: 'error',
    format: 'esm',
    platform: 'node',
    conditions,
    external: ['apache-arrow', 'better-sqlite3', 'postgres', '*.wasm'],
    plugins: [later],
    ignoreAnnotations: true, // about side effects: what is loaded, used or not
  });
  const text = Buffer.from(module).toString('hex');
  const paths = Object.keys(metafile.inputs).filter((path) => path.startsWith('dist/'));
  expect(paths.length).toBeGreaterThan(0);
  return paths.filter((path) => readFileSync(path, 'utf8').includes(text));
}

function run(script: string, type: 'module' | 'commonjs' = 'module', cwd = '.'): unknown {
  const args = [`--input-type=${type}`, '-']; // a script may be longer than an argument can be
  return JSON.parse(execFileSync(process.execPath, args, { input: script, encoding: 'utf8', cwd }));
}

describe('the WebAssembly module', () => {
  const module = new WebAssembly.Module(readFileSync('dist/core.wasm'));

  it('imports nothing', () => {
    expect(WebAssembly.Module.imports(module)).toEqual([]);
  });

  it('exports what the ABI lists, and its memory', () => {
    const names = WebAssembly.Module.exports(module).map(({ name }) => name);
    expect(names.sort()).toEqual(
      [
        ...['xxh64', 'xxh64Digest', 'xxh64Init', 'xxh64OfU64', 'xxh64Spans', 'xxh64U64Column', 'xxh64Update'],
        ...['jumpHash', 'jumpHashColumn', 'fastRange', 'fastRangeColumn', 'moduloColumn', 'splitMix64Column'],
        ...['pack', 'unpack', 'firstOutside'],
        ...['lines', 'shardedRows', 'shardRows', 'formatColumn', 'parseColumn', 'toUtf8'],
        ...['DIGITS', 'HEAP', 'PIECE_BYTES', 'PIECE_ROWS', 'SCRATCH', 'SLOT_0', 'SLOT_1', 'SLOT_2', 'SLOT_3'],
        ...['STREAM_STATE', 'memory'],
      ].sort(),
    );
  });

  it('is at most 13 KB', () => {
    expect(readFileSync('dist/core.wasm').length).toBeLessThanOrEqual(13 * 1024);
  });
});

describe('the WebAssembly module for records', () => {
  const bytes = readFileSync('dist/records.wasm');

  it("imports the core's memory, and nothing else", () => {
    const memory = { module: 'env', name: 'memory', kind: 'memory' };
    expect(WebAssembly.Module.imports(new WebAssembly.Module(bytes))).toEqual([memory]);
  });

  it('is at most 13 KB', () => {
    expect(bytes.length).toBeLessThanOrEqual(13 * 1024);
  });
});

describe('the WebAssembly module for partitioners', () => {
  const bytes = readFileSync('dist/partitioners.wasm');

  it("imports the core's memory, and nothing else", () => {
    const memory = { module: 'env', name: 'memory', kind: 'memory' };
    expect(WebAssembly.Module.imports(new WebAssembly.Module(bytes))).toEqual([memory]);
  });

  it('is at most 24 KB', () => {
    expect(bytes.length).toBeLessThanOrEqual(24 * 1024);
  });

  const others = ['shardbits', 'shardbits/kernels', 'shardbits/node', 'shardbits/streams', 'shardbits/arrow'];

  it.each(['import', 'require'] as const)('is in one file, which no other programs load: %s', async (how) => {
    for (const entry of others) expect(await filesWith(bytes, how, entry), entry).toEqual([]);
    const files = await filesWith(bytes, how, 'shardbits/partitioners');
    expect(files).toHaveLength(1);
    for (const store of ['sqlite', 'postgres']) {
      expect(await filesWith(bytes, how, `shardbits/stores/${store}`)).toEqual(files);
    }
  });
});

describe('the WebAssembly module for ClickHouse', () => {
  const bytes = readFileSync(fileURLToPath(import.meta.resolve('shardbits/clickhouse.wasm')));

  it('imports what reports an error in ClickHouse, and nothing else', () => {
    const imports = WebAssembly.Module.imports(new WebAssembly.Module(bytes));
    expect(imports).toEqual([{ module: 'env', name: 'clickhouse_throw', kind: 'function' }]);
  });

  it('is at most 22 KB', () => {
    expect(bytes.length).toBeLessThanOrEqual(22 * 1024);
  });

  it('is in no program', () => {
    const files = readdirSync('dist', { recursive: true, encoding: 'utf8' }).filter((name) => /\.c?js$/.test(name));
    expect(files.length).toBeGreaterThan(10);
    for (const name of files) {
      const program = readFileSync(join('dist', name), 'latin1');
      for (const encoding of ['hex', 'base64'] as const)
        expect(program.includes(bytes.toString(encoding)), name).toBe(false);
      if (name !== 'cli/sql.cjs') expect(program, name).not.toContain('clickhouse.wasm'); // the command sql reads it
    }
  });
});

describe('the package', () => {
  it('has no dependencies', () => {
    expect(Object.keys(manifest)).not.toContain('dependencies');
    expect(readFileSync('dist/cli.js', 'utf8')).not.toMatch(/from ["'](commander|cli-progress)/);
  });

  it('ships the licences of what is bundled with it', () => {
    const licenses = readFileSync('dist/THIRD-PARTY-LICENSES.txt', 'utf8');
    for (const name of [
      '@assemblyscript/loader',
      '@noble/hashes',
      'commander',
      'cli-progress',
      'string-width',
      'preact',
      'fzstd',
    ]) {
      expect(licenses).toMatch(new RegExp(`^${name} \\d`, 'm'));
    }
    expect(licenses).toContain(readFileSync('node_modules/assemblyscript/NOTICE', 'utf8').trim());
  });

  it('needs nothing of Node in the core', async () => {
    const entries = ['kernels', 'streams', 'partitioners', 'detect', 'wide-ids', 'arrow', 'sets'].map(
      (name) => `shardbits/${name}`,
    );
    for (const entry of ['shardbits', ...entries]) {
      expect(await bundle(`export * from '${entry}'`)).not.toMatch(/["'`]node:|require\(/);
    }
  });

  it('is at most 22.6 KB of gzip with everything in the core, WebAssembly inside; with minting 24.9 KB', async () => {
    const minting = [
      'SnowflakeGenerator',
      'SequenceExhaustedError',
      'ClockBackwardsError',
      'LayoutExpiredError',
      'LeaseLostError',
    ];
    const core = Object.keys(await import('shardbits')).filter((name) => !minting.includes(name));
    const gzip = async (names: string) => gzipSync(await bundle(`export ${names} from 'shardbits'`)).length;
    expect(await gzip(`{ ${core.join()} }`)).toBeLessThanOrEqual(22.6 * 1024);
    expect(await gzip('*')).toBeLessThanOrEqual(24.9 * 1024);
  });

  it('leaves out what is not used: importing it for nothing bundles nothing', async () => {
    expect(
      await bundle(
        `import 'shardbits'; import 'shardbits/kernels'; import 'shardbits/streams'; import 'shardbits/partitioners'; import 'shardbits/wide-ids'; import { layouts } from 'shardbits';`,
      ),
    ).toBe('');
    expect((await bundle(`export { typedKey } from 'shardbits'`)).length).toBeLessThan(3000);
  });

  it("gives the same without Node's Buffer, as in a browser", () => {
    const script = `
      const texts = ['жизнь', 'a', '漢字\\ud800', '😀'];
      const { xxh64Many, setBackend, getBackend } = await import('shardbits');
      setBackend('bigint');
      const expected = xxh64Many(texts).join();
      delete globalThis.Buffer;
      setBackend('auto');
      const wasm = xxh64Many(texts).join();
      console.log(JSON.stringify([getBackend(), wasm === expected]));`;
    expect(run(script)).toEqual(['wasm', true]);
  });

  it("routes streams of CSV without Node's Buffer, as in a browser", async () => {
    const program = await bundle(`
      import { getBackend, Router, setBackend } from 'shardbits';
      import { recordStream, routeStream } from 'shardbits/streams';
      delete globalThis.Buffer;
      const rows = { format: 'csv', key: ['type', 'user'] };
      const table = () => new Blob(['user,type\\n"4""2",ü\\n43,User']).stream();
      const said = [];
      for (const backend of ['wasm', 'bigint']) {
        setBackend(backend);
        const [shards, keys] = [[], []];
        for await (const some of table().pipeThrough(routeStream(new Router({ shards: 1024 }), { records: rows }))) shards.push(...some);
        for await (const some of table().pipeThrough(recordStream(rows))) keys.push(new TextDecoder().decode(some.keys.data));
        said.push([getBackend(), shards, keys.join('')]);
      }
      console.log(JSON.stringify(said));`);
    const { Router, typedKey } = await import('shardbits');
    const keys = [typedKey('ü', '4"2'), typedKey('User', '43')];
    const shards = [...new Router({ shards: 1024 }).routeMany(keys)];
    expect(run(program)).toEqual(['wasm', 'bigint'].map((backend) => [backend, shards, keys.join('')]));
  });

  it('routes streams of CSV and places keys where nothing may be compiled at once, and the core has been loaded', () => {
    const script = `
      const { getBackend, loadBackend, Router } = await import('shardbits');
      const { routeStream } = await import('shardbits/streams');
      const { partitioner } = await import('shardbits/partitioners');
      await loadBackend();
      const { Module } = WebAssembly;
      WebAssembly.Module = class extends Module { constructor() { throw new RangeError('disallowed on the main thread'); } };
      const shards = [];
      const table = new Blob(['user\\nuser:42\\nuser:43']).stream();
      const rows = { format: 'csv', key: 'user' };
      for await (const some of table.pipeThrough(routeStream(new Router({ shards: 1024 }), { records: rows }))) shards.push(...some);
      const placed = partitioner('redis').routeMany(['foo', '{user1000}.following']);
      console.log(JSON.stringify([getBackend(), shards, Array.from(placed)]));`;
    expect(run(script)).toEqual(['wasm', [717, 360], [12182, 3443]]);
  });

  it("places keys without Node's Buffer, as in a browser", async () => {
    const program = await bundle(`
      import { getBackend, setBackend } from 'shardbits';
      import { partitioner } from 'shardbits/partitioners';
      delete globalThis.Buffer;
      const said = [];
      for (const backend of ['wasm', 'bigint']) {
        setBackend(backend);
        const [kafka, flink] = [partitioner('kafka', { partitions: 12 }), partitioner('flink', { maxParallelism: 128 })];
        said.push([getBackend(), ...kafka.routeMany(['', 'abc', 'é']), flink.route('漢字') === flink.routeMany(['漢字'])[0]]);
      }
      console.log(JSON.stringify(said));`);
    expect(run(program)).toEqual(['wasm', 'bigint'].map((backend) => [backend, 9, 3, 3, true]));
  });

  it('streams without a FinalizationRegistry, as in workerd', () => {
    const script = `
      delete globalThis.FinalizationRegistry;
      const { routeStream } = await import('shardbits/streams');
      const { Router } = await import('shardbits');
      const shards = [];
      const keys = new Blob(['user:42\\nuser:43']).stream();
      for await (const column of keys.pipeThrough(routeStream(new Router({ shards: 1024 })))) shards.push(...column);
      console.log(JSON.stringify(shards));`;
    expect(run(script)).toEqual([717, 360]);
  });

  it('compiles nothing at import', () => {
    const script = `
      let compiled = 0;
      const { Module } = WebAssembly;
      WebAssembly.Module = class extends Module { constructor(bytes) { super(bytes); compiled++; } };
      const { xxh64 } = await import('shardbits');
      await import('shardbits/kernels');
      await import('shardbits/partitioners');
      const before = compiled;
      xxh64('a');
      console.log(JSON.stringify([before, compiled]));`;
    expect(run(script)).toEqual([0, 1]);
  });
});

describe('one choice of backend is shared by all entries', () => {
  const script = `
    setBackend('bigint');
    const { wasm } = kernels;
    const before = getBackend();
    setBackend('wasm');
    const column = wasm.column('u64', 4);
    console.log(JSON.stringify([before, getBackend(), xxh64Many(column.array, { out: column.array }) === column.array, typeof node.routeFile]));`;

  it('as ES modules', () => {
    const imports = `import { getBackend, setBackend, xxh64Many } from 'shardbits'; import * as kernels from 'shardbits/kernels'; import * as node from 'shardbits/node';`;
    expect(run(imports + script)).toEqual(['bigint', 'wasm', true, 'function']);
  });

  it('as CommonJS', () => {
    const requires = `const { getBackend, setBackend, xxh64Many } = require('shardbits'); const kernels = require('shardbits/kernels'); const node = require('shardbits/node');`;
    expect(run(requires + script, 'commonjs')).toEqual(['bigint', 'wasm', true, 'function']);
  });

  it('also to a router made by one entry and used by another', () => {
    const script = `const { Router } = require('shardbits'); const { routeFile } = require('shardbits/node');
      routeFile('package.json', { router: new Router({ shards: 3 }), out: '/dev/null' }).then(({ bytes }) => console.log(bytes));`;
    expect(run(script, 'commonjs')).toBe(readFileSync('package.json').length);
  });
});

describe('a partitioner of one copy of the package', () => {
  it('is known to another: CommonJS and ES modules', () => {
    const script = `import { createRequire } from 'node:module'; import { Readable } from 'node:stream';
      import { planReshard } from 'shardbits'; import { routeLines } from 'shardbits/node';
      const { partitioner } = createRequire(import.meta.url)('shardbits/partitioners');
      const router = partitioner('kafka', { partitions: 12, key: 'int64' });
      const shards = [planReshard(BigInt64Array.of(-1n), router, router).total];
      for await (const batch of routeLines(Readable.from(['-1']), router)) shards.push(...batch.shards);
      console.log(JSON.stringify(shards));`;
    expect(run(script)).toEqual([1, 5]);
  });
});

describe('a peer', () => {
  const PEERS = { 'apache-arrow': 'shardbits/arrow', 'roaring-wasm': 'shardbits/sets' };
  let errors: { readonly [entry: string]: { readonly code: string; readonly message: string } };

  beforeAll(() => {
    const folder = mkdtempSync(join(tmpdir(), 'shardbits-alone-'));
    cpSync('dist', join(folder, 'node_modules/shardbits/dist'), { recursive: true });
    cpSync('package.json', join(folder, 'node_modules/shardbits/package.json'));
    const script = `
      for (const entry of ['shardbits', 'shardbits/kernels', 'shardbits/node', 'shardbits/partitioners', 'shardbits/wide-ids']) await import(entry);
      const errors = {};
      for (const entry of ${JSON.stringify(Object.values(PEERS))})
        await import(entry).catch(({ code, message }) => { errors[entry] = { code, message }; });
      console.log(JSON.stringify(errors));`;
    errors = run(script, 'module', folder) as typeof errors;
    rmSync(folder, { recursive: true });
  });

  it.each(Object.entries(PEERS))('%s is asked for by %s alone', (peer, entry) => {
    expect(errors[entry]?.code).toBe('ERR_MODULE_NOT_FOUND');
    expect(errors[entry]?.message).toContain(`Cannot find package '${peer}'`);
  });
});

describe('apache-arrow', () => {
  it.each([
    ['module', `const arrow = await import('apache-arrow'); const { routeVector } = await import('shardbits/arrow');`],
    ['commonjs', `const arrow = require('apache-arrow'); const { routeVector } = require('shardbits/arrow');`],
  ] as const)("gives vectors of the program's own copy: %s", (type, imports) => {
    const core = type === 'module' ? `await import('shardbits')` : `require('shardbits')`;
    const script = `${imports}
      const shards = routeVector(new (${core}).Router({ shards: 1024 }), arrow.vectorFromArray(['user:42', 'user:43']));
      const table = arrow.tableFromIPC(arrow.tableToIPC(new arrow.Table({ shards })));
      console.log(JSON.stringify(Array.from(table.getChild('shards'))));`;
    expect(run(script, type)).toEqual([717, 360]);
  });
});

describe('roaring-wasm', () => {
  const imports = {
    module: `import { IdSet, loadSets } from 'shardbits/sets';`,
    commonjs: `const { IdSet, loadSets } = require('shardbits/sets');`,
  };

  it.each(['module', 'commonjs'] as const)('is ready in Node: %s', (type) => {
    const script = `${imports[type]}
      const set = IdSet.from(BigUint64Array.of(5n, 2n ** 64n - 1n));
      loadSets().then((nothing) => console.log(JSON.stringify([nothing ?? 0, String(set.toColumn())])));`;
    expect(run(script, type)).toEqual([0, '5,18446744073709551615']);
  });

  it('has to be awaited in browsers, which is said', async () => {
    const program = await bundle(`${imports.module}
      const said = [];
      try { new IdSet() } catch ({ message }) { said.push(message) }
      try { IdSet.from(new BigUint64Array(1)) } catch ({ message }) { said.push(message) }
      await loadSets();
      said.push(String(IdSet.deserialize(IdSet.from(BigUint64Array.of(5n, 2n ** 64n - 1n)).serialize()).toColumn()));
      console.log(JSON.stringify(said));`);
    const notYet = 'roaring-wasm is not compiled yet: await loadSets() first';
    const folder = mkdtempSync(join(tmpdir(), 'shardbits-browser-'));
    writeFileSync(join(folder, 'program.mjs'), program);
    const said = JSON.parse(execFileSync(process.execPath, [join(folder, 'program.mjs')], { encoding: 'utf8' }));
    rmSync(folder, { recursive: true });
    expect(said).toEqual([notYet, notYet, '5,18446744073709551615']);
  });

  it('serves ES modules and CommonJS alike: sets of one are known to the other', () => {
    const script = `import { createRequire } from 'node:module'; ${imports.module}
      const theirs = createRequire(import.meta.url)('shardbits/sets').IdSet;
      const [a, b] = [IdSet.from(BigUint64Array.of(1n, 2n)), theirs.from(BigUint64Array.of(2n, 2n ** 40n))];
      console.log(JSON.stringify([IdSet === theirs, String(a.xor(b).toColumn()), a.equals(b), b.equals(b.or(b))]));`;
    expect(run(script)).toEqual([false, '1,1099511627776', false, true]);
  });
});

describe('the types', () => {
  it('add nothing to the global scope', () => {
    const names = readdirSync('dist', { recursive: true, encoding: 'utf8' });
    const declarations = names.filter((name) => /\.d\.c?ts$/.test(name));
    expect(declarations.length).toBeGreaterThan(30);
    expect(declarations.filter((name) => readFileSync(`dist/${name}`, 'utf8').includes('declare global'))).toEqual([]);
  });
});
