// Likewise, of the package: for bench/peers.
export * from 'shardbits/arrow';
