/**
 * How likely a value of a field is, as the log2 of its probability.
 * @param value 0 to 2^bits - 1
 * @param bits the width of the field
 */
export type Distribution = (value: number, bits: number) => number;

/** The share of values that do not follow a distribution: services change after they were observed. */
const STRAY = 0.02;

function withStrays(probability: number, bits: number): number {
  return Math.log2((1 - STRAY) * probability + STRAY * 2 ** -bits);
}

/** Every value is equally likely: random bits, counters that wrap around. */
export const even: Distribution = (_value, bits) => -bits;

/** Machines that are numbered from 0. */
export const upTo =
  (most: number): Distribution =>
  (value, bits) =>
    withStrays(value <= most ? 1 / (most + 1) : 0, bits);

/** One of some values. A value that is listed twice is twice as likely. */
export const among =
  (...known: readonly number[]): Distribution =>
  (value, bits) =>
    withStrays(known.filter((one) => one === value).length / known.length, bits);

/** Counters that restart often: values of 8 binary digits are as frequent as values of 1. */
export const small: Distribution = (value, bits) => {
  const digits = value === 0 ? 0 : Math.floor(Math.log2(value)) + 1;
  return withStrays(2 ** -Math.max(0, digits - 1) / (bits + 1), bits);
};

/** A share of the values is 0; the others follow another distribution. */
export const mostlyZero =
  (zeros: number, other: Distribution): Distribution =>
  (value, bits) =>
    Math.log2((value === 0 ? zeros : 0) + (1 - zeros) * 2 ** other(value, bits));

/** A field that its maker divides in two: the lowest `lowBits`, and the bits above them. */
export const parts =
  (high: Distribution, lowBits: number, low: Distribution): Distribution =>
  (value, bits) =>
    high(Math.floor(value / 2 ** lowBits), bits - lowBits) + low(value % 2 ** lowBits, lowBits);
