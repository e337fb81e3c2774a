// Ids as text. `dec` and `hex` by definition; the others worked out by hand from the alphabets: base62
// 0-9A-Za-z, crockford32 after https://www.crockford.com/base32.html (16j is 'G', 31 is 'Z'),
// sortable32 after https://atproto.com/specs/tid (0 is '2', 6 is 'a', 31 is 'z'), where 2222222222222 is the smallest.
export const ID_TEXTS = [
  {
    id: 0n,
    dec: '0'.repeat(20),
    hex: '0'.repeat(16),
    base62: '0'.repeat(11),
    crockford32: '0'.repeat(13),
    sortable32: '2'.repeat(13),
  },
  {
    id: 61n,
    dec: '00000000000000000061',
    hex: '000000000000003d',
    base62: '0000000000z',
    crockford32: '000000000001X',
    sortable32: '222222222223x',
  },
  {
    id: 286435872092454913n,
    dec: '00286435872092454913',
    hex: '03f99fe877000001',
    base62: '0L9sW9ga0Ez',
    crockford32: '07YCZX1VG0001',
    sortable32: '2bygzx3vk2223',
  },
  {
    id: 9223372036854775807n,
    dec: '09223372036854775807',
    hex: '7fffffffffffffff',
    base62: 'AzL8n0Y58m7',
    crockford32: '7ZZZZZZZZZZZZ',
    sortable32: 'bzzzzzzzzzzzz',
  },
  {
    id: 18446744073709551615n,
    dec: '18446744073709551615',
    hex: 'ffffffffffffffff',
    base62: 'LygHa16AHYF',
    crockford32: 'FZZZZZZZZZZZZ',
    sortable32: 'jzzzzzzzzzzzz',
  },
] as const;
