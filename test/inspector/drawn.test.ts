import { describe, expect, it } from 'vitest';
import { Inspection } from '../../src/inspector/decode/inspection.js';
import { DEFAULTS } from '../../src/inspector/decode/settings.js';

const A = '154173452582932603';
const B = '1541815603606036480';

function inspected(text: string) {
  const inspection = new Inspection(new TextEncoder().encode(text), Date.UTC(2026, 0));
  const { kind, header, sourceColumns, firstRows } = inspection.view(DEFAULTS);
  return { kind, header, sourceColumns, rows: firstRows.map(({ cells: [place, id] }) => `${place} ${id}`), inspection };
}

/** A table in a box of any characters: its corners and crossings, its lines, and the bars between cells. */
function boxed(rows: string[][], [top, middle, bottom]: string[], line: string, bar: string): string {
  const ruler = ([left, cross, right]: string) => left + rows[0].map(() => line.repeat(21)).join(cross) + right;
  const row = (cells: string[]) => `${bar}${cells.map((cell) => ` ${cell.padEnd(19)} `).join(bar)}${bar}`;
  return [ruler(top), row(rows[0]), ruler(middle), ...rows.slice(1).map(row), ruler(bottom)].join('\n');
}

const ROWS = [
  ['tweet_id', 'name'],
  [A, 'ada'],
  [B, 'bob'],
];
const ONE = ROWS.map(([id]) => [id]);
const MYSQL = ['+++', '+++', '+++'];
const LINES = ['┌┬┐', '├┼┤', '└┴┘'];

describe('tables that databases print are tables', () => {
  it.each<[string, string, string[], number]>([
    [
      'of psql',
      ` tweet_id            | name \n---------------------+------\n ${A}  | ada\n ${B} | bob\n(2 rows)\n\nTime: 1.234 ms\n`,
      ['tweet_id', 'name'],
      3,
    ],
    [
      'of psql, with one column',
      `      tweet_id       \n---------------------\n  ${A}\n ${B}\n(2 rows)\n\n`,
      ['tweet_id'],
      3,
    ],
    [
      'of psql, with its prompts',
      `db=> select tweet_id, name\ndb-> from t;\n tweet_id | name \n----------+------\n ${A} | ada\n ${B} | bob\n(2 rows)\n\ndb=> `,
      ['tweet_id', 'name'],
      5,
    ],
    ['of mysql', `${boxed(ROWS, MYSQL, '-', '|')}\n2 rows in set (0.00 sec)\n\n`, ['tweet_id', 'name'], 4],
    ['of mysql, with one column', `${boxed(ONE, MYSQL, '-', '|')}\n2 rows in set (0.00 sec)`, ['tweet_id'], 4],
    [
      'of mysql, with its prompt',
      `mysql> select * from t;\n${boxed(ROWS, MYSQL, '-', '|')}\n2 rows in set, 1 warning (0.00 sec)\n\nmysql> `,
      ['tweet_id', 'name'],
      5,
    ],
    ['of SQLite', boxed(ROWS, LINES, '─', '│'), ['tweet_id', 'name'], 4],
    ['of SQLite, with one column', boxed(ONE, LINES, '─', '│'), ['tweet_id'], 4],
    [
      'of DuckDB',
      `D select * from t;\n${boxed(ROWS, LINES, '─', '│').replace('\n├', '\n│ int64 │ varchar │\n├')}\n`,
      ['tweet_id', 'name'],
      6,
    ],
    ['of Markdown', `| tweet_id | name |\n| ---: | :---: |\n| ${A} | ada |\n| ${B} | bob |`, ['tweet_id', 'name'], 3],
  ])('%s', (_, text, sourceColumns, line) => {
    for (const ends of ['\n', '\r\n']) {
      expect(inspected(text.replaceAll('\n', ends))).toMatchObject({
        kind: 'csv',
        header: true,
        sourceColumns,
        rows: [`${line} ${A}`, `${line + 1} ${B}`],
      });
    }
  });

  it.each([
    ['psql', `-[ RECORD 1 ]-----\nid   | ${A}\nname | ada: 1\n-[ RECORD 2 ]-----\nid   | ${B}\nname | bob\n`],
    [
      'mysql',
      `*** 1. row ***\n  id: ${A}\nname: ada: 1\n*** 2. row ***\n  id: ${B}\nname: bob\n2 rows in set (0.01 sec)\n`,
    ],
  ])('of %s, with a line for each column', (_, text) => {
    const { kind, sourceColumns, rows, inspection } = inspected(text);
    expect({ kind, sourceColumns, rows }).toEqual({
      kind: 'json',
      sourceColumns: ['id', 'name'],
      rows: [`1 ${A}`, `4 ${B}`],
    });
    expect([...inspection.export().pieces].join('')).toContain(`\r\n${A},ada: 1,`);
  });

  it('and are exported without the spaces around their cells', () => {
    const { inspection } = inspected(boxed(ROWS, MYSQL, '-', '|'));
    expect([...inspection.export().pieces].join('')).toContain(`\r\n${A},ada,4,${A},`);
  });
});

it('Lines between rulers that are not a table keep all of their ids', () => {
  expect(inspected(`# Ids\n\n---\n\nof ${A}\n> and ${B}\n-> ${A}\nid->${B}\n`).rows).toEqual(
    expect.arrayContaining([`5:4 ${A}`, `6:7 ${B}`, `7:4 ${A}`, `8:5 ${B}`]),
  );
  expect(inspected(`---\nid: ${A}\n---\nid: ${B}\n`).rows).toEqual([`2:5 ${A}`, `4:5 ${B}`]);
});
