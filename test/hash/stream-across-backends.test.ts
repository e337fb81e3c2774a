import { afterEach, describe, expect, it } from 'vitest';
import { getBackend, setBackend, Xxh64, xxh64 } from '../../src/index.js';
import { randomBytes } from '../support/random.js';

describe.each([
  ['wasm', 'bigint'],
  ['bigint', 'wasm'],
] as const)('a stream begun on %s and gone on with on %s', (first, second) => {
  afterEach(() => setBackend('auto'));
  const data = randomBytes(200);

  it('gives the hash of everything, wherever the change came', () => {
    for (let length = 0; length <= data.length; length += 8) {
      const bytes = data.subarray(0, length);
      for (let cut = 0; cut <= length; cut++) {
        setBackend(first);
        const stream = new Xxh64(11n).update(bytes.subarray(0, cut));
        setBackend(second);
        expect(getBackend()).toBe(second);
        expect(stream.update(bytes.subarray(cut)).digest(), `${length} cut at ${cut}`).toBe(xxh64(bytes, 11n));
      }
    }
  });

  it('can be cloned and started again there', () => {
    setBackend(first);
    const stream = new Xxh64(11n).update(data.subarray(0, 45));
    setBackend(second);
    const copy = stream.clone().update(data.subarray(45));
    expect(stream.reset().update('a').digest()).toBe(xxh64('a', 11n));
    setBackend(first);
    expect(copy.digest()).toBe(xxh64(data, 11n));
  });

  it('can go to and fro', () => {
    const stream = new Xxh64();
    data.forEach((_, at) => {
      setBackend(at % 2 === 0 ? first : second);
      stream.update(data.subarray(at, at + 1));
    });
    expect(stream.digest()).toBe(xxh64(data));
  });
});
