import { describe, expect, it } from 'vitest';
import { Inspection } from '../../src/inspector/decode/inspection.js';
import { DEFAULTS, type Settings } from '../../src/inspector/decode/settings.js';
import {
  accessibilityProblems,
  expectNoComplaints,
  paste,
  sharedChromium,
  withChromium,
} from '../support/inspector.js';

const chromium = withChromium(sharedChromium);

function unreadable(text: string, settings: Partial<Settings> = {}) {
  return new Inspection(new TextEncoder().encode(text), Date.UTC(2026, 10, 23)).view({ ...DEFAULTS, ...settings })
    .unreadable;
}

describe('text without ids', () => {
  it('is shown with the characters that are not of the format', () => {
    expect(unreadable('12ab-34\n99z')?.samples).toEqual([
      ['12', 'ab-', '34'],
      ['99', 'z', ''],
    ]);
    expect(unreadable('no ids\nat all, here')).toEqual({
      rounded: 0,
      samples: [
        ['', 'no ids', ''],
        ['', 'at all, here', ''],
      ],
      alternatives: [],
    });
    expect(unreadable(Array(9).fill('x').join('\n'))?.samples).toHaveLength(5);
  });

  it('is shown with the other formats in which it has ids', () => {
    expect(unreadable('0AXS751X00W7C\n0AXS751X00W7D', { read: 'dec' })?.alternatives).toEqual(
      expect.arrayContaining([{ format: 'crockford32', ids: 2 }]),
    );
    const uuid = '017f22e2-79b0-7cc3-98c4-dc0c0c07398f';
    expect(unreadable(uuid, { read: 'ulid' })?.alternatives).toEqual([{ format: 'uuid', ids: 1 }]);
  });

  it('is not missing where one row is an id', () => {
    expect(unreadable('x\n937847820382261308')).toBeUndefined();
    expect(unreadable('')).toBeUndefined();
  });

  it('has a panel of its own, from which it is read another way', async () => {
    const visit = await chromium.visit({ fragment: '#read=dec' });
    const { page } = visit;
    await paste(page, '0AXS751X00W7C\n0AXS751X00W7D');
    await page.getByRole('heading', { name: 'No ids found' }).waitFor();
    expect(await page.locator('mark').allTextContents()).toContain('AXS');
    expect(await page.getByRole('heading', { name: 'Layout' }).count()).toBe(0);
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.getByRole('button', { name: /Crockford/ }).click();
    await page.getByRole('region', { name: 'Answer' }).waitFor();
    expect(await page.getByRole('heading', { name: 'No ids found' }).count()).toBe(0);
    expectNoComplaints(visit);
  });

  it('is said to be rounded once, with the dates of each row beside its other columns', async () => {
    const { page } = await chromium.visit();
    await paste(page, 'user,id,status\nada,1.54182E+18,open\nbob,8.58147E+17,paid');
    await page.getByRole('heading', { name: '2 rounded numbers: the last digits are lost' }).waitFor();
    expect(await page.locator('.unreadable').textContent()).toMatch(/lostGet the ids as text to have all digits\.$/);
    expect(await page.locator('.body .row').allTextContents()).toEqual([
      expect.stringMatching(/^21\.54182E\+18adaopena rounded number: .* as a tweet$/),
      expect.stringMatching(/^38\.58147E\+17bobpaida rounded number: 2021-06-26.* as a Discord id, .*$/),
    ]);
  });
});
