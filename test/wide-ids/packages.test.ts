import { ObjectId } from 'bson';
import KSUID from 'ksuid';
import { decodeTime, ulid } from 'ulid';
import { v1, v4, v6, v7 } from 'uuid';
import { describe, expect, it } from 'vitest';
import { Xid } from 'xid-ts';
import {
  maxUlidAt,
  maxUuidAt,
  minObjectIdAt,
  minUlidAt,
  minUuidAt,
  timesOf,
  wideIdKindOf,
} from '../../src/wide-ids/index.js';
import { randomBytes, randomU64s } from '../support/random.js';
import { scaled } from '../support/scale.js';
import { columnOf } from './texts.js';

// Ids that the packages of others make, which give their times back.

const ROWS = scaled(5000);

/** Whole milliseconds from 2014-05-13, where KSUIDs begin, to 2106. */
const times = Array.from(randomU64s(ROWS), (value) => 1400000000000 + Number(value % 2_894_967_295_000n));
const inSeconds = times.map((ms) => ms - (ms % 1000));

function expectTimes(texts: readonly string[], kind: 'uuid' | 'ulid' | 'objectid' | 'ksuid' | 'xid', ms: number[]) {
  expect(Array.from(timesOf(texts, kind))).toEqual(ms);
  expect(Array.from(timesOf(columnOf(texts), kind))).toEqual(ms);
  expect(texts.every((text) => wideIdKindOf(text) === kind)).toBe(true);
}

describe('the times of ids by', () => {
  it('uuid, versions 1 and 6', () => {
    const made = times.map((msecs, i) => ({ msecs, nsecs: (i * 7919) % 10000, random: randomBytes(16, i) }));
    const ms = made.map(({ msecs, nsecs }) => (msecs * 1000 + Math.floor((nsecs + 5) / 10)) / 1000);
    expectTimes(
      made.map((options) => v1(options)),
      'uuid',
      ms,
    );
    expectTimes(
      made.map((options) => v6(options)),
      'uuid',
      ms,
    );
  });

  it('uuid, version 7', () => {
    expectTimes(
      times.map((msecs) => v7({ msecs })),
      'uuid',
      times,
    );
  });

  it('uuid, version 4, are none', () => {
    for (let i = 0; i < 100; i++) expect(() => timesOf([v4()], 'uuid')).toThrow(/a UUID of version 4 has no time/);
  });

  it('ulid', () => {
    const texts = times.map((ms) => ulid(ms));
    expectTimes(texts, 'ulid', texts.map(decodeTime));
    expectTimes(texts, 'ulid', times);
  });

  it('bson', () => {
    const texts = inSeconds.map((ms, i) => {
      const id = randomBytes(12, i);
      new DataView(id.buffer, id.byteOffset).setUint32(0, ms / 1000);
      return new ObjectId(id).toHexString();
    });
    expectTimes(
      texts,
      'objectid',
      texts.map((text) => new ObjectId(text).getTimestamp().getTime()),
    );
    expectTimes(texts, 'objectid', inSeconds);
  });

  it('ksuid', () => {
    const texts = inSeconds.map((ms, i) => KSUID.fromParts(ms, Buffer.from(randomBytes(16, i))).string);
    expectTimes(
      texts,
      'ksuid',
      texts.map((text) => KSUID.parse(text).date.getTime()),
    );
    expectTimes(texts, 'ksuid', inSeconds);
  });

  it('xid-ts', () => {
    const texts = inSeconds.map((ms, i) => {
      const id = randomBytes(12, i);
      new DataView(id.buffer, id.byteOffset).setUint32(0, ms / 1000);
      return new Xid(id).toString();
    });
    expectTimes(
      texts,
      'xid',
      texts.map((text) => Xid.parse(text).timestamp() * 1000),
    );
    expectTimes(texts, 'xid', inSeconds);
  });
});

describe('the smallest and the largest ids of times are those that', () => {
  it('uuid makes of zeros and ones', () => {
    const made = times.map((msecs) => v7({ msecs, seq: 0, random: new Uint8Array(16) }));
    expect(times.map(minUuidAt)).toEqual(made);
    const ones = times.map((msecs) => v7({ msecs, seq: 0xffffffff, random: new Uint8Array(16).fill(255) }));
    expect(times.map(maxUuidAt)).toEqual(ones);
  });

  it('ulid makes of zeros and ones', () => {
    expect(times.map(minUlidAt)).toEqual(times.map((ms) => ulid(ms, () => 0)));
    expect(times.map(maxUlidAt)).toEqual(times.map((ms) => ulid(ms, () => 1 - 2 ** -53)));
  });

  it('bson makes of a time alone', () => {
    expect(times.map(minObjectIdAt)).toEqual(inSeconds.map((ms) => ObjectId.createFromTime(ms / 1000).toHexString()));
  });
});
