import { CLOSE_ARRAY, CLOSE_OBJECT, type Cursor, OPEN_ARRAY, OPEN_OBJECT, sameBytes } from './json-cursor.js';

import type { JsonStep } from './read-json.js';

/** Goes to a value inside the next one; false: there is none. */
export function goTo(cursor: Cursor, steps: readonly JsonStep[]): boolean {
  return steps.every((step) => (typeof step === 'number' ? goToIndex(cursor, step) : goToKey(cursor, step)));
}

function goToIndex(cursor: Cursor, index: number): boolean {
  if (cursor.peek() !== OPEN_ARRAY || !cursor.enter(CLOSE_ARRAY)) return false;
  for (let passed = 0; passed < index; passed++) {
    cursor.pass();
    if (!cursor.more(CLOSE_ARRAY)) return false;
  }
  return true;
}

function goToKey(cursor: Cursor, key: JsonStep): boolean {
  if (!(key instanceof Uint8Array) || cursor.peek() !== OPEN_OBJECT || !cursor.enter(CLOSE_OBJECT)) return false;
  do {
    cursor.key();
    if (sameBytes(cursor.data, cursor.start, cursor.end, key)) return true;
    cursor.pass();
  } while (cursor.more(CLOSE_OBJECT));
  return false;
}
