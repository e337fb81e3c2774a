// The hashes that only people who write them by hand use.
import { expect, it } from 'vitest';
import { xxh3, xxh32 } from '../../src/detect/hashes.js';
import { murmur2 } from '../../src/kernels/js/hashes-32.js';
import { murmur3Of128 } from '../../src/kernels/js/hashes-64.js';

/**
 * The first bytes of the buffer that xxHash fills for its own tests: `tests/sanity_test.c`, XSUM_fillTestBuffer. Of lengths
 * that are there, too, such as 1, 195 and 2048, `tests/sanity_test_vectors.h` has the same values of XXH32 and XXH3.
 */
const BUFFER = new Uint8Array(2367);
let state = 2654435761n;
for (let i = 0; i < BUFFER.length; i++) {
  BUFFER[i] = Number(state >> 56n);
  state = BigInt.asUintN(64, state * 11400714785074694797n);
}

/**
 * How many bytes of it, XXH32 and XXH3 of python3-xxhash (libxxhash 0.8.3), hash128 of Python's mmh3, and MurmurHash2 of
 * aappleby/smhasher `src/MurmurHash2.cpp`, compiled by gcc: each with the seed 0.
 */
const VECTORS: readonly (readonly [number, bigint, bigint, bigint, bigint])[] = [
  [0, 0x02cc5d05n, 0x2d06800538d394c2n, 0x00000000000000000000000000000000n, 0x00000000n],
  [1, 0xcf65b03en, 0xc44bdff4074eecdbn, 0x51622daa78f835834610abe56eff5cb5n, 0xe94e6ebdn],
  [2, 0x1151bee4n, 0x7a9978044cb8a8bbn, 0x8923c78ef307d74a3d027ffac595307bn, 0xd032a998n],
  [3, 0xc23884f5n, 0x54247382a8d6b94dn, 0xc8d249920325e07efe1769ee35054037n, 0x6919aaf6n],
  [4, 0xa9de7ce9n, 0xe5dc74bc51848a51n, 0xf1821682a97d42a9060c8ff476efa5f6n, 0x22448434n],
  [5, 0xeb1734bbn, 0xe4243f00720306bbn, 0xffa9b992d2dde39c595cf3fec52fd1e4n, 0x10867e24n],
  [7, 0x5e1056cdn, 0x9941e0007f555e50n, 0xb82a2373910832aa6e967cb79cbe23a9n, 0x4f2156f8n],
  [8, 0xa3f6f44bn, 0x24ccc9acaa9f65e4n, 0xd9efb1ee5cb1e393434f03c972b92c7an, 0x8e505373n],
  [9, 0xffb82a24n, 0x14d5001c15dd3f2bn, 0x2d07f09d7059076618c5826188d1634dn, 0xe1f39f7dn],
  [15, 0x6b859e14n, 0x45556d4d6e1798bcn, 0x4c87bc3312c13986e9b5f2ba861e79e6n, 0x8317be63n],
  [16, 0x93ba3759n, 0x981b17d36c7498c9n, 0x97ce3331e38f19bf488e039a963c7df8n, 0x86b34719n],
  [17, 0x89fdc23en, 0x796f5acd3a60f862n, 0xa9c7977e2881045172a3200dd50d55f4n, 0x48e66650n],
  [31, 0x5f40e562n, 0x5d516692ca764c50n, 0xd1ff1282707f694611c520aaa3efe3e5n, 0x70fc9c76n],
  [32, 0xd89829ecn, 0x9feaddbdbf57eed3n, 0x8242af0508fdd085c52625cb1ad14585n, 0x0c2003fbn],
  [33, 0x31a427e5n, 0xabfb2d081b400a10n, 0x581ba99727f73439b3fb7636acb762ccn, 0xfd06384cn],
  [64, 0x02e95dbbn, 0x9cb48487720ec49dn, 0xa12a6146f9e9f7f7333fcce2637469ebn, 0x482f7c33n],
  [65, 0x16992b3dn, 0xfd81aac4bebc3883n, 0x33af4b8c921c74c7ea149de8da5ab8f5n, 0xe115a2b0n],
  [96, 0x4ccf41e0n, 0x935a769a7f94776fn, 0xdfc9f7429096836dc47c68cf1466ef15n, 0xbffe2f6an],
  [97, 0x914082d0n, 0xca4ca268fd3c3a6cn, 0x51a6cdc81ab98bbef7e77b8f4e0bf91en, 0x50cd8240n],
  [127, 0x1e49f7fcn, 0x2408ed71323d6096n, 0xa766e5303a3f9919e54b18bc55a242fan, 0xaf4b4629n],
  [128, 0x0fd07b71n, 0xfcff24126754d861n, 0x6fdf0449dee72850179e0dcd6cdf65ffn, 0x865c81ean],
  [129, 0x68c9ec37n, 0x98f1b0a679a2ca29n, 0x15926efda7930db74761f8670358b215n, 0xa6113e5an],
  [144, 0x07505878n, 0xc440d47e5f03fe58n, 0x9b49b58d9014487cf0f953e204634627n, 0x6a15a1a3n],
  [239, 0x7b84d789n, 0x16ce2b9d3b28805dn, 0x1c2c226bcecfb30a940b18e724f8b2e4n, 0xe8cf015dn],
  [240, 0xfa6b6557n, 0x81c3c2b67f568ccfn, 0x9ea3f19615620fb3beef21d144107da3n, 0x39e09cc7n],
  [241, 0xe5f7c54dn, 0xc5a639ecd2030e5en, 0xf770fdaa31ef56ef4c64d7d152fa34dan, 0x2db751edn],
  [256, 0x520cb910n, 0x55de574ad89d0ac5n, 0xdf9ab36b4f0f06d0928d4d624595bca3n, 0x99841ef1n],
  [257, 0x9566588en, 0xb17fd5a8ae75bb0bn, 0x88b61d365527f473e863f43cb39ad6f0n, 0x13eb9ed4n],
  [1023, 0x57aa590fn, 0x87a8f7b2f2e22496n, 0xc66faea39d0f3e4fc1e9599d2133c8a2n, 0x95807b7bn],
  [1024, 0xc08e0a35n, 0xdd85c9b5c1109c5cn, 0xc4c6f9dfb597ce6c4c38662f2eff9899n, 0xb54049b4n],
  [1025, 0x75b3b8a1n, 0xd870c0fa13211c6an, 0x245def79363c2c17cbdc3c2f2238e101n, 0x39c2c395n],
  [1087, 0xbdf23638n, 0x047f181e7c8a41b9n, 0x40543e7eb8c138e5d30c5387b021efd2n, 0xf3e2c385n],
  [1088, 0x23197d27n, 0xcc1450ea6b52a8f4n, 0x274ea0f3e10403e98af1d1f931d3ee93n, 0x484cecadn],
  [1089, 0xd8c0b8ccn, 0xef727b2effc4cc8cn, 0xf9525b90a6e89726448b5ef10e1a1c26n, 0x75dbc5ddn],
  [2047, 0x05cf4c53n, 0xb36ece19fca2197fn, 0xe93a05fc7412bcc9371ce2c344a65891n, 0xe5156c4en],
  [2048, 0x7c535464n, 0xdd59e2c3a5f038e0n, 0xa1da133aa10e9da8b60eee94b8cac4fcn, 0x3174428bn],
  [2049, 0x880e455cn, 0xd3afa4329779b921n, 0xeb301a5ad4ec874f2d244c770643649fn, 0x72abc56en],
];

