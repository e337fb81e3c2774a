import { afterAll, describe, expect, it } from 'vitest';
import { partitioner } from '../../src/partitioners/index.js';
import { expectDetected } from '../detect/real-rows.js';
import { onBothBackends } from '../support/backends.js';
import { IS_WHOLE } from '../support/scale.js';
import { KEYS, randomKeys } from './random-keys.js';
import { compile, expectSame } from './real-systems.js';

const libmemcached = compile('libmemcached.c', 'gcc', 'libmemcached', 'gcc libc6-dev libmemcached-dev', '-lmemcached');
afterAll(() => libmemcached.remove());

const USUAL = 11211;
type Server = readonly [host: string, port: number, weight: number];

const RINGS: readonly (readonly [what: string, servers: readonly Server[]])[] = [
  ['of one server', [['10.0.1.1', USUAL, 1]]],
  [
    'of the eight servers in the tests of ketama',
    [600, 300, 200, 350, 1000, 800, 950, 100].map((weight, i) => [`10.0.1.${i + 1}`, 11212, weight] as const),
  ],
  ['of equal weights, 49 of them', Array.from({ length: 49 }, (_, i) => [`cache-${i}`, USUAL, 1] as const)],
  ['of equal weights on other ports', Array.from({ length: 12 }, (_, i) => ['127.0.0.1', 11000 + i, 1] as const)],
  [
    'on Unix sockets and IPv6',
    [
      ['/run/a.sock', 0, 1],
      ['/run/b.sock', 0, 1],
      ['::1', USUAL, 1],
    ],
  ],
  [
    'of a hundred weights, which is the most that libmemcached takes',
    Array.from({ length: 100 }, (_, i) => [`h${i}.example.com`, USUAL + (i % 2), 1 + (i % 97)] as const),
  ],
];

const BEHAVIORS = [
  ['KETAMA_WEIGHTED', undefined],
  ['KETAMA', 'plain'],
] as const;

describe.skipIf(!libmemcached.isCompiled)('a continuum of libmemcached', () => {
  const { kind, rows, keys } = randomKeys('text', IS_WHOLE ? KEYS : KEYS / 5);

  const cases = RINGS.flatMap(([what, servers]) =>
    BEHAVIORS.map(([behavior, variant]) => [what, behavior, variant, servers] as const),
  );
  describe.each(cases)('%s', (_, behavior, variant, servers) => {
    const theirs = libmemcached.isCompiled
      ? new Uint32Array(libmemcached.run(rows, behavior, ...servers.flat().map(String)))
      : new Uint32Array(0);

    const named = servers.map(([host, port, weight]) => ({ name: `${host}:${port}`, weight }));

    it.runIf(named.length > 1)('is told from the servers of keys, with some of another hash', () => {
      const others = partitioner('nginx', { servers: named }).routeMany(keys);
      const as = variant === undefined ? 'ketama' : `ketama:${variant}`;
      expectDetected(keys, theirs, others, `--as ${as} --servers FILE`, named);
    });

    onBothBackends(`with ${behavior}`, () => {
      const ours = () => partitioner('ketama', { variant, servers: named });

      it('has the keys on the same servers', () => {
        expectSame({ kind, rows, keys }, ours().routeMany(keys), theirs);
        expect((keys as string[]).slice(0, 100).map((key) => ours().route(key))).toEqual([...theirs.subarray(0, 100)]);
      });
    });
  });

  it('knows a server on port 11211 with and without its port', () => {
    const [bare, named] = ['', ':11211'].map((port) =>
      partitioner('ketama', { servers: ['a', 'b', 'c'].map((host) => ({ name: host + port })) }),
    );
    expect(bare.routeMany(keys)).toEqual(named.routeMany(keys));
  });
});
