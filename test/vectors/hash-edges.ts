// What hashes give for keys at their edges: the empty key, every length about the blocks of a hash, tails with and without the
// high bit of a byte, texts beyond ASCII, and rows about as long as the pieces in which columns cross to WebAssembly.
// Nothing here comes from this library. Where "Python" is the source, the hash was written from its specification.

/** A text, of characters in the order of their places. */
const textOf = (length: number, characters: readonly string[]): string =>
  Array.from({ length }, (_, place) => characters[(7 * place + length) % characters.length]).join('');

const bytesOf = (length: number): Uint8Array<ArrayBuffer> =>
  Uint8Array.from({ length }, (_, place) => 7 * place + length); // modulo 256

const upTo = <Key>(most: number, make: (length: number) => Key): Key[] =>
  Array.from({ length: most + 1 }, (_, length) => make(length));

/** Of every length from 0 to 1030. */
export const BYTES = /* @__PURE__ */ upTo(1030, bytesOf);

/** Every byte once, then every byte twice, and so on to 16 times. */
export const REPEATED = /* @__PURE__ */ Array.from({ length: 16 * 256 }, (_, row) =>
  new Uint8Array((row >>> 8) + 1).fill(row),
);

const LETTERS = [...'abcdefghijklmnopqrstuvwxyz'];

/** Texts of every number of characters from 0 on; the last ones are separate texts. */
export const TEXTS: { readonly [name: string]: readonly string[] } = {
  letters: upTo(300, (length) => textOf(length, LETTERS)),
  ...Object.fromEntries(
    Object.entries({
      'one unit of 8 bits a character': ['a', '\x7f', '\x80', '\xa0', 'é', 'ÿ'],
      'two bytes a character': ['\x80', 'é', 'ÿ', 'Ā', 'ж', '\u07ff'],
      'three bytes a character': ['\u0800', '你', '好', '\ud7ff', '\ue000', '\ufeff', '\ufffd', '\uffff'],
      'four bytes a character': ['\u{10000}', '😀', '\u{2070e}', '\u{10ffff}'],
      'characters of 1 to 4 bytes': ['z', 'é', '你', '😀', '\u07ff', '\u0800', '\uffff', '\u{10ffff}', '\0'],
      'lone surrogates': ['a', '\ud800', '\udfff', 'é', '\udbff', '\udc00', '你', '😀'],
    }).map(([name, characters]) => [name, upTo(130, (length) => textOf(length, characters))]),
  ),
  'other texts': [
    ...['', '\0', 'a\0', '\0a', 'a\0b', ' ', 'a ', '\ufeff', '\ufeffabc', 'abc\ufeff'],
    ...['{', '}', '{}', '}{', '{a', 'a}', '{a}', '{}a', '{}{a}', '{a}{b}', '{{a}}', '{{}', '{}}', 'a{}b{c}', 'a}b{c}d'],
    ...['x{é}y', 'x{你😀}', '{\0}', 'a{b', 'ab}c{d'],
    ...['-1', '9223372036854775807', 'a;b', 'a.b.c', 'A', 'e\u0301', 'ß', 'İ'],
  ],
};

/** How many keys a checksum is of. */
export const KEYS_OF_CHECKSUM = { lengths: 32, repeated: 256, pieces: 3, texts: 32, textPieces: 3 } as const;

export type ChecksumName = keyof typeof KEYS_OF_CHECKSUM;

const AROUND_PIECES = [32 * 1024 - 8, 64 * 1024, 128 * 1024, 256 * 1024].flatMap((piece) => [
  piece - 1,
  piece,
  piece + 1,
]);

/** Keys about as long as a piece. */
export const longBytes = (): Uint8Array[] => AROUND_PIECES.map(bytesOf);
export const longTexts = (): string[] => AROUND_PIECES.map((length) => textOf(length, LETTERS));

/** Checksums of tokens: FNV-1a of 32 bits of their bytes, little-endian, the upper half XOR the lower one, in hex. */
export interface HashEdges {
  /** Words of `systems` whose tokens are the same. */
  readonly words: readonly string[];
  /** The programs and versions that gave the tokens. */
  readonly source: string;
  /** The most bytes that a key has; longer ones are left out. */
  readonly most?: number;
  /** Of {@link BYTES}, 32 keys each. */
  readonly lengths?: string;
  /** Of {@link REPEATED}, 256 keys each. */
  readonly repeated?: string;
  /** Of {@link longBytes}, 3 keys each. */
  readonly pieces?: string;
  /** Of {@link TEXTS}, 32 keys each, or what is left of texts of one name. */
  readonly texts?: string;
  /** Of {@link longTexts}, 3 keys each. */
  readonly textPieces?: string;
}

