// Loaded before a program, this makes typed arrays of given numbers hold them as on a big-endian processor.
for (const name of [
  'Uint16Array',
  'Int16Array',
  'Uint32Array',
  'Int32Array',
  'BigUint64Array',
  'BigInt64Array',
  'Float64Array',
]) {
  const Kind = globalThis[name];
  const turned = (array) => {
    const bytes = new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
    for (let at = 0; at < bytes.length; at += Kind.BYTES_PER_ELEMENT)
      bytes.subarray(at, at + Kind.BYTES_PER_ELEMENT).reverse();
    return array;
  };
  globalThis[name] = new Proxy(Kind, {
    construct(target, args, newTarget) {
      const made = Reflect.construct(target, args, newTarget === globalThis[name] ? target : newTarget);
      return Array.isArray(args[0]) ? turned(made) : made;
    },
    get(target, property) {
      if (property !== 'of' && property !== 'from') return Reflect.get(target, property, target);
      return (...args) => turned(target[property](...args));
    },
  });
}
