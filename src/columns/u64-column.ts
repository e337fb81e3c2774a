import { checkAttached, typeName, wrongKind } from '../arguments.js';

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
