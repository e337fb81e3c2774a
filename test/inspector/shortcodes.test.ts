import { describe, expect, it } from 'vitest';
import { Inspection } from '../../src/inspector/decode/inspection.js';
import { DEFAULTS, type Settings } from '../../src/inspector/decode/settings.js';

const NOW = Date.UTC(2026, 10, 23);

const CODES = ['CUbHfhpswxt', 'CgL9BRHJ4ns', 'DItX5KfIw3Z', 'DZ40OG8GDqF'];

/** How a text is read, what it is taken for, and the dates of its rows. */
function read(text: string, settings: Partial<Settings> = {}) {
  const inspection = new Inspection(new TextEncoder().encode(text), NOW);
  const view = inspection.view({ ...DEFAULTS, ...settings });
  const dated = view.columns.findIndex(({ key }) => key === 'date');
  const days = inspection.rows(0, 9).map(({ cells }) => cells[dated]?.slice(0, 10));
  return { read: view.read, bad: view.bad, service: view.readings[0]?.name, days, view };
}

const POSTS = {
  read: 'shortcode',
  bad: 0,
  service: 'instagram',
  days: ['2021-09-29', '2022-07-19', '2025-04-21', '2026-06-22'],
};

describe('shortcodes of Instagram are read', () => {
  it('in links of posts, reels and videos, alone and in tables', () => {
    const kinds = ['p', 'reel', 'tv', 'some.body/p'];
    const links = CODES.map((code, i) => `https://www.instagram.com/${kinds[i]}/${code}/?img_index=1`);
    expect(read(links.join('\n'))).toMatchObject(POSTS);
    expect(read(links.map((link, i) => `${i + 1}. see ${link} of today`).join('\n'))).toMatchObject(POSTS);
    expect(read(`n,url\n${links.map((link, i) => `${i},${link}`).join('\n')}`)).toMatchObject(POSTS);
    expect(read(JSON.stringify(links.map((url) => ({ url }))))).toMatchObject(POSTS);
    expect(read(`instagram.com/p/${CODES[2]}`)).toMatchObject({ ...POSTS, days: ['2025-04-21'] });
  });

  it('in links of Threads', () => {
    const expected = { read: 'shortcode', bad: 0, service: 'threads', days: ['2023-07-05'] };
    expect(read('https://www.threads.net/@zuck/post/CuVNiCcgJsM')).toMatchObject(expected);
    expect(read('https://www.threads.com/@zuck/post/CuVNiCcgJsM?x=1')).toMatchObject(expected);
  });

  it('alone and in columns that begin as those of posts do, which makes them likely', () => {
    expect(read(CODES.join('\n'))).toMatchObject(POSTS);
    expect(read('DItX5KfIw3Z')).toMatchObject({ ...POSTS, days: ['2025-04-21'] });
    expect(read('DItX5KfIw3Z').view.groups).toMatchObject([{ title: 'Instagram', rows: 1, certainty: 'perhaps' }]);
    expect(read(`code\n${CODES.join('\n')}`)).toMatchObject(POSTS);
  });

  it('if that is chosen, which the page offers', () => {
    const [code] = CODES;
    expect(read(code).view.unreadable?.alternatives[0]).toEqual({ format: 'shortcode', ids: 1 });
    expect(read(code, { read: 'shortcode' })).toMatchObject({ ...POSTS, days: ['2021-09-29'] });
    expect(read('CUbHfhpswx', { read: 'shortcode' })).toMatchObject({ ...POSTS, days: ['2011-10-21'] });
    expect(read('CUbHfhpsw\nCUbHfhpsw?t\nZZZZZZZZZZZ\nP_________-', { read: 'shortcode' }).bad).toBe(3);
  });

  it('but not other texts of eleven characters', () => {
    for (const text of [
      'dQw4w9WgXcQ\n9bZkp7q19f0\nkJQP7kiw5Fk\nBxtPwBjKExw', // videos of YouTube
      'Description\nCalculation\nBeautifully',
      'https://www.instagram.com/instagramer/',
      'https://www.youtube.com/watch?v=DItX5KfIw3Z',
    ]) {
      expect(read(text).read, text).not.toBe('shortcode');
    }
  });

  it('in links beside those of other services', () => {
    const links = [1n, 2n].map((n) => `https://x.com/a/status/${1541815603606036480n + n}`);
    const all = [...links, `https://www.instagram.com/p/${CODES[2]}/`];
    const { view } = read(['n,url', ...all.map((link, i) => `${i},${link}`)].join('\n'));
    expect([view.bad, view.groups.map(({ title, rows }) => `${rows} ${title}`)]).toEqual([
      0,
      ['2 Twitter', '1 Instagram'],
    ]);
    expect(view.firstRows[2]).toMatchObject({ format: 'shortcode', layout: { spec: 'instagram' } });
  });

  it('beside numbers in a line', () => {
    const text = `https://x.com/a/status/1541815603606036480 https://www.instagram.com/p/${CODES[2]}/`;
    const { days, view } = read(text);
    expect(days).toEqual(['2022-06-28', '2025-04-21']);
    expect(view.firstRows.map(({ format, kind }) => [format, kind])).toEqual([
      ['dec', 'Twitter'],
      ['shortcode', 'Instagram'],
    ]);
  });

  it('behind their name in a line', () => {
    expect(read(`saved media code=${CODES[2]} of today`)).toMatchObject({ ...POSTS, days: ['2025-04-21'] });
  });
});
