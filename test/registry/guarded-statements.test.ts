import { describe, expect, it } from 'vitest';
import { StoreUnavailableError } from '../../src/registry/index.js';
import {
  answerIn,
  block,
  changing,
  expectedState,
  fromAscii,
  guardedBy,
  reading,
  selectAnswer,
  toAscii,
  writing,
} from '../../src/registry/stores/postgres/guarded-statements.js';

const SETTINGS = `"a $& b '' $1".shardbits_settings`; // what a replacement would take for something else
const guarded = guardedBy(SETTINGS);
const LOOKUP = reading(`${selectAnswer('to_json($1::text)')}`);
const CHANGE = changing('update counters set last = $1::text::bigint where prefix = $2::text::bigint');

const rows = (answer: object) => [{ answer: JSON.stringify(answer) }];
const ANSWER = { pid: 7, began: '1.5', state: null, value: [1] };

describe('a guarded statement', () => {
  it('reads the state in the statement that reads the value', () => {
    const text = guarded.reading(LOOKUP.text);
    expect(text).not.toContain('/* state */');
    expect(text.split(SETTINGS)).toHaveLength(2);
    expect(text).toMatch(/'state', \(select .* value\) from "a \$& b '' \$1"\.shardbits_settings where /s);
    expect(text.replace(/'state', \(select .* 'store'\)\),/s, "'state', /* state */ null,")).toBe(LOOKUP.text);
  });

  it('compares the state with the parameter after its own, and divides by zero if it is another one', () => {
    for (const params of [2, 11]) {
      const text = guarded.writing(CHANGE.text, params);
      const parameter = `$${params + 1}::pg_catalog.text`;
      const [, comparison] = /'state', (case when .* end),/s.exec(text) ?? [];
      expect(comparison?.split(parameter)).toHaveLength(3);
      expect(comparison).toContain(` then ${parameter} else`);
      expect(comparison).toContain('(1 operator(pg_catalog./) ');
      expect(comparison?.split(SETTINGS)).toHaveLength(2);
      expect(text).not.toContain('\0');
    }
    expect(expectedState('{"identity":"é"}', '1.2')).toBe('1.2 {"identity":"\\u00e9"}');
  });

  it('leaves a statement as it is that does not ask for the state', () => {
    const { text } = reading(selectAnswer('null', 'null'));
    expect([guarded.reading(text), guarded.writing(text, 0)]).toEqual([text, text]);
  });

  it('is a read or a write, and every write is durable', () => {
    expect([LOOKUP.isRead, CHANGE.isRead, writing('select 1').isRead]).toEqual([true, false, false]);
    for (const text of [CHANGE.text, block(['lock table t'])]) expect(text).toContain("'synchronous_commit'");
  });

  it('that is a block quotes any text', () => {
    expect(block([`insert into t values ('$$ $x$')`])).toMatch(/^do (\$x+\$)begin\n.*'\$\$ \$x\$'.*end\1$/s);
  });
});

describe('an answer', () => {
  it('has the value, the place and the state, which may be of any text', () => {
    expect(answerIn(rows(ANSWER))).toEqual({ pid: 7, began: '1.5', value: [1], text: undefined, place: undefined });
    const state = expectedState('two words\n\\ \0 💡', '16384.99');
    expect(answerIn(rows({ ...ANSWER, state }))).toMatchObject({ text: 'two words\n\\ \0 💡', place: '16384.99' });
  });

  it.each([
    ['no rows', []],
    ['nothing', undefined],
    ['two rows', [...rows(ANSWER), ...rows(ANSWER)]],
    ['a hole', [undefined]],
    ['another column', [{ value: '{}' }]],
    ['text that was cut off', [{ answer: JSON.stringify(ANSWER).slice(0, -1) }]],
    ['no process', rows({ ...ANSWER, pid: undefined })],
    ['no transaction', rows({ ...ANSWER, began: null })],
  ])('with %s is incomplete', (_, wrong) => {
    expect(() => answerIn(wrong)).toThrow(new StoreUnavailableError("the server's answer was incomplete"));
  });
});

it('text is stored in ASCII, and comes back', () => {
  const codes = Array.from({ length: 0x300 }, (_, code) => code);
  const text = `${String.fromCharCode(...codes)}\\u0041 💡 \uffff`;
  expect(toAscii(text)).toMatch(/^[ -~]*$/);
  expect(fromAscii(toAscii(text))).toBe(text);
});
