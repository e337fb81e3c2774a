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

  it('in columns of three or more that begin as those of posts do', () => {
    expect(read(CODES.join('\n'))).toMatchObject(POSTS);
    expect(read(`code\n${CODES.join('\n')}`)).toMatchObject(POSTS);
  });

  it('if that is chosen, which the page offers', () => {
    const [code] = CODES;
    expect(read(code).view.unreadable?.alternatives[0]).toEqual({ format: 'shortcode', ids: 1 });
    expect(read(code, { read: 'shortcode' })).toMatchObject({ ...POSTS, days: ['2021-09-29'] });
    expect(read('CUbHfhpswx\nCUbHfhpsw?t\nZZZZZZZZZZZ\nP_________-', { read: 'shortcode' }).bad).toBe(3);
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

  it('and are named as such where the other rows are numbers', () => {
    const links = [1n, 2n].map((n) => `https://x.com/a/status/${1541815603606036480n + n}`);
    const all = [...links, `https://www.instagram.com/p/${CODES[2]}/`];
    const { view } = read(['n,url', ...all.map((link, i) => `${i},${link}`)].join('\n'));
    expect([view.read, view.bad]).toEqual(['dec', 1]);
    expect(view.firstRows[2]?.problem).toContain('try Instagram shortcode');
  });

  it('and do not take the place of numbers', () => {
    const text = `https://x.com/a/status/1541815603606036480 https://www.instagram.com/p/${CODES[2]}/`;
    expect(read(text)).toMatchObject({ read: 'dec', service: 'twitter', days: ['2022-06-28'] });
  });
});
