import { describe, expect, it } from 'vitest';
import { guess, namedNumber } from '../../src/guess/index.js';

const NOW = Date.UTC(2026, 10, 23);

/** The likeliest of all that numbers may be, and whether a service is named as a fact. */
function likeliest(text: string, ...words: string[]): string {
  const found = guess(BigUint64Array.from(text.split(' '), BigInt), { now: NOW, words });
  const services = found.services.map(({ service, probability }) => ({ name: service.name, probability }));
  const numbers = found.numbers.map(({ kind, probability }) => ({ name: kind.what, probability }));
  const [{ name }] = [...services, ...numbers].sort((a, b) => b.probability - a.probability);
  return found.isSure ? `${name} (sure)` : name;
}

describe('numbers that look like ids but are not', () => {
  it('are times in Unix nanoseconds, alone and in columns', () => {
    const column = '1656432460105123456 1656432461105223456 1656432462105323456';
    expect(likeliest(column)).toBe('a time in Unix nanoseconds');
    const four = '1732635907481936201 1732635907491936317 1732635908481936512 1732635909481936999';
    expect(likeliest(four)).toBe('a time in Unix nanoseconds');
    for (const one of four.split(' ')) expect(likeliest(one)).toBe('a time in Unix nanoseconds');
    expect(likeliest('1700000000000000000')).toBe('a time in Unix nanoseconds');
  });

  it('are such times if the name of their column says so, but not if one beside it does', () => {
    const tweet = '1541815603606036480';
    for (const name of ['timestamp_ns', 'start_ns', 'time.nanos', 'nanoseconds', '{"ts_ns": 1541815603606036480}']) {
      expect(likeliest(tweet, name), name).toBe('a time in Unix nanoseconds');
    }
    for (const name of ['dns', 'ns', 'id,time_ns\n1541815603606036480,5', '{"id": 1541815603606036480, "a_ns": 5}']) {
      expect(likeliest(tweet, name), name).toContain('twitter');
    }
  });

  it.each([
    ['yyMMddHHmmss and 7 digits', '2411261230481937265 2411261231580937311 2411261234481931111'],
    ['yyyyMMddHHmmss and 5 digits', '2026052210300012345 2026052210310012346 2026052210320012347'],
  ])('are dates in digits: %s', (_, column) => {
    expect(likeliest(column)).toBe('a date in digits');
    for (const one of column.split(' ')) expect(likeliest(one)).toBe('a date in digits');
  });

  it('are not dates in digits if there is no such date', () => {
    expect(likeliest('2413261230481937265')).not.toBe('a date in digits');
    expect(likeliest('2402301230481937265')).not.toBe('a date in digits');
    expect(likeliest('2026052224300012345')).not.toBe('a date in digits');
  });

  it.each([
    ['ticks of .NET', 'ticks of .NET', '637134336000000000 637135200000000000'],
    ['seconds of .NET', 'ticks of .NET', '637134336010000000'],
    ['file times', 'a file time of Windows', '132223104000000000 132223968000000000'],
    ['seconds of Windows', 'a file time of Windows', '132223104010000000'],
  ])('are whole %s', (_, name, column) => {
    expect(likeliest(column)).toBe(name);
    for (const one of column.split(' ')) expect(likeliest(one)).toBe(name);
  });
});

