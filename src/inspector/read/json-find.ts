import type { Cursor, JsonStep } from './json-cursor.js';

/** Goes to a value inside the next one; false: there is none. */
export function goTo(cursor: Cursor, steps: readonly JsonStep[]): boolean {
  return steps.every((step) => {
    const open = cursor.peek();
    if (!cursor.leads(step) || !cursor.enter(open)) return false;
    for (let index = 0; !cursor.isAt(step, index); index++) {
      cursor.pass();
      if (!cursor.more(open)) return false;
    }
    return true;
  });
}
