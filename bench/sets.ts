// The built package's sets, apart from the rest: they bring roaring-wasm with them.
export * from 'shardbits/sets';