describe('a time in the future', () => {
  const perhaps = (...ids: bigint[]) =>
    guess(BigUint64Array.from(ids), { now: NOW }).perhaps.map(({ kind }) => kind.what);
  const seconds = BigInt(NOW / 1000);

  it('is not offered, from two days on', () => {
    expect(perhaps(seconds - 86_400n)).toEqual(['a time in Unix seconds']);
    expect(perhaps(seconds + 86_400n)).toEqual(['a time in Unix seconds']);
    expect(perhaps(seconds + 3n * 86_400n)[0]).toBe('a number that counts up');
    expect(perhaps(seconds + 3n * 86_400n)).not.toContain('a time in Unix seconds');
    expect(perhaps((seconds + 3n * 86_400n) * 1000n)).toEqual(['a number that counts up']);
    expect(perhaps(20991231n)).not.toContain('a date in digits');
    expect(perhaps(1991991991991991991n)).not.toContain('a time in Unix nanoseconds');
    expect(perhaps(5_450_000_000_000_000n)).not.toContain('a Weibo post');
  });

  it('may be a few of a column', () => {
    const times = Array.from({ length: 12 }, (_, i) => seconds - BigInt(i * 5_000_017));
    expect(perhaps(...times, seconds + 9_000_000n)).toEqual(['a time in Unix seconds']);
  });
});

describe('a limit of programs', () => {
  const LIMITS: [id: bigint, what: string][] = [
    [0n, '0'],
    [2n ** 31n - 1n, '2^31 - 1, the largest signed integer of 32 bits'],
    [2n ** 32n, '2^32, one more than the largest unsigned integer of 32 bits'],
    [2n ** 53n, '2^53, one more than the largest safe integer of JavaScript'],
    [2n ** 63n, '2^63, one more than the largest signed integer of 64 bits'],
    [2n ** 64n - 1n, '2^64 - 1, the largest unsigned integer of 64 bits, and -1 as a signed one'],
  ];
  it.each(LIMITS)('is named, and is of no service: %d', (id, what) => {
    expect(namedNumber(id)).toBe(what);
    for (const ids of [[id], [id, id]]) {
      const clues = { now: NOW, words: ['tweet_id'] };
      expect(guess(BigUint64Array.from(ids), clues)).toMatchObject({ named: what, isKnown: false, isSure: false });
    }
  });

  it('is named for what it is, as each text begins with it', () => {
    for (const power of [31, 32, 53, 63, 64]) {
      for (const more of [-1n, 0n, 1n]) {
        const sum = ['', ` ${more < 0n ? '-' : '+'} 1`][Number(more !== 0n)];
        const what = namedNumber(2n ** BigInt(power) + more);
        if (what !== undefined) expect(what.startsWith(`2^${power}${sum},`), what).toBe(true);
      }
    }
    expect(namedNumber(-(2n ** 63n))).toBe('-2^63, the smallest signed integer of 64 bits');
  });

  it('is nothing among other ids, and other numbers are none', () => {
    expect(guess(BigUint64Array.of(2n ** 53n, 1541815603606036480n), { now: NOW }).named).toBeUndefined();
    expect(namedNumber(1541815603606036480n)).toBeUndefined();
  });
});

describe('numbers with a right check digit', () => {
  const perhaps = (text: string, ...words: string[]) =>
    guess(BigUint64Array.from(text.split(' '), BigInt), { now: NOW, words }).perhaps.map(({ kind }) => kind.what);

  it.each([
    '4242424242424242',
    '5555555555554444',
    '2223003122003222',
    '378282246310005',
    '6011111111111117',
  ])('are card numbers: %s', (card) => {
    expect(perhaps(card)).toContain('a card number');
    expect(perhaps(String(BigInt(card) + 1n))).not.toContain('a card number');
  });

  it.each(['9780134685991', '4006381333931', '5901234123457'])('are an EAN or ISBN: %s', (ean) => {
    expect(perhaps(ean)).toEqual(['an EAN or ISBN']);
    expect(perhaps(String(BigInt(ean) + 1n))).not.toContain('an EAN or ISBN');
  });

  it('are not so without a known prefix, in a column of others, or where words say what they are', () => {
    expect(perhaps('1111111111111117')).not.toContain('a card number');
    expect(perhaps('1710000000001')).not.toContain('an EAN or ISBN');
    expect(perhaps('4242424242424242 4242424242424243 4242424242424244')).not.toContain('a card number');
    expect(perhaps('4189191225395226', 'https://weibo.com/1/4189191225395226')).toEqual(['a Weibo post']);
  });
});
