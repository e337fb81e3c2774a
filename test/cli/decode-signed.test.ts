import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseLayout } from '../../src/index.js';
import { temporaryFolder } from '../support/cli.js';
import { runHere } from '../support/run-here.js';

// Ids as a BIGINT, a long of Java or an int64 of Go holds them; the lowest one, the highest one, and one between two others.
const WRITTEN = ['6101251595180179469', '-9145684943282634728', '7', '-1', '-9223372036854775808'];
const IDS = WRITTEN.map((text) => BigInt.asUintN(64, BigInt(text)));
const ROWS = ['--layout', 'a:1,b:63'];
const layout = parseLayout('a:1,b:63');

const fieldsOf = (id: bigint) => Object.values(layout.unpack(id));

const table = (separator: string, texts: readonly string[] = WRITTEN) =>
  [['id', 'a', 'b'], ...texts.map((text) => [text, ...fieldsOf(BigInt.asUintN(64, BigInt(text)))])]
    .map((row) => `${row.join(separator)}\n`)
    .join('');

describe('decode reads signed ids as those of the same bits, and writes them as they came', () => {
  it.each([
    ['tsv', '\t'],
    ['csv', ','],
  ])('in lines and arguments, as %s', async (format, separator) => {
    const args = ['decode', ...ROWS, '--format', format];
    const lines = await runHere(args, { input: [WRITTEN.join('\n')] });
    expect([lines.code, lines.stderr, lines.stdout.toString()]).toEqual([0, '', table(separator)]);
    const given = await runHere([...args, ...WRITTEN]);
    expect([given.code, given.stderr, given.stdout.toString()]).toEqual([0, '', table(separator)]);
    for (const order of [
      ['decode', WRITTEN[1], ...ROWS],
      ['decode', ...ROWS, '--', WRITTEN[1]],
    ]) {
      const one = await runHere([...order.slice(0, 1), '--format', format, ...order.slice(1)]);
      expect([one.code, one.stdout.toString()]).toEqual([0, table(separator, WRITTEN.slice(1, 2))]);
    }
  });

  it('as JSON', async () => {
    const { stdout } = await runHere(['decode', ...ROWS, '--json'], { input: [WRITTEN.join('\n')] });
    const rows = stdout.toString().trimEnd().split('\n');
    expect(rows.map((row) => JSON.parse(row))).toEqual(
      WRITTEN.map((id, i) => ({ id, a: fieldsOf(IDS[i])[0], b: String(fieldsOf(IDS[i])[1]) })),
    );
  });

  it('as every row of many', async () => {
    const texts = Array.from({ length: 70_000 }, (_, i) => String(BigInt((i % 3) - 1) * BigInt(i) * 0x1234567890abn));
    const { stdout } = await runHere(['decode', ...ROWS], { input: [texts.join('\n')] });
    expect(stdout.toString()).toBe(table('\t', texts));
  });

  it('in records, which stay as they are', async () => {
    const input = [`id,name\n${WRITTEN.map((text, i) => `${text},${i}\n`).join('')}`];
    const { stdout } = await runHere(['decode', '--csv', '--key', 'id', ...ROWS], { input });
    const rows = WRITTEN.map((text, i) => `${text},${i},${fieldsOf(IDS[i]).join(',')}\n`);
    expect(stdout.toString()).toBe(`id,name,a,b\n${rows.join('')}`);
  });

  it('without a layout', async () => {
    const cwd = temporaryFolder();
    writeFileSync(join(cwd, 'ids.csv'), 'id,name\n-1246371196874784767,alice\n5083290603631050820,bob\n');
    const { code, stdout, stderr } = await runHere(['decode', 'ids.csv', '--csv', '--key', 'id'], { cwd });
    expect([code, stderr]).toEqual([0, 'guessed layout: interned\n']);
    expect(stdout.toString()).toBe(
      'id,name,prefix,sequence\n-1246371196874784767,alice,15277,1\n5083290603631050820,bob,4514,978424143446084\n',
    );
  });

  it.each([['-9223372036854775809'], ['-'], ['--1'], ['-1x'], ['- 1'], ['+1']])('but not %s', async (text) => {
    const { code, stderr } = await runHere(['decode', ...ROWS], { input: [`1\n${text}\n`] });
    const expected = 'expected a decimal integer from -2^63 to 2^64 - 1';
    expect([code, stderr]).toEqual([1, `error: -:2: ${expected}, got "${text}"\n`]);
    if (text === '-') return; // standard input
    const argument = await runHere(['decode', ...ROWS, '--', text]);
    expect(argument.stderr).toBe(`error: "${text}" is neither an id nor a file\n`);
  });
});
