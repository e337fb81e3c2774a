import { afterEach, expect, test } from 'vitest';
import * as api from '../../src/sets/index.js';
import { callablesIn, callablesOf, type Entry, type Table, testWrongArguments } from '../support/argument-table.js';
import { NO_BIGINT, NO_BYTES, NO_OBJECT, NO_U64, NO_U64S, named, U64 } from '../support/wrong-values.js';

const { IdSet, loadSets } = api;
await loadSets(); // in browsers it is not there from the start
const set = IdSet.from(BigUint64Array.of(1n));

const NO_SET = [...NO_OBJECT, {}, [1n], new Set([1n]), BigUint64Array.of(1n), named('the class', IdSet)];

const ofId = (call: (id: never) => unknown): readonly Entry[] => [['id', call, NO_BIGINT, NO_U64, U64]];
const ofOther = (call: (other: never) => unknown): readonly Entry[] => [['other', call, NO_SET, [], 'an IdSet']];

const TABLE: Table = {
  'IdSet.from': [['ids', (v) => IdSet.from(v), NO_U64S, [], 'a BigUint64Array']],
  'IdSet.deserialize': [['bytes', (v) => IdSet.deserialize(v), [...NO_BYTES, 'bytes', 5n], [], 'bytes']],
  'IdSet.has': ofId((v) => set.has(v)),
  'IdSet.add': ofId((v) => set.add(v)),
  'IdSet.delete': ofId((v) => set.delete(v)),
  'IdSet.and': ofOther((v) => set.and(v)),
  'IdSet.or': ofOther((v) => set.or(v)),
  'IdSet.andNot': ofOther((v) => set.andNot(v)),
  'IdSet.xor': ofOther((v) => set.xor(v)),
  'IdSet.equals': ofOther((v) => set.equals(v)),
};
const WITHOUT_ARGUMENTS = ['loadSets', 'IdSet', 'IdSet.toColumn', 'IdSet.serialize', 'IdSet.free'];

afterEach(() => expect([...set]).toEqual([1n]));

testWrongArguments(TABLE);

test('the table has every function, class and method of shardbits/sets, and no others', () => {
  expect([...callablesIn(TABLE), ...WITHOUT_ARGUMENTS].sort()).toEqual(callablesOf(api).sort());
});
