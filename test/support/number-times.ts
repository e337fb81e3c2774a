import type { Layout } from '../../src/index.js';

/**
 * The bits of a layout's ids; of one that counts microseconds past 2^43 milliseconds, which numbers do not hold exactly,
 * without the topmost, so that all ids of these bits can be unpacked.
 */
export function numberTimeMask({ mask, time, places }: Pick<Layout, 'mask' | 'time' | 'places'>): bigint {
  const place = places.find(({ name }) => name === time?.name);
  if (time === undefined || place === undefined || time.unitMs >= 1) return mask;
  return time.epoch + Number(place.mask) * time.unitMs <= 2 ** 43 ? mask : mask >> 1n;
}
