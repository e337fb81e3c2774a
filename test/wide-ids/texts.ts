import type { BytesColumn } from '../../src/index.js';
import { utf8 } from '../support/bytes.js';

/** Texts as bytes, which lie among others that would make their texts longer. */
export function columnOf(texts: readonly string[], before = '7f'): BytesColumn {
  let end = before.length;
  const offsets = Uint32Array.of(end, ...texts.map((text) => (end += utf8(text).length)));
  return { data: utf8(`${before}${texts.join('')}7f`), offsets };
}
