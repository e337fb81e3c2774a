import type { Cursor, JsonStep } from './json-cursor.js';

/** Goes to a value inside the next one; false: there is none. */
export function goTo(cursor: Cursor, steps: readonly JsonStep[]): boolean {
  return steps.every((step) => cursor.leads(step) && cursor.each((index) => cursor.isAt(step, index) || cursor.pass()));
}
