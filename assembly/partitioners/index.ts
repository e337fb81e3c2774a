// The ABI of the module for partitioners, which works in the core's memory and is loaded only by `shardbits/partitioners`
// and by stores that hash strings. Addresses and byte lengths are u32, counts of rows u32. Nothing is checked here: the
// caller is responsible for addresses, lengths and ranges.
//
// Every hash takes a column: (data, starts u32[], ends u32[], hashes, rows). A row is data + starts[i] .. data + ends[i];
// `data` may lie below 0 modulo 2^32, as in the core.

// hashes u32[]
export { lookup3Citus, lookup3EventHubs, murmur2, murmur3, murmur3Hive, murmur3Spark } from './four-rows';
export { fnv1a, javaHash, javaHashOfBytes, mysqlKey, oneAtATime } from './bytewise'; // javaHash of units of UTF-16
export { crc16Tag, crc32 } from './crc';
export { md5 } from './md5';

// hashes u64[]
export { murmur3Cassandra, murmur3ClickHouse, murmur64A, murmur64AUnseeded } from './murmur-64';
export { lookup3Postgres } from './four-rows';
export { sipHash } from './sip-hash';
export { cityHash } from './city-hash';
export { farmHash, farmHashXo } from './farm-hash';
export { md5High, md5Low } from './md5';

// hashes of 8 or 16 bytes; with three more arguments: both halves of the key, u64, and the bytes of a hash
export { keyedSipHash } from './sip-hash';

// toUtf16(data, starts u32[], ends u32[], rows, units, unitStarts u32[], unitEnds u32[]): the first row that is not UTF-8, or rows
export { toUtf16 } from './utf8';

// remainders(tokens u32[], shards u32[], rows, n, sign): 1 <= n < 2^31, see remainders.ts; may work in place
export { remainders } from './remainders';
