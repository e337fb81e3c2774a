import { appendFileSync } from 'node:fs';

/**
 * Notes that something is not tested here, which `npm test` says at its end.
 * @param what is not tested, why, and how to have it tested
 */
export function notTested(what: string): void {
  const list = process.env.NOT_TESTED;
  if (list !== undefined) appendFileSync(list, `${what}\n`);
}
