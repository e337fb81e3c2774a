import { describe, expect, it } from 'vitest';
import { FORMAT_NAMES, isWideKind, READ_FORMATS, WIDE_ID_KINDS } from '../../src/tokens/formats.js';
import { formatOf, idIn, idInCell, patternOf, type SearchKind, withoutUrn } from '../../src/tokens/patterns.js';

/** The ids in a text. */
function idsIn(text: string, search: SearchKind = 'any'): string[] {
  return Array.from(text.matchAll(patternOf(search)), (match) => {
    const { id, at } = idIn(match);
    expect(text.slice(at, at + id.length)).toBe(id);
    return id;
  });
}

/**
 * Ids as they are published: Wikipedia, "Snowflake ID" (a tweet); Discord's API reference, "Snowflakes"; RFC 9562,
 * appendices A.1, A.2, A.3 and A.6; README.md of ulid/spec; MongoDB manual, "ObjectId"; README.md of segmentio/ksuid;
 * id_test.go of rs/xid; atproto.com/specs/tid; a post of Instagram; README.md of tsid-creator.
 */
const TWEET = '1541815603606036480';
const SNOWFLAKE = '175928847299117063';
const UUIDS = {
  1: 'C232AB00-9414-11EC-B3C8-9F6BDECED846',
  3: '5df41881-3aed-3515-88a7-2f4a814cf09e',
  4: '919108f7-52d1-4320-9bac-f847db4148a8',
  7: '017F22E2-79B0-7CC3-98C4-DC0C0C07398F',
};
const ULID = '01ARZ3NDEKTSV4RRFFQ69G5FAV';
const OBJECT_ID = '507f1f77bcf86cd799439011';
const KSUID = '0ujtsYcgvSTl8PAuAdqWYSMnLOv';
const XID = '9m4e2mr0ui3e8a215n4g';
const TID = '3jzfcijpj2z2a';
const SHORTCODE = 'DItX5KfIw3Z';
const TSID = '01226N0640J7Q';

describe('formats', () => {
  it('have names, and those of wide ids are known', () => {
    expect(READ_FORMATS).toEqual(Object.keys(FORMAT_NAMES));
    expect(WIDE_ID_KINDS).toEqual(['uuid', 'ulid', 'objectid', 'ksuid', 'xid']);
    expect(READ_FORMATS.filter(isWideKind)).toEqual(WIDE_ID_KINDS);
    expect(READ_FORMATS.filter((format) => !isWideKind(format))).toEqual([
      ...['dec', 'hex', 'shortcode', 'base62', 'crockford32', 'sortable32'],
    ]);
  });
});

describe('a text alone is surely', () => {
  it.each([
    ['dec', TWEET],
    ['dec', '100000000000000'],
    ['dec', '18446744073709551615'],
    ['dec', '-3541815603606036480'],
    ['dec', `${TWEET}n`],
    ['dec', '1_541_815_603_606_036_480'],
    ['dec', '1,541,815,603,606,036,480'],
    ['dec', '1355517523.000005'], // docs.slack.dev, "Retrieving messages"
    ['hex', '0x0223bbf03300507b'],
    ['hex', '0xff'],
    ['hex', '0223bbf03300507b'],
    ['uuid', UUIDS[1]],
    ['uuid', UUIDS[3]],
    ['uuid', UUIDS[4]],
    ['uuid', UUIDS[7].replaceAll('-', '')],
    ['uuid', '00000000-0000-0000-0000-000000000000'],
    ['ulid', ULID],
    ['ulid', ULID.toLowerCase()],
    ['objectid', OBJECT_ID],
    ['ksuid', KSUID],
    ['xid', XID],
    ['sortable32', TID],
    ['shortcode', SHORTCODE],
  ] as const)('%s: %s', (format, text) => {
    expect(formatOf(text)).toBe(format);
  });

  it.each([
    '',
    '42',
    '12345678901234',
    '123456789012345678901',
    '1.5',
    'null',
    'engineering',
    'international',
    'counterrevolutionaries',
    'Description',
    'dQw4w9WgXcQ',
    'd41d8cd98f00b204e9800998ecf8427', // 31 digits
    'aaaaaaaaaaaaaaaaaaaaaaaa',
    '000000000000000000000000',
    `${UUIDS[4]}0`,
    ` ${TWEET}`,
    `${TWEET}\n`,
    '8ZZZZZZZZZZZZZZZZZZZZZZZZZ', // above the largest ULID
    '01ARZ3NDEKTSV4RRFFQ69G5FAU', // U is not in Crockford's base 32
  ])('nothing: “%s”', (text) => {
    expect(formatOf(text)).toBeUndefined();
  });
});