it.each(VECTORS)('hash %i bytes as their authors do', (length, ...expected) => {
  const bytes = BUFFER.subarray(0, length);
  expect([
    BigInt(xxh32(bytes) >>> 0),
    xxh3(bytes),
    murmur3Of128(bytes),
    BigInt(murmur2(bytes, 0, bytes.length, 0)),
  ]).toEqual(expected);
  const moved = BUFFER.slice(0, length + 3)
    .copyWithin(3, 0, length)
    .subarray(3, length + 3);
  expect([xxh3(moved), murmur3Of128(moved)]).toEqual([expected[1], expected[2]]);
});

// xxHash, `tests/sanity_test_vectors.h`.
it.each([
  [6, 0x27b56a84cd2d7325n],
  [12, 0xa713daf0dfbb77e7n],
  [24, 0xa3fe70bf9d3510ebn],
  [48, 0x397da259ecba1f11n],
  [80, 0xbcdefbbb2c47c90an],
  [195, 0xcd94217ee362ec3an],
  [403, 0xcdeb804d65c6dea4n],
  [512, 0x617e49599013cb6bn],
  [2048, 0xdd59e2c3a5f038e0n],
  [2099, 0xc6b9d9b3fc9ac765n],
  [2240, 0x6e73a90539cf2948n],
  [2367, 0xcb37aeb9e5d361edn],
])('XXH3 of %i bytes is that of the tests of xxHash', (length, hash) => {
  expect(xxh3(BUFFER.subarray(0, length))).toBe(hash);
});