export const HASH_EDGES: readonly HashEdges[] = [
  {
    words: ['kafka', 'kafka:unsigned', 'rdkafka:murmur2'],
    source:
      'Apache Commons Codec 1.22.1, MurmurHash2.hash32; @platformatic/kafka 1.35.0; without signs librdkafka 2.0.2 and chdb 26.7',
    lengths: `
      7e6b 0253 d449 f667 0d19 2fa2 ee00 82a0 b671 971b b822 7c51 5176 fb05 0457 2e18 8a8f 1c2b 9ffc 9f64 2cd7 873e
      3ba3 10eb 5ec7 822b a765 3527 70b7 2674 fca6 992c 3eba`,
    repeated: '2970 5625 39aa 3a78 653a a868 7a27 d232 8828 ddab 5386 61d3 48dc a303 c5ad 38d9',
    pieces: 'ad5a b962 0cd2 617a',
    texts: `
      61c0 64d0 63ee 6943 0691 b418 7ab3 3443 c9af 5e58 9089 3426 b734 ada5 8e2e 69a9 530d df68 f955 c550 2526 4a35
      1ac4 6ebe 7fbf cc21 4f9d 07ff 3907 27fb 8c08 2b8c 1c17 f75f cbcf a764 7e00 3530 5251 5494 1b9f 5b0a`,
    textPieces: '17d0 933c 2901 494e',
  },
  {
    words: ['rdkafka', 'rdkafka:consistent', 'nginx'],
    source: 'CRC32 of JDK 17, zlib and chdb 26.7; librdkafka 2.0.2',
    lengths: `
      c240 4373 bb97 4f5b 253f 3e23 8f8d 97e6 450c b772 84fd c7ec 13ce 3a73 5d75 aa1a e28f 285b 1d04 ea17 4eb8 ad3a
      d595 f447 2fdc c8da bc35 765b 4036 0abe 64c3 3bc2 992e`,
    repeated: '3d39 feab 82a8 a13f b284 adc8 97dd 3970 c20f c2de 8024 1db3 7e29 8f07 a498 b877',
    pieces: '1f53 2837 ae01 2e3d',
    texts: `
      d6f2 6607 69a7 625d 95cf fdb4 59b2 d0b5 210f 2831 6ae5 4767 6cc2 01d1 797e 4168 aab9 4f73 f5fe dd6a ef02 ba49
      5256 2e8f 2796 7c38 5ed8 ca23 697b 68a8 e6c4 f60b 84d7 b26d 8594 ad16 bbbc d755 8886 5141 3808 0150`,
    textPieces: 'd91d 036d abdd c850',
  },
  {
    words: ['rdkafka:fnv1a', 'rdkafka:fnv1a-positive', 'nats'],
    source: 'FNV-1a in Python; without signs librdkafka 2.0.2',
    lengths: `
      0eee 8351 4c93 fb5c f416 8aac 5a18 57bd 3a99 b57d a707 2f4a 9bfa 817a a672 a41b c039 eb6c c990 ca2b e789 6611
      a6d9 4896 244c 40db 7b5f d053 8396 36f3 165b 18f0 478b`,
    repeated: '2628 1250 0745 ea47 ad8f 8654 45a7 c29c af06 8218 2a94 915a b2db 2e89 a5c5 2dba',
    pieces: 'b0c6 0e70 07a8 8c3d',
    texts: `
      22c5 2aa4 ccf3 0558 8eb5 3736 5d40 d548 2f4c 4cda e39e cc2a 6d5b 59c0 33f7 778a f603 6f5c de56 ea89 c338 43de
      a275 2c58 3a3e 794c 7d5b 3b62 3852 1359 59d1 7cdc 46e4 449b 7849 8a81 227f 7cbd 8f2b 5dd2 f912 ac0e`,
    textPieces: 'b00d 0779 1c56 860b',
  },
  {
    words: ['eventhubs'],
    source: '@azure/event-hubs 6.0.4, computeHash',
    lengths: `
      e05f 8c01 ccbd 218d 134a e5b7 0153 f15d 0246 2b9d d96a 9bd4 cb1b da7f a5a3 9e1c 72cb 39eb 7f2f 25cd 687e 092d
      be48 a1cc 6675 f758 1b1f 4471 8c93 da00 2e63 4069 4d4f`,
    repeated: '3526 21a0 5aa1 869c 2a87 2c52 3d60 a1c1 6e1d 419b 63be 857e 5fc4 83c7 6a30 08eb',
    pieces: '5eda ca9f a530 7126',
    texts: `
      3335 7b7b 19f3 6b18 a487 38a9 6637 7b4a 992e e713 2a21 42e6 8877 aa2f 78ec b0d7 5abe dbef af56 126e c483 4c63
      4328 cb3b 37fb a40b 9bb3 3536 a1aa a011 5f3d 6075 4085 dc5c 2809 e5e4 5116 3d6a ce62 88d4 71bb 90c6`,
    textPieces: 'd04b bc3e 33c2 c01d',
  },
  {
    words: ['pulsar', 'pulsar:java'],
    source: 'String.hashCode of JDK 17, without its sign',
    texts: `
      7a56 460d d2fc 336f 6d43 99d5 4fd1 25a7 344f 20ba 0b75 74cd 2baa 3742 172b 3c59 7fa0 05cc 37c4 35ab 9fc2 eaba
      62c9 fef7 4b15 5d00 0960 c4fe 524a 5e7c b63d 7ef0 0a3c 030c 19f8 eefa e57e 4a7a 8d8c a408 9959 bd95`,
    textPieces: 'd187 7df2 6327 f0f1',
  },
  {
    words: ['pulsar:murmur3'],
    source: 'Guava 31.1, murmur3_32_fixed, without its sign',
    lengths: `
      763e 8009 5b05 ebeb 46fb 913a 3313 e268 ce0e 2488 5901 2bae 34dd cc8f 8553 cba9 2487 beab b86e 6669 7143 682e
      b7ac 7ae9 1d3a d9d0 bfa7 bb47 dc7f 14c0 5b1d a719 469f`,
    repeated: '0ad4 be6a ec07 53b3 a216 ea16 1735 f542 676d 27f9 0b02 f085 d621 88b1 8016 fb7e',
    pieces: '06ae 9788 1eb8 1c34',
    texts: `
      587d 2ce2 1842 8e4d f9a6 af96 7cb0 b181 98a5 3d1c b128 d947 cc86 6502 d4ec f7f4 d253 0a6b f1fb d1d5 9a09 768c
      7639 4242 ca90 0ac0 1c76 9d20 aa06 9fff afd5 1ef1 e619 bb49 802c 3162 098b 8b39 d889 a18d ded8 42e8`,
    textPieces: '952c 0b92 a4b7 cfaf',
  },
  {
    words: ['kinesis', 'vitess:binary_md5'],
    source: 'MD5 of JDK 17 and hashlib of Python',
    lengths: `
      293e cef8 53bd f025 b44d 7db6 4967 6d64 a35b 9e08 071e e647 2754 104d f25f 0186 8387 dfb0 6336 82f1 acc0 434f
      6f97 a7c4 bb14 11e2 5a12 7126 0d5b 8e70 8034 d0ce 90dc`,
    repeated: '1cf1 18c4 e4d7 f3aa 4e94 2224 cd72 517e 40d8 a33e f795 86e1 3d77 5eda be8d 6fdd',
    pieces: '73c8 bcb6 6d3e 1cc7',
    texts: `
      b9cb 1198 f893 6ae6 18bb 5acb aa54 d84f 1c20 1e26 8e9c d348 e7aa 5711 5a78 55c8 6446 c4e6 bf86 8a2a 2da3 edac
      61c1 7079 9e56 e421 018a 96e5 3668 b837 27f8 634f fe03 0441 cc54 df7c 0878 7cd3 da92 975f c158 35cd`,
    textPieces: 'd817 fb42 0e5c 3599',
  },
  {
    words: ['ketama', 'ketama:hashring'],
    source: 'libhashkit 1.1.4, libhashkit_md5',
    lengths: `
      a0fc 399f 3492 0f53 f443 767a b51f d3cb c232 d240 962b 6000 e6d0 bbd3 d6d2 65bb f67a d83b 3346 a9f6 baa4 3bae
      d463 c41a 72ef 34f1 3568 4f7e 6851 3922 69ef e6fc 74b7`,
    repeated: '143f 3132 531f 9b06 47f6 5b1f 282d cd9f 9438 aaf2 87bf 87c9 c508 8712 b762 3671',
    pieces: '6a6f d008 4c41 e5e8',
    texts: `
      00b0 9d6e 489e 10c9 5c53 9000 ec83 b1f9 6f5f 6759 b03e 5411 e7cc efa1 d945 f29f e102 817b e4a0 3f9e 9fa4 9dad
      5af5 2ca7 5d4a c965 d9d3 9d0d f6c9 4d04 edb0 e32f 9775 57a5 64de e4e0 84e5 56eb 06b1 5cf5 50f7 0fdc`,
    textPieces: 'a875 4028 5eff b7a9',
  },
  {
    words: ['ketama:plain'],
    source: 'libhashkit 1.1.4, libhashkit_one_at_a_time',
    lengths: `
      0524 2e9e 9fcb 262b 6b84 ba89 1ac9 79e6 1634 145f d225 7607 c74f 8c20 a6ce 0a44 849e 98c6 7b2c 62e7 9e05 4377
      8fc9 1164 8bf8 1d33 1a1e dcab 3c30 11c5 8cbf bb58 992a`,
    repeated: 'c897 14e1 fd43 2ede 33e6 76f0 b38f 126c 38d0 dad8 7378 6ae9 83a5 2996 9335 bd43',
    pieces: '679e 5009 71a9 9b0a',
    texts: `
      1869 4cf1 fdf8 f9cc 82da bdcd a6e1 c768 eb8f 681b 1df0 3927 7e2e fea4 96f1 c06d f0ff faa2 13eb a300 4e6c 6187
      2929 c1f9 e0e2 2c0b c335 67f8 7b75 572c 574d 4c0b 8809 3348 e9cb db5b cd75 0758 e0de 477d bc4e 7142`,
    textPieces: 'e26d a731 933f 5007',
  },
  {
    words: ['redis'],
    source: 'crc_hqx of Python, of the hash tag; CLUSTER KEYSLOT of redis-server 7.0.15',
    lengths: `
      5153 3123 1a86 22fc 2623 c6bc a5c0 605b 0cdb 9489 61fa 3575 3575 3575 3575 3575 3575 3575 3575 3575 3575 3575
      3575 3575 3575 3575 3575 3575 3575 3575 3575 3575 f423`,
    repeated: 'badc 823e a3bc 2fc4 f18e eb9f ca08 8de2 b563 d2df 33cf e947 36ce d9c3 0449 0987',
    pieces: '0fa0 0fa0 0fa0 0fa0',
    texts: `
      7fa0 797e 1d2a 6b68 e073 2e00 4112 076b 7e08 6fb5 a259 fece 11d9 e1f3 dc49 9a1e 8e09 d807 2bf9 34fa 3f97 ac7e
      be0a 030f 9630 bb3e 0e55 9730 daa3 3fcd 233c 1d4a 84f5 7881 1555 ad17 3746 c0a2 a8e6 24b1 8f40 8d4b`,
    textPieces: '245c 6b2b 221d 30da',
  },
  {
    words: ['ragedb'],
    source: 'std::hash of libstdc++ in g++ 12; chdb 26.7, gccMurmurHash',
    lengths: `
      c372 749c 03c4 c48a 2306 8a92 ecfb 775a 78fa 46c1 a3bb 12da 431c 6709 ba54 1612 ad24 53cb 7d01 1019 688c d843
      1263 b812 8c4a 09fb d75b e3b8 7299 d5cf 6c36 1f72 8b87`,
    repeated: 'b46d 3d68 a7c0 97ef 580d 13b5 1a74 1260 8cbe 9b44 336d e3a3 596c 5ffe 9bc7 0d11',
    pieces: 'a4eb 468b ecc9 e6ee',
    texts: `
      cdc0 1cc2 8e20 8ee2 ce9a dab9 aa47 4d24 9bb0 f4e3 0956 0f60 3e0c be23 4ebf 6c27 f2d1 b158 e4f2 a1d6 e33d 4cf1
      d406 6e0c 25ce 6889 855c 7b81 7d66 97b8 965b b977 e38a b166 36fc daa2 9ec6 4636 fe96 8c69 e237 f01d`,
    textPieces: 'f07f d8e9 8c7c 50bc',
  },
  {
    words: ['spark', 'spark:hash'],
    source: 'Python, after hashUnsafeBytes of Spark: Spark was not run',
    lengths: `
      3c10 8a27 bf4e 7fe8 26de ee0a 1b93 5c3f 946c 923a f83a 6fc0 e579 f404 19cf fd86 30f2 df6d 7cb1 98a5 cc9d 2569
      9ca8 feee b487 a9c8 0ca8 842d 2a7b a534 b07a 14ca de4c`,
    repeated: 'e193 0297 2505 6d0a b1f2 11bb 0f8e 04a4 067e 8966 16da 0101 8531 29a8 3f43 e09e',
    pieces: '38c3 3ae3 9226 f045',
    texts: `
      2480 2393 496a a892 6ae4 2b43 e6c4 e4cc ccb1 2952 6bbb c002 019d a65d d957 1eae fd21 092d 457c 0e82 f83a 751f
      bcd3 a711 10a4 ce3a ae69 e862 78d4 97a2 458c d3cf a14b 32c2 7232 ff22 124b 6ab4 f934 f7aa 6e39 f450`,
    textPieces: '78ba 1e9e 73c9 5049',
  },
  {
    words: ['spark:rdd'],
    source: 'String.hashCode of JDK 17',
    texts: `
      c91f 9a85 eeaf 6fb3 41bd 2a6e 1405 2040 0282 cf4d 7775 f777 5d4f 6584 198e de5f e53a d340 39b0 ccda ad5e e65d
      dd30 b355 f1cf 3c89 8425 05fa 8e16 90fd f2dc d443 5ce5 6419 8bc7 ee4f 0446 ce84 8270 e7f0 af5b bd95`,
    textPieces: 'f047 3772 2ca7 001a',
  },
  {
    words: ['flink'],
    source: 'Python, after MathUtils of Flink, of String.hashCode of JDK 17: Flink was not run',
    texts: `
      71e2 c6a4 69af 5ed3 21ac 818a fa46 626b fe45 3306 f635 cdef 2cdb a465 3df6 0846 cf66 b18a 4fbb b427 533e b5b7
      ccc6 0e66 f369 56c1 1126 6f84 d4f2 7e6c f4e6 a950 ef02 dfd8 b331 7947 e030 a420 2608 574f d208 593b`,
    textPieces: 'abe0 961c 279c b7d0',
  },
  {
    words: ['hive', 'hive:2'],
    source: 'Apache Commons Codec 1.22.1, MurmurHash3.hash32, which comes from Hive',
    lengths: `
      64ac bfab 3a72 bdc7 902f 8c8f 020d 5e7e f6e0 9d49 8762 c653 fbf6 742f 639b e441 e146 f8be e52c 7067 9995 cb9f
      5865 105f 4018 ba44 4610 e848 4c15 ee28 3310 acdb 34ab`,
    repeated: 'def9 36f6 51ab 0ee3 ae69 8371 2c5f 2f9f 0da7 b8f5 0871 f097 e2cb 7df1 1cb8 ba16',
    pieces: '5eef 0dfa 285f 009e',
    texts: `
      a01c 75fa 8706 3919 1023 2b60 66f3 d564 a983 46cb 517c 0d96 bc79 ab54 3d9d 61c4 5730 3d6e 6923 d3c5 72f4 33a8
      b60f f4f5 96fd 9e27 fbbe bc9f 74fd 3278 0e00 b7da 1ced 855a 25ce d4d9 2bb0 8fe1 3661 b390 e263 61d4`,
    textPieces: '8fe8 ff54 596e 479b',
  },
  {
    words: ['hive:1'],
    source: 'JDK 17, Arrays.hashCode without its start; chdb 26.7, javaHash',
    lengths: `
      ac55 2503 e6c4 b411 ddc9 b542 c4ad 3f76 777f 2726 0edc 4c3c 934c 7a5f fbd0 a68e f36f 22f0 9b47 769d 7666 ebb2
      ce85 5025 b9cc 8dc8 7e14 afd0 7d35 0abd b09b d229 2bd2`,
    repeated: 'e392 b8ca 49db 698e 4891 befe bf5f 1daf 0d82 28c9 53a3 1721 4cda 2453 1f6d 46ca',
    pieces: '5d84 b798 a4ec 5841',
    texts: `
      c91f 9a85 eeaf 6fb3 41bd 2a6e 1405 2040 0282 cf4d 6698 d007 e823 f315 80fd 73ac ec20 d0db c96a 999a e2c3 b161
      7a48 9bda 2a74 a7fc dd58 dd10 5551 9dbf 6579 9c42 b2d4 f9d5 a91f 84b6 b6c1 72e2 792d fff9 dd16 af8e`,
    textPieces: 'f047 3772 2ca7 001a',
  },
  {
    words: ['iceberg'],
    source: 'chdb 26.7, icebergHash; Guava 31.1',
    lengths: `
      a003 01fe ef6c 5ba9 8294 c042 6cc5 a0c4 7e28 9653 aced 55b3 140e 6024 2de2 cf46 1b24 d366 3289 724c 225f dc3f
      0dc5 a239 6377 93f5 304c 4fb9 b7c1 7152 1a09 2bad 1f99`,
    repeated: '004a 9089 2e8a f080 dac9 3f1a 6e47 66b3 ed34 7cfd 73cf 2a18 08ec 9b06 bfb8 76b9',
    pieces: '6486 3afe 1eb8 6ab4',
    texts: `
      812b 6fbe e3ce e532 f38b ea20 1586 1230 b7bb ce8e afc0 0bfa f127 98b8 09ca cd1e 532d 61f4 0438 9f3d 2245 9d6c
      5e43 3ff0 34cd a653 a891 1032 143e 6e12 ad00 1cb3 35bf ef57 c295 38ae c817 3613 d81f ccd3 fc80 8f3d`,
    textPieces: '5acb 0b92 dc85 5fa6',
  },
  {
    words: ['postgres'],
    source: 'PostgreSQL 15.18, hash_record_extended of a bytea, and rows in 251 partitions',
    lengths: `
      c294 b9e6 ff44 6ddd db86 9f8c e5cb 4a10 db4d 64f5 57b0 78e7 4313 ccfb 63b4 cda2 bd3c bf6b da69 1237 a98e 717a
      2978 478e 79dc 83da 6a5b 02f6 5715 c6c8 acf8 d9f0 2a82`,
    repeated: 'f809 f357 d853 259d 2fe2 a062 e0a9 f858 af92 2ae3 6961 e062 b133 0dd9 219c f11a',
    pieces: '5564 a817 4232 e861',
    texts: `
      6e4b 3908 d20e 896f 4ba6 0b17 c5bf 0df7 8055 3228 9d4c 1c11 dde0 e784 d4ef 2975 ec44 b19a 754a 9ec4 d6ef 1e5a
      4380 9abb 70c5 5ac7 4f7d b27c f267 a3d6 8628 b398 364f def9 bca6 70bd 55e2 f211 1611 7c9f abba f9df`,
    textPieces: '7efb d2d7 275e 3697',
  },
  {
    words: ['citus'],
    source: 'PostgreSQL 15.18, hash_record of a bytea',
    lengths: `
      c1dd 833e ee23 e75b 3ba2 447e 2949 6174 c9e4 94db e30d a50b df49 ee92 65e7 3152 c496 1492 182a 8bed f315 c534
      675c 2e64 eeea 3a3f ed52 ac3c 2fc8 5ed3 66f0 c6e1 c37b`,
    repeated: 'af10 dcb9 7cb6 8a96 2416 99b9 8b67 cd37 b4a0 4474 bc5a e612 b317 2ceb d91a 7490',
    pieces: '5dc1 cb39 51fb 5078',
    texts: `
      9d51 22db fd72 6c77 2ff2 b7a7 7344 4db7 3234 b9d8 f3c5 b4eb e647 3ce3 9f04 7797 1f93 55c3 fa92 42af 6a13 e831
      2c5e 139c b558 e170 c245 18ae 3ef7 67e9 3c53 b0a2 4136 2c92 ce9c 4674 0ad1 2219 6451 1174 d825 7cf5`,
    textPieces: 'c18f 59b3 6faa 18d9',
  },
  {
    words: ['cassandra'],
    source: 'cassandra-driver 4.10.0; the empty key is Long.MIN_VALUE in Cassandra',
    lengths: `
      37a4 e2a7 b932 274a 74ea 2c7e 00f1 1e1b a68a 8d51 ed19 bdf7 f7a0 733e 4aaa 8858 3cd3 a2d0 fc5b 204b 6bf4 6041
      5314 f153 1601 5aff 8df0 881a 3268 4d53 fef0 5d2b bd5f`,
    repeated: 'e7c5 0503 90f7 076f 63ee f846 1ba8 fffb 4d98 ac54 a59f 8289 5786 47fa 83a4 3bbe',
    pieces: '887d 8ac1 ee71 69bc',
    texts: `
      b379 ee8f 0d37 38ad d776 7db6 d7fd 5107 2e98 2a98 4532 0fbb 3f2a 858b 547c dd5c af91 d158 b923 e775 b66c 8e9d
      55fa 7c6f b99d e6d1 57c5 ecfd 8cfd c35a 47b7 a59f efa8 5ee5 b82f dc4f 92f9 dbe9 27ea f7f5 47f7 58bd`,
    textPieces: '9796 778a c379 044c',
  },
  {
    words: ['vitess', 'vitess:xxhash'],
    source: 'libxxhash 0.8.1, the bytes in reverse order',
    lengths: `
      b930 ab56 9aed 5910 a1bc 8096 a374 471b bbc4 5279 51fd 9a38 87e0 c124 9dca 6f53 7c9d cfc4 a15c f3a0 7ec4 748b
      6391 ce3b 9df0 2df7 d455 3cbc 7adc 08ea f69c d1d3 51cd`,
    repeated: '062d 6edb 2399 e720 7335 aba7 ccdc e2aa fe19 f968 4895 bf5d ecd5 d8f0 c21b b4ec',
    pieces: '9a4c e000 7a78 d9da',
    texts: `
      e191 54a8 372b e654 3aa9 2a94 4e6d 9bf6 076d 812c 4d92 c411 4868 4f2c 24a2 7a1d 8ca4 49de 0cce 1c71 e1f5 06e6
      51df 42ba b4a1 1a0b 7c89 cc4f 47ef f57a 7f19 c575 827f d958 f183 5949 9cd3 7792 feb0 fe53 88b2 5b12`,
    textPieces: '1c1d 3219 f14b fc58',
  },
  {
    words: ['elasticsearch', 'elasticsearch:before-9.4'],
    source: 'Apache Commons Codec 1.22.1, MurmurHash3.hash32x86; chdb 26.7',
    texts: `
      2ebf b901 8f90 bd55 462c 37dc da3b ebd2 a947 b76d a513 ee45 1006 69bf 1a72 39ad 7278 cb5e 7c1b e927 f388 dd42
      26b0 4dfe 092d d185 3c88 7611 9158 b527 fbbe 0807 1b2e 35d6 e865 3196 55d4 c220 da28 90e1 263e 1138`,
    textPieces: '7d95 11ee c413 c01c',
  },
  {
    words: ['couchbase'],
    source: 'CRC32 of zlib, bits 16 to 30',
    lengths: `
      354e cce4 7615 3574 b414 5132 d8bd ff01 ca43 3788 fc4e 667a c2e8 2294 efe7 8374 5868 fbcb 8876 8364 8c48 a178
      503e aa15 528f e951 034c 00d7 926c 0246 f631 d481 c8af`,
    repeated: 'd824 800f c8e3 d13c 7f4d 47e0 d37e ccb1 bb0f c8a8 5fba 0fc1 c2c9 63b9 f80d 8105',
    pieces: '88e5 58f9 babf 42e7',
    texts: `
      0923 a40c e303 5aab fd03 937a a9cf 12c4 4638 3123 cf9e b729 d33a 81f2 91c8 f316 02fa 00f1 4412 7af7 b12a 3989
      4137 989d 440e 6251 1d24 3542 3bb9 b219 9117 dcda cfe3 e0ff 4b38 043b ec84 0648 fb59 fc56 75c8 5061`,
    textPieces: 'e481 c7c4 8d57 3250',
  },
  {
    words: ['clickhouse:sipHash64'],
    source: 'chdb 26.7',
    lengths: `
      4528 557f 1140 9be3 2c5a 609e f078 713a 96b7 9340 42ce 6284 c89b e77a 5ff7 3d79 75ba b75a 9131 99d7 ba50 0f70
      72ce 03df a6cb 3087 6857 f4fa d331 1a25 0c7f c419 01bd`,
    repeated: '7d19 21b8 faa4 c3a6 a633 627a 39a9 2d83 7cae 436e 1ab3 030d 45f7 518b 9f8a bb02',
    pieces: 'f59a 445d 79a5 bda9',
    texts: `
      9841 cb12 7f48 bedc f245 ea14 6139 eb50 a499 7a77 1f44 8aff bbad 0a0f ceb4 7323 1d70 ec28 f388 c658 122f 8274
      29d3 9092 a0b0 4f80 68af 2d9e 5387 7eb3 5470 0c69 64c6 be72 d763 e102 3152 ff36 5c86 2787 56df 136b`,
    textPieces: 'a90b aa1c e27f 40ec',
  },
  {
    words: ['clickhouse:murmurHash3_64'],
    source: 'chdb 26.7; Apache Commons Codec 1.22.1',
    lengths: `
      9b2b 2412 f68b 1688 f528 391b fef7 2fdd b806 2a0e 7f88 873e a1ca 3d8e 2aa6 7440 cc9d 74dc a4c9 ab7d dec4 1ade
      6768 1e0e 4ee8 8f0d 9847 4a53 a8b5 5482 9e8c 8a66 b4aa`,
    repeated: 'c800 3102 60dd 0814 510f 28f5 40e4 fca8 a270 175c fe17 3235 6e29 c0c6 2c90 f0c0',
    pieces: '0d2d c169 8cf9 b083',
    texts: `
      bcbf a3ca 3dac a6a9 dbea a215 73de b3a9 73cc 74f2 4233 3f6b a52e 25e2 d65e 6bb8 9c64 4e56 a8a0 db42 6337 f5bd
      6805 d180 70ba f343 1e40 db6c 12c7 e8f9 511d 69d9 8c27 0b22 99c1 7f88 ed52 00b7 d5bb 2d2d 3f4a 93e3`,
    textPieces: '76f1 48ee e93d be67',
  },
  {
    words: ['clickhouse:xxHash64'],
    source: 'chdb 26.7; libxxhash 0.8.1',
    lengths: `
      8719 1f84 25a0 52ce 8962 29a4 a3ab 004b 21e8 4237 70b8 dcf7 11d4 6db9 59ac 1d36 10c0 20db d0b0 7381 92c5 f83f
      ed77 de32 d4be 0fa8 7063 53bc 596f 74e5 3134 179f 49b0`,
    repeated: 'a0d6 518a 0b43 ecb5 e24a e6f9 6633 bc53 20d9 c25c 5988 d7f8 8edb 5074 74c4 d745',
    pieces: '30e7 99fc 448b 98c2',
    texts: `
      ab6f 19b5 2329 90cd cd98 b898 7740 9f47 2f7f 8f97 2bee 6866 9e9f 352f 98c4 f769 d773 6420 0e62 b53f 489f 57e5
      167a d9da ad3b 304c f701 ccc7 3f9e e8bb 5e50 5463 3a59 03e1 910e e749 a2df 3322 79b2 3e6e 63c0 a8bb`,
    textPieces: '0187 72aa 2f31 ca2c',
  },
  {
    words: ['clickhouse:cityHash64'],
    source: 'chdb 26.7',
    lengths: `
      771d 6151 b90a 2af0 9510 1582 f899 bb5c e14f a9b9 a9d2 d41c dc0e 7fd2 6a8c 4980 9075 7494 b81d 0b0d e327 ce37
      f067 c0cc 9c4d 0a27 9f98 0358 744b fe49 58c6 5e66 1d0e`,
    repeated: '1848 bd59 55c5 fe6f 0941 3055 e0d0 74b5 9aea 6ee0 82fa 83f9 65f3 0a35 033d 27b3',
    pieces: 'c3f3 54be cb9c 7fcd',
    texts: `
      fd2b 5215 587a d617 7c75 5a56 ca31 b04a a6a7 f195 a43f 613a d64e a573 cc40 3716 4459 fe26 1424 c756 5f51 9512
      511c e425 78a8 e677 f2fa dd76 69f5 3244 cccd 2d1c 0687 5955 910c f269 7d08 a9da d1c8 36be d39b 72c9`,
    textPieces: '4e9c 7e77 b340 de5d',
  },
  {
    words: ['clickhouse:farmHash64'],
    source: 'chdb 26.7',
    most: 256,
    lengths: '00e7 2903 f8f2 0fd0 bd3c d071 c5c9 65e5 b5b6',
    repeated: '7f97 f06c 02c2 885b 6210 33cb 8d40 3d0a 8b4e 2e02 a0dd 7f7c 87e8 5a12 1e55 02c3',
    texts: `
      447b 85b5 1b14 870c 7c02 8663 6abb d247 8d83 0a78 b731 0949 1466 df24 115e 6934 5746 b94a 9275 fb8a f89d 9dbd
      4e35 6371 d8f4 cba3 0590 749c edda 9998 e6ac ae7a 88de 291f`,
  },
  {
    words: ['clickhouse:murmurHash2_64'],
    source: 'chdb 26.7; Apache Commons Codec 1.22.1',
    lengths: `
      44fd 9546 14ff 9d68 a944 6db8 b507 ed76 4b25 07bf 50a3 bc72 fd18 6830 c5a7 800a 0e7b ddff d4da 343b a456 4f2f
      6553 413c 6281 6d21 74e4 a642 2463 fbfd 7007 2f85 0ffe`,
    repeated: '60f3 1eba 7a9c 57a7 fcc6 65f7 34eb cca8 1db0 b32d cbf6 8194 de05 bd75 1249 220a',
    pieces: '2025 556b f3b8 2483',
    texts: `
      c1e3 008d 1f0f 67ac a85b da81 cb14 4bfa 1e16 1f43 7e19 c816 7877 d676 2652 10b6 3e87 fb22 e865 9eb2 bed5 2921
      8b95 f8a4 6018 fe20 7463 b50b 4fb8 2706 a5df 595d cda8 0ccb d60a ea67 0b0e 13cb 7bc7 2bbb f92a 5538`,
    textPieces: '0fd9 bff2 bc43 8cc8',
  },
  {
    words: ['clickhouse:javaHash'],
    source: 'chdb 26.7',
    lengths: `
      1a16 ace0 5c04 74bb d3fa 5f4a 71a8 d106 397c b404 0483 904e 9674 1d02 961e 14fc 13a0 2f94 7131 3ff4 0f91 4370
      babb b12b 25d4 c37a 1c7a f3ef 1f5c fdc5 1af1 0ef8 8e08`,
    repeated: '6416 8ae5 7f57 aa5a f0f0 d65c 3d0b d9b1 e51b 4287 7211 63b0 b247 efe5 4180 db6c',
    pieces: '3cba 6435 55d2 cc9b',
    texts: `
      5b7d 8577 601e 263b 49fb da47 4fe2 30b6 9a72 53c0 6c0b 11f0 badb 1dc0 49c6 c069 e361 e7d1 eeb6 d0ef be2e 73c3
      447f 33a8 b277 a108 2634 3a65 0e9e d271 1dcd 3830 f07e 96ec 98cb 775a 4275 71f2 7873 a03e 34d3 10b0`,
    textPieces: 'c7c1 2950 ffa4 c7f1',
  },
  {
    words: ['bigquery', 'bigquery:floored'],
    source: 'libfarmhash of Debian 12, util::Fingerprint64',
    lengths: `
      00e7 5070 9d2e 4341 bd3c d071 c5c9 65e5 e5d2 4027 2d34 fc51 1507 4ebd 4426 b008 5b7d 7f4d f3a5 de0a c7af 74cb
      5698 68cb 54b9 817f e40d 5752 781d d40b 6850 b11c 576f`,
    repeated: '7f97 f06c 02c2 885b 6210 33cb 8d40 3d0a 8b4e 2e02 a0dd 7f7c 87e8 5a12 1e55 02c3',
    pieces: 'f120 6d29 7881 43c1',
    texts: `
      447b bb8b 084c e706 7c02 8663 6abb d247 bfb6 1aaf 4cfc 8ea3 0949 1466 df24 a4c6 74ea 5746 b94a d885 1faf 6699
      f4e4 b4c9 3810 6cab 6371 7c5a d734 6ce0 c267 f5b9 749c 05ac d4b6 722d ec0a 4ab8 2f1b a6a2 88de 291f`,
    textPieces: 'a4aa 3020 e333 4d6f',
  },
  {
    words: ['mongodb'],
    source: 'MD5 of hashlib in Python, of BSON',
    texts: `
      6972 6df8 25c6 7ccb eede 53be 3861 82c8 495b 511d 997a 4c96 4185 c015 b411 34d1 a334 19b8 28e9 3184 6b2d 9972
      5af8 d2ba 7175 c1d7 e43e c205 77fe 29d1 8efa 2e53 19e9 124d 20ef ebd1 6e2d 871c bb41 1a3a 228e 7c79`,
    textPieces: '3eca bcc2 b46c 61bf',
  },
  {
    words: ['mongodb'],
    source: 'MD5 of hashlib in Python, of BSON',
    lengths: `
      b1d6 dc8d b290 0b5e 5e2d 089a 8a3f 90d2 690d 6249 4306 6c23 f043 739a 70f4 931b bd01 9991 fdb2 824b 0c2a 3d43
      042f cc55 5ff7 beed 39a1 5949 5cf6 020f 4ef1 eb5b cf07`,
    repeated: 'cc79 8f02 413d 69c6 f4b9 2bcf 466e 75aa 6ab3 02e2 4226 2dce e198 10e6 66eb b412',
    pieces: '2412 b8b4 8aa4 07f0',
  },
  {
    words: ['prometheus'],
    source: 'MD5 of hashlib in Python; chdb 26.7',
    lengths: `
      e443 134e 3ce7 018a abb7 800a 2c34 c242 ade9 0ffc d062 f2ef fe85 003d 9bde a2b0 0fc7 85ae 52e7 e87f 46bd ac3b
      05c8 45d5 d99b 518d 94cf 57f5 9eb8 2d15 b6de 7b51 8bea`,
    repeated: 'c3c5 5c6c 21cc 4c1c 3776 a0d7 1ea8 8aa2 6029 daea 9cdb f37d e10c 67a5 9be6 d343',
    pieces: 'eecd 038b 2446 4015',
    texts: `
      bc0c c8fe fb4e e89b bfea e076 2ac1 183f 08fe 5fea 2ad9 e232 fa01 ee28 9c2f ca7e c66d d22c 753d 981f c03e ed50
      6c6f 7160 38a3 9016 32b5 64a1 94b8 72f7 2e72 87da c8b1 98b0 df8f 24b2 cf9c 30c8 e58e 2f3f 8909 c686`,
    textPieces: '544c 0f0e c1aa 4d3b',
  },
  {
    words: ['mysql'],
    source: 'Python, after my_hash_sort_bin; rows of MariaDB 10.11 in 13 and in 251 partitions',
    lengths: `
      8ada bd56 8d1f 090b 7eac 0c57 d6e9 a773 34c0 6547 b297 abb5 73a3 ec8e 99d6 f7b2 ef2a 698a 8f5f 3770 1bc7 598b
      110d 1ded adae 06f4 e296 463b 061e b501 897f 0843 832e`,
    repeated: '9860 1c5a bee6 9e97 f5b9 4248 0a0b 3569 8b25 74cd 4114 7962 2126 93aa 1c57 964e',
    pieces: 'f83b 355f e818 2fe0',
  },
];
