import {
  maxObjectIdAt,
  maxUlidAt,
  maxUuidAt,
  minObjectIdAt,
  minUlidAt,
  minUuidAt,
  timesOf,
  wideIdKindOf,
} from 'shardbits/wide-ids';
import { utf8 } from '../../support/bytes.js';
import { UUIDS_WITHOUT_TIME, WIDE_ID_VECTORS } from '../../vectors/wide-ids.js';
import type { Checks } from './checks.js';

/** The times in ids of more than 64 bits, and the bounds of a time. */
export async function wideIds(checks: Checks): Promise<void> {
  for (const { kind, text, ms } of WIDE_ID_VECTORS) {
    const column = { data: utf8(text), offsets: Uint32Array.of(0, text.length) };
    checks.same(`${kind} ${text}`, timesOf([text], kind), Float64Array.of(ms));
    checks.same(`${kind} ${text}: column`, timesOf(column, kind), Float64Array.of(ms));
    checks.same(`${kind} ${text}: kind`, wideIdKindOf(text), kind);
  }
  for (const { text } of UUIDS_WITHOUT_TIME) {
    await checks.fails(`${text}, which has no time`, () => timesOf([text], 'uuid'), RangeError);
  }
  const date = new Date('2022-02-22T19:22:22Z');
  const bounds = [minUuidAt, maxUuidAt, minUlidAt, maxUlidAt, minObjectIdAt, maxObjectIdAt].map((bound) => bound(date));
  checks.same('the smallest and the largest ids of a time', bounds, [
    ...['017f22e2-79b0-7000-8000-000000000000', '017f22e2-79b0-7fff-bfff-ffffffffffff'],
    ...['01FWHE4YDG0000000000000000', '01FWHE4YDGZZZZZZZZZZZZZZZZ'],
    ...['621537ee0000000000000000', '621537eeffffffffffffffff'],
  ]);
}
