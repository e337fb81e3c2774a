// The built package, for bench/peers: a package of its own, it cannot name it.
export * from 'shardbits';
export { partitioner } from 'shardbits/partitioners';
