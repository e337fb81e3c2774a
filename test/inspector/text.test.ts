import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatIds, parseId, type TextFormat } from '../../src/index.js';
import { Inspection } from '../../src/inspector/decode/inspection.js';
import { DEFAULTS } from '../../src/inspector/decode/settings.js';
import { CellList, cellText } from '../../src/inspector/read/cells.js';
import { parseCells } from '../../src/inspector/read/id-column.js';
import { Problem } from '../../src/inspector/read/problems.js';
import { guessShape, Inputs, readShape, readText } from '../../src/inspector/read/shape.js';
import type { ReadFormat } from '../../src/tokens/formats.js';

const A = '175928847299117063';
const B = '1541815603606036480';
const C = '286435872092454913';

function guess(text: string) {
  const data = new TextEncoder().encode(text);
  return { data, ...guessShape(data) };
}

/** The ids of a text, or what is wrong; of the guessed column, or of the one with a name. */
function idsOf(text: string, name?: string) {
  const { data, shape, column } = guess(text);
  const named = shape.choices.findIndex((choice) => choice.name === name);
  const { cells } = readShape(data, shape, name === undefined ? column : named);
  const { ids, problems } = parseCells(cells, 'guess');
  return Array.from(ids, (id, row) =>
    problems[row] === Problem.none ? String(id) : { problem: problems[row], text: cellText(cells, row) },
  );
}

/** The texts of all rows, of the guessed column. */
function textsOf(text: string): string[] {
  const { data, shape, column } = guess(text);
  const { cells } = readShape(data, shape, column);
  return Array.from(cells.starts, (_, row) => cellText(cells, row));
}

/** Line and column of each row. */
function placesOf(text: string): string[] {
  const { data, shape, column } = guess(text);
  const { cells } = readShape(data, shape, column);
  return Array.from(cells.lines, (line, row) => `${line}:${cells.columns[row]}`);
}

function choicesOf(text: string): string[] {
  const { shape, column } = guess(text);
  return shape.choices.map(({ name }, i) => (i === column ? `[${name}]` : name));
}

const TIDS = ['3l4omssdl632g', '3jt6waxwmzs2y', '3kkreaz3amd27'];
const TID_IDS = TIDS.map((tid) => String(parseId(tid, 'sortable32')));

