import { namesIn } from '../../arguments.js';
import { WIDE_ID_KINDS } from '../../tokens/formats.js';
import { isZone } from '../decode/dates.js';
import { isUnit } from '../decode/layout-choice.js';
import { BARS, DEFAULTS, FORMATS, ROUTING_DEFAULTS, type Settings, SHOWN, TABS } from '../decode/settings.js';

/** Longer links are cut by mail programs and chats; browsers take 2 MB and more. */
export const MAX_LINK_CHARACTERS = 8000;

/** Settings that a link has as they are: all except these three. */
const { layout: _layout, sort: _sort, last: _last, ...PLAIN } = DEFAULTS;
const NAMES = namesIn(PLAIN);

const WORDS: { readonly [name: string]: readonly string[] } = {
  read: [...FORMATS, 'shortcode', ...WIDE_ID_KINDS],
  as: ['written', ...FORMATS],
  show: SHOWN,
  bars: namesIn(BARS),
  tab: TABS,
};

/** A link that has nothing else still says that there were ids. */
export const LEFT_OUT = 'ids';

/** The fragment of a link: what differs from the defaults, and the ids if they fit. */
export function toFragment(settings: Settings, ids: string | undefined): string {
  const { layout, sort, tab } = settings;
  const parameters = new URLSearchParams();
  const set = (name: string, value: string | number | boolean | undefined) => {
    if (value !== undefined && value !== '') parameters.set(name, String(value));
  };
  set('tab', tab === DEFAULTS.tab ? undefined : tab);
  set('layout', layout?.spec);
  set('epoch', layout?.epoch);
  set('unit', layout?.unit);
  for (const name of NAMES) if (settings[name] !== DEFAULTS[name]) set(name, settings[name]);
  set('sort', sort && `${sort.descending ? '-' : ''}${sort.column}`);
  const without = readable(parameters);
  set('ids', ids);
  const fragment = readable(parameters);
  return fragment.length > MAX_LINK_CHARACTERS ? without || LEFT_OUT : fragment;
}

/** What need not be escaped in a fragment stays as it is, so that a link can be read. */
function readable(parameters: URLSearchParams): string {
  return parameters.toString().replaceAll('%3A', ':').replaceAll('%2C', ',').replaceAll('%0A', '~');
}

/** What a fragment says. A setting that is wrong has its default. */
export function fromFragment(fragment: string): { settings: Settings; ids: string } {
  const parameters = new URLSearchParams(fragment.replace(/^#/, '').replaceAll('~', '%0A'));
  const { layout: spec, epoch, unit = '', sort, ids = '', ...texts } = Object.fromEntries(parameters);
  // Links from before there were tabs.
  if (namesIn(ROUTING_DEFAULTS).some((name) => name in texts)) texts.tab ??= 'shards';
  const plain: { [name: string]: unknown } = {};
  for (const name of NAMES) {
    const text = texts[name];
    if (text === undefined) continue;
    const isWrong = name === 'zone' ? !isZone(text) : WORDS[name]?.includes(text) === false;
    plain[name] = typeof DEFAULTS[name] === 'boolean' || (isWrong ? DEFAULTS[name] : text);
  }
  const ms = Number.isSafeInteger(Number(epoch)) ? Number(epoch) : undefined;
  const layout = spec === undefined ? undefined : { spec, epoch: ms, unit: isUnit(unit) ? unit : undefined };
  const sorted = sort === undefined ? undefined : { column: sort.replace(/^-/, ''), descending: sort.startsWith('-') };
  return { settings: { ...DEFAULTS, ...plain, layout, sort: sorted }, ids };
}