describe('ids in a line are found', () => {
  it.each<[string, string[]]>([
    [`saved ${TWEET}, then ${SNOWFLAKE}.`, [TWEET, SNOWFLAKE]],
    [`(${UUIDS[1]}) [${UUIDS[3]}] "${UUIDS[4]}" <${UUIDS[7]}>`, [UUIDS[1], UUIDS[3], UUIDS[4], UUIDS[7]]],
    [`urn:uuid:${UUIDS[4]} {${UUIDS[7]}}`, [UUIDS[4], UUIDS[7]]],
    [`trace ${UUIDS[7].replaceAll('-', '')} ended`, [UUIDS[7].replaceAll('-', '')]],
    [`event ${ULID} of ${KSUID} by ${XID}`, [ULID, KSUID, XID]],
    [`ObjectId("${OBJECT_ID}")`, [OBJECT_ID]],
    [`/app.bsky.feed.post/${TID}?ref=a`, [TID]],
    [`https://www.instagram.com/reel/${SHORTCODE}/?igsh=a`, [SHORTCODE]],
    [`https://www.threads.net/@zuck/post/CuVNiCcgJsM?x=1`, ['CuVNiCcgJsM']],
    [`"shortcode":"${SHORTCODE}" code=${SHORTCODE}`, [SHORTCODE, SHORTCODE]],
    [`tsid=${TSID}`, [TSID]],
    ['user_id=42 and userId: 43', ['42', '43']],
    // docs.slack.dev, "chat.getPermalink"; and a link as Slack copies it.
    ['https://a.slack.com/archives/C1H9RESGL/p135854651700023?thread_ts=1358546512.000010', ['1358546512.000010']],
    ['https://a.slack.com/archives/C1H9RESGL/p1358546515000008', ['1358546515000008']],
    [`?u=https%3A%2F%2Fx.com%2Fa%2Fstatus%2F${TWEET}`, [TWEET]],
    [`\\x${UUIDS[4].replaceAll('-', '')}`, [UUIDS[4].replaceAll('-', '')]],
    [`user_${UUIDS[4].replaceAll('-', '')}`, [UUIDS[4].replaceAll('-', '')]],
    ['at 0x0223bbf03300507b', ['0x0223bbf03300507b']],
    ['id=1.37E+18', ['1.37E+18']],
    [`n = -3541815603606036480;`, ['-3541815603606036480']],
    [`a-${TWEET} b_${SNOWFLAKE}_c`, [TWEET, SNOWFLAKE]],
  ])('%s', (text, ids) => {
    expect(idsIn(text)).toEqual(ids);
  });

  it.each([
    '',
    'The quick brown fox jumps over 13 lazy dogs',
    '2024-03-01T10:30:15.123456Z took 1709289015500 ms, 35%, from 10.12.13.14:8080',
    'pi is 3.14159265358979323',
    'md5 d41d8cd98f00b204e9800998ecf8427e', // of nothing
    'sha1 da39a3ee5e6b4b0d3255bfef95601890afd80709',
    'sha256 e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
    'traceparent 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01', // W3C Trace Context, section 3.2.4
    'at 0x7fff5fbff8c0 in main',
    'internationalization counterrevolutionaries',
    'report_2024_001 v1.22.333',
    'https://www.youtube.com/watch?v=dQw4w9WgXcQ',
    'https://www.instagram.com/instagramer/',
    `abc${TWEET} ${TWEET}xyz`,
    '175928847299117063175928847299117063',
    'card 4111 1111 1111 1111 and +49 30 1234567',
    '//npm/left-pad@1.3.0#sha512-XI5MPzVNApjAyhQzphX8BkmKsKUxD4LdyK24iZeQGinBN9yTQT3bFlCBy',
  ])('but not in: %s', (text) => {
    expect(idsIn(text)).toEqual([]);
  });

  it('short ones between the slashes of URLs, if they are looked for', () => {
    expect(idsIn('https://discord.com/channels/1/2/3', 'segments')).toEqual(['1', '2', '3']);
    expect(idsIn('https://a.b/users/42?page=7 of 10/20', 'segments')).toEqual(['42']);
    expect(idsIn('https://discord.com/channels/1/2/3')).toEqual([]);
  });

  it.each<[SearchKind, string, string[]]>([
    ['dec', `${TWEET} of ${UUIDS[4]}`, [TWEET]],
    ['uuid', `${TWEET} of ${UUIDS[4]} and ${ULID}`, [UUIDS[4]]],
    ['ulid', `${ULID} of ${TWEET}`, [ULID]],
    ['objectid', `${OBJECT_ID} of ${TWEET}`, [OBJECT_ID]],
    ['ksuid', `${KSUID} of ${ULID}`, [KSUID]],
    ['xid', `${XID} of ${KSUID}`, [XID]],
    ['sortable32', `${TID} of ${TWEET}`, [TID]],
    ['base62', `0BO7C5bVci3 of ${TWEET} engineering`, ['0BO7C5bVci3']],
    ['hex', `0223bbf03300507b of ${TWEET}`, ['0223bbf03300507b']],
    ['shortcode', `https://www.instagram.com/p/${SHORTCODE}/ ${SHORTCODE}`, [SHORTCODE]],
  ])('of %s alone in: %s', (search, text, ids) => {
    expect(idsIn(text, search)).toEqual(ids);
  });
});