describe('records of AT Protocol', () => {
  const addresses: [string, (tid: string) => string][] = [
    ['at://', (tid) => `at://did:plc:ewvi7nxzyoun6zhxrhs64oiz/app.bsky.feed.post/${tid}`],
    ['Bluesky', (tid) => `https://bsky.app/profile/bsky.app/post/${tid}`],
  ];
  const ways: [string, (links: string[]) => string][] = [
    ['lines', (links) => links.join('\n')],
    ['prose', (links) => `Look at ${links[0]}, then (${links[1]}); last ${links[2]}.`],
    ['CSV', (links) => `name,uri,likes\n${links.map((link) => `ada,${link},12`).join('\n')}`],
    ['a column', (links) => `uri\n${links.join('\n')}`],
    [
      'JSON',
      (links) => JSON.stringify({ feed: links.map((uri) => ({ post: { uri, cid: 'bafyrei', likeCount: 12 } })) }),
    ],
    ['an array', (links) => JSON.stringify(links)],
  ];
  describe.each(addresses)('with an address of %s', (_, addressOf) => {
    it('alone', () => {
      expect(idsOf(addressOf(TIDS[0]))).toEqual([TID_IDS[0]]);
    });

    it.each(ways)('are found in %s', (__, write) => {
      const text = write(TIDS.map(addressOf));
      expect(idsOf(text)).toEqual(TID_IDS);
      const { read, readings } = new Inspection(new TextEncoder().encode(text), Date.UTC(2026, 0)).view(DEFAULTS);
      expect({ read, name: readings[0].name }).toEqual({ read: 'sortable32', name: 'atproto' });
    });
  });

  it.each([
    [[TIDS[1]]],
    [TIDS],
    [['tid', ...TIDS]],
    [['rkey', TIDS[0]]],
  ])('alone are not in another base 32: %j', (lines) => {
    expect(idsOf(lines.join('\n'))).toEqual(TID_IDS.filter((_, i) => lines.includes(TIDS[i])));
  });

  it('rather than times beside them', () => {
    const records = TIDS.map((rkey) => ({ did: 'did:plc:a', time_us: 1725911162329308, commit: { rkey } }));
    expect(idsOf(records.map((record) => JSON.stringify(record)).join('\n'))).toEqual(TID_IDS);
  });

  it('may be among decimal ids', () => {
    expect(
      idsOf(`https://x.com/a/status/${B}\n${TIDS.map((tid) => `https://bsky.app/post/${tid}`).join('\n')}`),
    ).toEqual([B, ...TID_IDS]);
  });
});

const FOUR = '919108f7-52d1-4320-9bac-f847db4148a8';
const ULID = '01ARYZ6S41TSV4RRFFQ69G5FAV';
const OBJECT = '507f1f77bcf86cd799439011';
const XID = '9m4e2mr0ui3e8a215n4g';
const KSUID = '0ujtsYcgvSTl8PAuAdqWYSMnLOv';

const notFound = (text: string) => ({ problem: Problem.notFound, text });

describe('ids are found in', () => {
  it.each<[string, string, string[]]>([
    ['a parameter', `user_id=${A}`, [A]],
    ['a mention', `<@${A}>`, [A]],
    ['mentions in prose', `hi <@${A}>, is <@!${B}> in <#${C}>?`, [A, B, C]],
    ['a link of Discord', `https://discord.com/channels/${A}/${B}/${C}`, [A, B, C]],
    ['a link without https', `see discord.com/channels/${A}/${B}/${C}, please`, [A, B, C]],
    ['a link with short ids', 'https://discord.com/channels/1/2/3', ['1', '2', '3']],
    ['a link to a file', `https://cdn.discordapp.com/attachments/${A}/${B}/${C}.png?ex=${A}`, [A, B, C, A]],
    ['a link to a photo', `https://x.com/a/status/${A}/photo/1 ${B}`, [A, B]],
    ['links and mentions', `<@${A}> https://discord.com/channels/${A}/${B}/${C} <@${B}>`, [A, A, B, C, B]],
    ['links between commas', `see "https://a.b/${A}/${B}","https://a.b/${C}",${A}`, [A, B, C, A]],
    ['paths', `/users/${A}/posts/${B}`, [A, B]],
    ['links to posts', `https://x.com/a/status/${A}?s=20\nhttps://x.com/b/status/${B}`, [A, B]],
    ['a bigint of JavaScript', `${A}n`, [A]],
    ['separated thousands', '1_541_815_603_606_036_480', [B]],
    ['a list of Python', `['${A}', '${B}']`, [A, B]],
    ['an array of bigints', `[${A}n, ${B}n]`, [A, B]],
    ['an object of JavaScript', `{ id: ${A}n, name: 'ada', other: ${B}n }`, [A, B]],
    ['SQL', `SELECT * FROM t WHERE id IN (${A}, ${B},${C});`, [A, B, C]],
    ['quoted SQL', `DELETE FROM t WHERE id IN ('${A}', '${B}')`, [A, B]],
    ['rows of SQL', `INSERT INTO t VALUES (${A}, 'ada', 12),\n(${B}, 'bob', 13);`, [A, B]],
    ['signed columns of SQL', `UPDATE t SET n = 5 WHERE id = -${A};`, [String(2n ** 64n - BigInt(A))]],
    ['XML', `<user id="${A}"><name>ada</name></user>`, [A]],
    ['a request', `10.0.0.1 - - [01/Mar/2024:10:30:15 +0000] "GET /users/${A}/posts HTTP/1.1" 200 1234`, [A]],
    ['JSON with the ids as keys', `{"${A}":{"name":"x"},"${B}":{"name":"y"}}`, [A, B]],
    ['JSON with the ids in messages', `{"message":"<@${A}> left"}\n{"message":"<@${B}> left"}`, [A, B]],
    ['lines with remarks', `${A} # ada\n${B}`, [A, B]],
    ['Chinese', `消息ID：${A}，用户${B}`, [A, B]],
    ['names with prefixes', `msg_${A} order-${B} ${C}_thumb.jpg`, [A, B, C]],
    ['hexadecimal with 0x', 'order 0x0223bbf03300507b was shipped', ['154173452582932603']],
    ['hexadecimal after a name', 'trace_id=0223bbf03300507b done', ['154173452582932603']],
    ['short numbers after a name', 'user_id=42 status=200\nuser_id=43 status=200', ['42', '43']],
  ])('%s', (_, text, ids) => {
    expect(idsOf(text)).toEqual(ids);
  });

  it.each<[string, string, string[]]>([
    ['links', `https://x.com/a/status/${A} as ${FOUR}`, [A, FOUR]],
    ['attributes', `ulid="${ULID}" id="${B}"`, [ULID, B]],
    ['fields of a log', `doc=${OBJECT} req=${XID} user=${A}`, [OBJECT, XID, A]],
    ['prose', `event ${KSUID} of ${A}, urn:uuid:${FOUR}`, [KSUID, A, FOUR]],
    ['calls and bytes', `ObjectId("${OBJECT}") is \\x${FOUR.replaceAll('-', '')}`, [OBJECT, FOUR.replaceAll('-', '')]],
  ])('%s, of any length', (_, text, ids) => {
    expect(textsOf(text)).toEqual(ids);
  });

  it('fifty lines of a log', () => {
    const ids = Array.from({ length: 50 }, (_, i) => String(BigInt(A) + BigInt(i) * 4194304000n));
    const log = ids.map((id, i) => `2024-03-01 10:30:${10 + i},500 INFO [worker-${i}] saved user_id=${id} in 35ms`);
    expect(idsOf(log.join('\n'))).toEqual(ids);
    expect(placesOf(log.join('\r\n'))[49]).toBe(`50:${log[49].indexOf('=') + 2}`);
  });

  it('some lines; the others are counted', () => {
    expect(idsOf(`started\nsaved ${A} and ${B}\n\nstopped: 35 files`)).toEqual([
      notFound('started'),
      A,
      B,
      notFound('stopped: 35 files'),
    ]);
  });
});

describe('ids are not', () => {
  it.each([
    ['dates, times, addresses and sizes', '2024-03-01T10:30:15.123456 10.12.13.14:8080 took 1709289015500 ms, 35%'],
    ['fractions', 'pi is 3.14159265358979323, or 3.1415926535897932'],
    ['hashes and parts of UUIDs', 'md5 5d41402abc4b2a76b9719d911017c592 550e8400-e29b-41d4-a716-44665544000'],
    ['addresses in memory', 'at 0x7fff5fbff8c0'],
    ['words with digits', 'abc175928847299117063 175928847299117063xyz'],
    ['longer numbers', '175928847299117063175928847299117063'],
  ])('%s', (_, text) => {
    expect(idsOf(text)).toEqual([{ problem: expect.anything(), text: expect.any(String) }]);
  });

  it('what was rounded, which is said', () => {
    expect(idsOf('id=1.37E+18 and 1541815603606036500.0')).toEqual([
      { problem: Problem.precisionLost, text: '1.37E+18' },
      { problem: Problem.precisionLost, text: '1541815603606036500.0' },
    ]);
  });

  it.each([
    '1/23/456/',
    'ab1/',
    'id=',
    '1_',
    '-1',
  ])('in a long line of %j, in a time that grows with its length', (part) => {
    idsOf(part.repeat(1_000_000 / part.length)); // 10 ms; in a time that grows with its square, many minutes
  });
});

describe('of several ids in a line', () => {
  const log = `a user_id=${A} message_id=${B}\nb user_id=${B} message_id=${C} reply_to=${A}`;

  it('all are rows', () => {
    expect(choicesOf(log)).toEqual(['[all ids]']);
    expect(idsOf(log)).toEqual([A, B, B, C, A]);
  });

  it('those of links are rows, and the most specific one of a cell', () => {
    const link = `https://discord.com/channels/${A}/${B}/${C}`;
    expect(choicesOf(link)).toEqual(['[all ids]']);
    expect(idsOf(link)).toEqual([A, B, C]);
    expect(placesOf(`é ${link}`)).toEqual(['1:32', '1:51', '1:71']);
    const table = `name,link\nada,${link}\nbob,https://x.com/a/status/${B}`;
    expect(choicesOf(table)).toEqual(['name', '[link]', 'all ids']);
    expect(idsOf(table)).toEqual([C, B]);
  });

  it('times of 19 digits are rows, too', () => {
    const lines = `ts=1709289015500123456 user_id=${A}\nts=1709289015500123457 user_id=${B}`;
    expect(idsOf(lines)).toEqual(['1709289015500123456', A, '1709289015500123457', B]);
  });

  it('all can be had of a table, too', () => {
    const table = `name,id,friend\nada,${A},${B}\nbob,${B},${C}`;
    expect(choicesOf(table)).toEqual(['name', '[id]', 'friend', 'all ids']);
    expect(idsOf(table, 'all ids')).toEqual([notFound('name,id,friend'), A, B, B, C]);
  });
});

describe('in a long text ids are found', () => {
  const start = Array.from({ length: 150 }, (_, i) => `2024-03-01 10:30:15,${i} INFO loaded module ${i}`);
  const quiet = `${start.join('\n')}\n`.repeat(30); // 200 KB
  const line = `INFO user_id=${A} message_id=${B}\n`;

  it.each([
    ['in the middle', quiet + line.repeat(3000) + quiet, 3000],
    ['at the end', `${quiet + line}${line.trimEnd()}`, 2],
    ['after a few lines of the start', `${start.join('\n')}\n${line}`, 1],
    ['in a line that is longer than what is looked at', `${'x '.repeat(50_000)}${line}`, 1],
  ])('%s', (_, text, count) => {
    const found = idsOf(text).filter((id) => typeof id === 'string');
    expect(found).toEqual(Array.from({ length: count }, () => [A, B]).flat());
  });

  it('of JSON lines, too', () => {
    const json = `{"at":"10:30","message":"loaded"}\n`.repeat(150);
    expect(idsOf(`${json}{"at":"10:31","user_id":"${A}"}\n`).at(-1)).toBe(A);
  });

  it('not where columns at the start already are ids: the first posts have short ones', () => {
    const short = Array.from({ length: 150 }, (_, i) => String(20 + i));
    const lines = [...short, ...Array.from({ length: 500 }, () => B)];
    expect(idsOf(lines.join('\n'))).toEqual(lines);
    expect(guess(lines.map((id) => `${id},a post`).join('\n')).shape.kind).toBe('csv');
  });

  it('in a format that was chosen', () => {
    const [text = ''] = formatIds(BigUint64Array.of(BigInt(A)), 'base62');
    const data = new TextEncoder().encode(`${quiet}req=${text} done`);
    const { cells } = new Inputs([{ name: '', bytes: data.length, data }]).as('base62').read(undefined);
    expect(parseCells(cells, 'base62').ids.at(-1)).toBe(BigInt(A));
  });
});

describe('with a format chosen, ids in lines', () => {
  const ids = [1541815603606036480n, 286435872092454913n, 1721925868251241475n];
  const found = (text: string, read: TextFormat, name?: string) => {
    const data = new TextEncoder().encode(text);
    const texts = new Inputs([{ name: '', bytes: data.length, data }]).as(read);
    const { cells, about } = texts.read(name);
    const { ids: parsed, problems } = parseCells(cells, read);
    return {
      kind: about.kind,
      ids: Array.from(parsed, (id, row) => (problems[row] === Problem.none ? id : undefined)),
    };
  };

  it.each<[TextFormat]>([['hex'], ['base62'], ['crockford32'], ['sortable32']])('are found in %s', (format) => {
    const texts = formatIds(BigUint64Array.from(ids), format);
    const log = texts.map(
      (text, i) => `2024-03-01 10:30:15,12${i} INFO 1709289015500 took 35 ms, req ${text} of /b/done`,
    );
    expect(found(log.join('\n'), format)).toEqual({ kind: 'text', ids });
    expect(found(`${texts[0]} and "${texts[1]}", ${texts[2]}.`, format)).toEqual({ kind: 'text', ids });
    const named = texts.map((text) => `run at=10:30 req_id=${text.replace(/^0+/, '')} other`);
    expect(found(named.join('\n'), format)).toEqual({ kind: 'text', ids });
    expect(found(`started\nreq=${texts[0]}`, format).ids).toEqual([undefined, ids[0]]);
  });

  it('are not other words', () => {
    const words =
      'defaced added 20240301 1709289015 1709289015500 HelloWorld unavailable internationals 0x7ffdeadbeef0';
    const uuid = '017f22e2-79b0-7cc3-98c4-dc0c0c07398f';
    for (const format of ['hex', 'base62', 'crockford32', 'sortable32'] as const) {
      const [text] = formatIds(BigUint64Array.of(ids[0]), format);
      expect(found(`${words} ${text} ${uuid} user_id=null`, format).ids).toEqual([ids[0]]);
    }
  });

  it('are a line each, and cells of a table, wherever they were', () => {
    expect(found('1a2b\nff\n0123456789abc\nadded', 'hex')).toEqual({
      kind: 'lines',
      ids: [0x1a2bn, 0xffn, 0x0123456789abcn, 0xaddedn],
    });
    expect(found('n,id\n1,0285f8b6bbc3f0e1\n2,0285f8b6bbc3f0e2\n', 'hex', 'id')).toEqual({
      kind: 'csv',
      ids: [0x0285f8b6bbc3f0e1n, 0x0285f8b6bbc3f0e2n],
    });
    expect(found('[{"id":"0285f8b6bbc3f0e1"}]', 'hex').kind).toBe('json');
  });

  it('are what the page shows, and again what it showed before', () => {
    const [a, b] = formatIds(BigUint64Array.from(ids), 'base62');
    const inspection = new Inspection(new TextEncoder().encode(`${A} for ${a}, not ${b}`), 0);
    const shown = (read: TextFormat | 'guess') =>
      inspection.view({ ...DEFAULTS, read }).firstRows.map(({ id }) => String(id));
    for (const [read, expected] of [
      ['guess', [A]],
      ['base62', [B, C]],
      ['dec', [A]],
      ['base62', [B, C]],
    ] as const) {
      expect(shown(read)).toEqual(expected);
    }
  });

  it('are decimal or wide, whichever was chosen', () => {
    const uuid = '017f22e2-79b0-7cc3-98c4-dc0c0c07398f';
    const data = new TextEncoder().encode(`trace ${uuid} of ${A}\ntrace ${uuid}`);
    const texts = new Inputs([{ name: '', bytes: data.length, data }]);
    const textsOf = (read: ReadFormat) => {
      const { cells } = texts.as(read).read(undefined);
      return Array.from(cells.starts, (_, row) => cellText(cells, row));
    };
    expect(textsOf('dec')).toEqual([A, `trace ${uuid}`]);
    expect(textsOf('uuid')).toEqual([uuid, uuid]);
  });

  it('are those that were found without it, if there are none', () => {
    expect(found(`a user_id=${A}\nb user_id=${B}`, 'base62')).toEqual({ kind: 'text', ids: [undefined, undefined] });
  });
});

describe('an id', () => {
  const around = fc.string({ unit: fc.constantFrom(...' \t"\'`()[]{}<>@#!&=:,;/|*~?$%^\\…–é用 '), maxLength: 12 });
  const words = fc.constantFrom('', 'user', 'id', 'Message of', 'was 35 ms', 'größe', '消息', '2024-03-01T10:30:15Z');
  const id = fc.bigInt({ min: 10n ** 14n, max: 2n ** 64n - 1n });
  const line = fc.tuple(words, around, id, around, words).map(([before, left, value, right, after]) => ({
    // A hyphen would be a sign, and a letter or a digit a part of a word.
    before: `${before} ${left}`,
    id: String(value),
    after: `${right} ${after}`,
  }));

  it('in any surroundings is found with its line and column', () => {
    fc.assert(
      fc.property(fc.array(line, { minLength: 1, maxLength: 20 }), (lines) => {
        const text = lines.map(({ before, id, after }) => `line ${before}${id}${after} end`).join('\n');
        const cells = new CellList(new TextEncoder().encode(text), 4);
        readText(cells, 'any');
        expect(cells.blankLines).toBe(0);
        const found = cells.finish();
        expect([...parseCells(found, 'guess').ids].map(String)).toEqual(lines.map(({ id }) => id));
        expect([...found.lines]).toEqual(lines.map((_, i) => i + 1));
        expect([...found.columns]).toEqual(lines.map(({ before }) => [...`line ${before}`].length + 1));
      }),
      { numRuns: 500 },
    );
  });
});
