// The built package, for bench/peers, which is a package of its own and cannot import this one by name.
export * from 'shardbits';
export { partitioner } from 'shardbits/partitioners';