describe('the id of a cell is the one', () => {
  it.each<[string, string, string]>([
    ['behind a prefix', `user_${TWEET}`, TWEET],
    ['behind several', `urn:li:activity:${TWEET}`, TWEET],
    ['of a TypeID with a UUID', `user_${UUIDS[4]}`, UUIDS[4]],
    ['of a prefix and a ULID', `order_${ULID}`, ULID],
    ['behind urn:uuid', `urn:uuid:${UUIDS[7]}`, UUIDS[7]],
    ['in a call', `ObjectId("${OBJECT_ID}")`, OBJECT_ID],
    ['in a call without quotes', `ISODate(${TWEET})`, TWEET],
    ['in a call, whose end was taken off', `UUID("${UUIDS[4]}`, UUIDS[4]],
    ['as PostgreSQL prints bytes', `\\x${UUIDS[4].replaceAll('-', '')}`, UUIDS[4].replaceAll('-', '')],
    ['as PostgreSQL prints eight bytes', '\\x0223bbf03300507b', '0223bbf03300507b'],
    ['at the end of a link', `https://x.com/a/status/${TWEET}`, TWEET],
    ['before parameters', `https://x.com/a/status/${TWEET}?s=20&t=${SNOWFLAKE}`, TWEET],
    ['before what is shown of it', `https://x.com/a/status/${TWEET}/photo/1`, TWEET],
    ['that is most specific', `https://discord.com/channels/${SNOWFLAKE}/286435872092454913/${TWEET}`, TWEET],
    ['that is a step of the path', `https://cdn.discordapp.com/attachments/${SNOWFLAKE}/${TWEET}/a.png`, TWEET],
    ['in a parameter, if there is no other', `https://a.b/c?id=${TWEET}`, TWEET],
    ['of a post', `https://www.instagram.com/p/${SHORTCODE}/`, SHORTCODE],
    ['of a record', `at://did:plc:ewvi7nxzyoun6zhxrhs64oiz/app.bsky.feed.post/${TID}`, TID],
  ])('%s: %s', (_, cell, id) => {
    expect(idInCell(cell)).toEqual({ id, at: cell.lastIndexOf(id) });
  });

  it.each([
    '',
    'paid',
    '42',
    'user_42',
    'order_status',
    'https://example.com/',
    'https://example.com/page/42',
    `a sentence with ${TWEET} in it`,
    `https://x.com/a/status/${TWEET} of today`,
    `user_${TWEET}_old`,
    `call(${TWEET}, 5)`,
    'ISODate("2024-03-01T10:30:15Z")',
    'report_2024_001',
  ])('none: %s', (cell) => {
    expect(idInCell(cell)).toBeUndefined();
  });
});

it('a URN is a UUID with something before it', () => {
  expect(withoutUrn(`URN:uuid:${UUIDS[4]}`)).toBe(UUIDS[4]);
  expect(withoutUrn(UUIDS[4])).toBe(UUIDS[4]);
});

describe('hostile texts take a time that grows with their length', () => {
  const parts = [
    ...['1', '1_', '1,', '-1', '1 ', '1.', 'a', 'aA1', 'a_', 'a:', 'a.', 'a(', '0x', '\\x', '%2f', '/', '1/'],
    ...['id=', 'id= ', '"id":"', 'code ', 'tsid ', '://', 'https://a/', 'https://', 'instagram.com/p/'],
    ...['instagram.com/a', 'threads.net/@a', 'urn:a:', '[([(', '<@', 'A-B_', '/archives/C1234567/p', '0190-'],
    ...['deadbeef', 'Snowflake=', "'"],
  ];

  it.each(parts)('%j', (part) => {
    const text = part.repeat(100_000 / part.length);
    for (const search of ['any', 'segments', ...READ_FORMATS] as const) text.match(patternOf(search));
    for (const cell of [text, `a:${text}!`, `f("${text}`, `https://${text}`]) idInCell(cell);
    formatOf(text, text);
  });
});
