import { expect, it } from 'vitest';
import { timeMarks } from '../../src/inspector/page/charts/plot.js';

const at = (iso: string) => Date.parse(iso) * 1000;
const textsOf = (from: string, to: string, least: number, zone = 'UTC') =>
  timeMarks(zone, at(from), at(to), least).map(([, text]) => text);

const MINUTE = 6e7;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

it.each<[string, string, number, string[]]>([
  ['2019-05-01', '2024-02-01', 300 * DAY, ['2020', '2021', '2022', '2023', '2024']],
  ['2023-11-15', '2024-06-15', 40 * DAY, ['2024-01', '2024-03', '2024-05']],
  [
    '2024-02-27T12:00Z',
    '2024-03-02',
    10 * HOUR,
    ['12:00\n2024-02-27', '00:00\n2024-02-28', '12:00', '00:00\n2024-02-29'],
  ],
  ['2024-02-27T12:00Z', '2024-03-01', 20 * HOUR, ['2024-02-28', '2024-02-29', '2024-03-01']],
  ['2024-02-27T23:50Z', '2024-02-28T00:25Z', 8 * MINUTE, ['23:50\n2024-02-27', '00:00\n2024-02-28', '00:10', '00:20']],
  ['2024-02-27T12:00:00.997Z', '2024-02-27T12:00:01.001Z', 1800, ['12:00:00.998\n2024-02-27', '12:00:01.000']],
])('marks from %s to %s are round times', (from, to, least, texts) => {
  expect(textsOf(from, to, least).slice(0, texts.length)).toEqual(texts);
});

it('marks are round by the clocks of a zone, also when these are set', () => {
  const hours = (from: string, to: string, least: number) => textsOf(from, to, least, 'Europe/Berlin');
  expect(hours('2024-03-29T22:00Z', '2024-04-01T10:00Z', 20 * HOUR)).toEqual([
    '2024-03-30',
    '2024-03-31',
    '2024-04-01',
  ]);
  expect(hours('2024-03-30T23:00Z', '2024-03-31T11:00Z', 5 * HOUR)).toEqual(['00:00\n2024-03-31', '06:00', '12:00']);
  expect(hours('2024-10-26T22:00Z', '2024-10-27T11:00Z', 5 * HOUR)).toEqual(['00:00\n2024-10-27', '06:00', '12:00']);
  expect(hours('2023-12-31T22:00Z', '2024-12-31T23:30Z', 100 * DAY)).toEqual(['2024-01', '2024-07', '2025-01']);
});

it('marks of microseconds are exact', () => {
  const from = at('2024-03-01T10:30:15.500Z');
  expect(timeMarks('UTC', from + 3, from + 9, 2)).toEqual([
    [from + 4, '10:30:15.500004\n2024-03-01'],
    [from + 6, '10:30:15.500006'],
    [from + 8, '10:30:15.500008'],
  ]);
});
