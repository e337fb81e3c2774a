import { describe, expect, it } from 'vitest';
import { timesOf } from '../../src/wide-ids/index.js';
import { wrong } from '../support/wrong-argument.js';
import { WIDE_ID_VECTORS } from '../vectors/wide-ids.js';
import { columnOf } from './texts.js';

const ULIDS = WIDE_ID_VECTORS.filter(({ kind }) => kind === 'ulid');
const texts = ULIDS.map(({ text }) => text);
const times = Float64Array.from(ULIDS, ({ ms }) => ms);

describe('columns of wide ids', () => {
  it('without rows give no times', () => {
    for (const none of [[], columnOf([]), { data: new Uint8Array(0), offsets: new Uint32Array(0) }]) {
      expect(timesOf(none, 'ulid')).toEqual(new Float64Array(0));
    }
  });

  it('of UUIDs may have hyphens in some rows', () => {
    const uuid = '017f22e2-79b0-7cc3-98c4-dc0c0c07398f';
    const mixed = [uuid, uuid.replaceAll('-', ''), uuid.toUpperCase()];
    expect([...timesOf(mixed, 'uuid')]).toEqual(Array(3).fill(1645557742000));
    expect([...timesOf(columnOf(mixed), 'uuid')]).toEqual(Array(3).fill(1645557742000));
  });

  it('give back `out`, filled with what they would have made', () => {
    for (const memory of [new ArrayBuffer(64), new SharedArrayBuffer(64)]) {
      const around = new Uint8Array(memory).fill(0xa5);
      const out = new Float64Array(memory, 16, times.length);
      for (const column of [texts, columnOf(texts)]) {
        out.fill(0);
        expect(timesOf(column, 'ulid', { out })).toBe(out);
        expect([...out]).toEqual([...times]);
      }
      around.fill(0xa5, 16, 16 + out.byteLength);
      expect(around.every((byte) => byte === 0xa5)).toBe(true);
    }
    expect(timesOf(texts, 'ulid', { out: undefined })).toEqual(times);
  });

  it('leave `out` as it was if a row is not an id, however late', () => {
    const many = [...new Array<string>(20_000).fill(texts[0]), 'no id'];
    const out = new Float64Array(many.length).fill(7);
    expect(() => timesOf(many, 'ulid', { out })).toThrow(wrong('texts', 20000));
    expect(() => timesOf(columnOf(many), 'ulid', { out })).toThrow(wrong('texts', 20000));
    expect(out.every((time) => time === 7)).toBe(true);
  });

  it('are not written over', () => {
    const { data, offsets } = columnOf(texts, '');
    const memory = new ArrayBuffer(256);
    const column = { data: new Uint8Array(memory, 0, data.length), offsets };
    column.data.set(data);
    for (const at of [0, 8, 72]) {
      const out = new Float64Array(memory, at, times.length);
      expect(() => timesOf(column, 'ulid', { out })).toThrow(/"out": expected no overlap with the input/);
    }
    expect(column.data).toEqual(data);
    expect(timesOf(column, 'ulid', { out: new Float64Array(memory, 80, times.length) })).toEqual(times);
  });

  it('are read in shared memory, from any place', () => {
    const { data, offsets } = columnOf(texts);
    const memory = new SharedArrayBuffer(data.length + 5);
    const shared = new Uint8Array(memory, 5);
    shared.set(data);
    expect(timesOf({ data: shared, offsets }, 'ulid')).toEqual(times);
    const resized = { data, offsets: offsets.subarray(1) };
    expect(timesOf(resized, 'ulid')).toEqual(times.slice(1));
  });
});
