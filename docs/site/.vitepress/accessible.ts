// What axe finds wrong in VitePress 1.6.4, mended in its sources as they are bundled.
import type { Plugin } from 'vitepress';

const MENDED: readonly (readonly [file: string, wrong: string | RegExp, right: string])[] = [
  ['NotFound.vue', '<div class="NotFound"', '<div class="NotFound" role="main"'],
  // The keys are no part of the button's name: the style sheet draws the K as VitePress does "Ctrl".
  ['VPNavBarSearchButton.vue', '>K</kbd>', '></kbd>'],
  // A dialog with a list of links. VitePress has a button with a box and other buttons in it, and links in options.
  [
    'VPLocalSearchBox.vue',
    /role="button"\s+:aria-owns=".*"\s+aria-expanded="true"\s+aria-haspopup="listbox"/,
    'role="dialog" aria-modal="true"',
  ],
  ['VPLocalSearchBox.vue', /:role=".*'listbox'.*"\s/, ''],
  ['VPLocalSearchBox.vue', /<kbd (?=:aria-label)/g, '<kbd role="img" '],
  ['VPLocalSearchBox.vue', /:aria-label="\[\.\.\.p\.titles.*"\s/, ''],
  ['VPLocalSearchBox.vue', /:aria-selected=".*"\s+role="option"/, ':aria-current="selectedIndex === index"'],
];

export const accessible: Plugin = {
  name: 'accessible',
  enforce: 'pre',
  transform(code, id) {
    if (!id.endsWith('.vue')) return;
    for (const [file, wrong, right] of MENDED.filter(([file]) => id.endsWith(`/${file}`))) {
      const mended = code.replace(wrong, right);
      if (mended === code) throw new Error(`${file} of VitePress has changed: ${wrong} is not there`);
      code = mended;
    }
    return code;
  },
};
