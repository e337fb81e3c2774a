// The built package's sets, separate from the rest because they load roaring-wasm.
export * from 'shardbits/sets';
