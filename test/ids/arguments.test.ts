import { expect, test } from 'vitest';
import * as api from '../../src/ids/index.js';
import * as root from '../../src/index.js';
import { ofSingleIds } from '../arguments/table/layout.js';
import { callablesIn, callablesOf, methodsOf, testWrongArguments } from '../support/argument-table.js';

const TABLE = ofSingleIds(api);

const WITHOUT_ARGUMENTS = ['Layout.expiresAt', 'Layout.toJSON'];
/** The functions of `shardbits`, whose table has them. */
const TEXTS = ['formatId', 'parseId'];

testWrongArguments(TABLE);

test('the table has every function of shardbits/ids and every method of its layouts, and no others', () => {
  const methods = methodsOf(api.layouts.snowflake).map((name) => `Layout.${name}`);
  expect([...callablesIn(TABLE), ...WITHOUT_ARGUMENTS, ...TEXTS].sort()).toEqual(
    [...callablesOf(api), ...methods].sort(),
  );
});

test('texts are made and read by the functions of shardbits', () => {
  expect([api.formatId, api.parseId]).toEqual([root.formatId, root.parseId]);
});
