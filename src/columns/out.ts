import { checkAttached, typeName, wrongKind, wrongValue } from '../arguments.js';

/**
 * Where results go: `out` if it is of the right type and length and does not run into an input, or
 * a new array. A column of u64 may be written over itself.
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
      throw wrongValue('out', 'memory apart from the input', out, undefined, 'memory that overlaps it');
    }
  }
  return out;
}

export function overlap(a: ArrayBufferView, b: ArrayBufferView): boolean {
  return (
    a.buffer === b.buffer && a.byteOffset < b.byteOffset + b.byteLength && b.byteOffset < a.byteOffset + a.byteLength
  );
}
