import { checkAttached, typeName, wrongKind, wrongValue } from '../arguments.js';

/**
 * The array for results: `out`, or a new array if it is undefined. `out` must have the right type and length and not
 * overlap an input; only a column of u64s may be written over itself.
 */
export function checkOut<T extends ArrayBufferView & { length: number }>(
  out: T | undefined,
  type: { new (length: number): T; name: string; BYTES_PER_ELEMENT: number },
  length: number,
  inputs: readonly ArrayBufferView[],
): T {
  if (out === undefined) return new type(length);
  if (typeName(out) !== type.name) throw wrongKind('out', `a ${type.name}`, out);
  checkAttached('out', out);
  if (out.length !== length) throw wrongValue('out', `a length of ${length}`, out.length);
  for (const input of inputs) {
    const same = input.byteOffset === out.byteOffset && [input, out].every((a) => typeName(a) === 'BigUint64Array');
    if (overlap(input, out) && !same) {
      throw wrongValue('out', 'no overlap with the input', out, undefined, 'an overlap');
    }
  }
  return out;
}

export function overlap(a: ArrayBufferView, b: ArrayBufferView): boolean {
  return (
    a.buffer === b.buffer && a.byteOffset < b.byteOffset + b.byteLength && b.byteOffset < a.byteOffset + a.byteLength
  );
}

/** Checks a column of u64s. A BigInt64Array is read as the same bits. */
export function checkU64Column(argument: string, value: BigUint64Array | BigInt64Array): BigUint64Array {
  const name = typeName(value);
  if (name !== 'BigUint64Array' && name !== 'BigInt64Array') {
    throw wrongKind(argument, 'a BigUint64Array', value);
  }
  checkAttached(argument, value);
  return name === 'BigUint64Array'
    ? (value as BigUint64Array)
    : new BigUint64Array(value.buffer, value.byteOffset, value.length);
}

/** Whether a text has one of the control characters of ASCII: those below the space, or DEL. */
export function hasControlCharacter(text: string): boolean {
  return /[^ -~\x80-\uffff]/.test(text);
}
