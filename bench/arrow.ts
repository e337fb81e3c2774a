// The built package's Arrow functions, for bench/peers: see shardbits.ts.
export * from 'shardbits/arrow';
