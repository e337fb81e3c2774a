import { describe } from 'vitest';
import * as ids from '../../src/ids/index.js';
import * as root from '../../src/index.js';

/** What `shardbits` and `shardbits/ids` both have. */
export type IdsApi = typeof ids;

/** Runs a suite on single ids twice: with what `shardbits` exports, and with what `shardbits/ids` does. */
export function onBothEntries(name: string, suite: (api: IdsApi) => void): void {
  describe.each<[entry: string, api: IdsApi]>([
    ['shardbits', root],
    ['shardbits/ids', ids],
  ])(`${name} [%s]`, (_, api) => suite(api));
}
