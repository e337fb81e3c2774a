import { ROUTED_BY } from '../decode/key-routing.js';
import { isUnit } from '../decode/layout-choice.js';
import { DEFAULTS, FORMATS, ROUTING_STRATEGIES, type Settings, SHOWN } from '../decode/settings.js';
import { isZone } from '../decode/zones.js';
import { WIDE_KINDS } from '../read/wide-kinds.js';

/** Longer links are cut by mail programs and chats; browsers take 2 MB and more. */
export const MOST_LINK_CHARACTERS = 8000;

/** Settings that a link has as they are. */
const PLAIN = [
  'read',
  'column',
  'shards',
  'strategy',
  'as',
  'filter',
  'show',
  'per',
  'logTime',
  'logPer',
  'date',
  'zone',
  'by',
  'n',
  'seed',
  'down',
] as const;

/** The fragment of a link: what differs from the defaults, and the ids if they fit. */
export function toFragment(settings: Settings, ids: string | undefined): { fragment: string; complete: boolean } {
  const parameters = new URLSearchParams();
  const set = (name: string, value: string | undefined) => {
    if (value !== undefined && value !== '') parameters.set(name, value);
  };
  const { layout, sort } = settings;
  set('layout', layout?.spec);
  set('epoch', layout?.epoch?.toString());
  set('unit', layout?.unit);
  for (const name of PLAIN) {
    if (settings[name] !== DEFAULTS[name]) set(name, String(settings[name]));
  }
  set('sort', sort && `${sort.descending ? '-' : ''}${sort.column}`);
  const short = (ids?.length ?? 0) <= MOST_LINK_CHARACTERS;
  if (ids === undefined || !short) return { fragment: readable(parameters), complete: ids === '' };
  const without = readable(parameters);
  set('ids', ids);
  const fragment = readable(parameters);
  return fragment.length <= MOST_LINK_CHARACTERS
    ? { fragment, complete: true }
    : { fragment: without, complete: false };
}

/** What need not be escaped in a fragment stays as it is, so that a link can be read. */
function readable(parameters: URLSearchParams): string {
  return parameters.toString().replaceAll('%3A', ':').replaceAll('%2C', ',').replaceAll('%0A', '~');
}

/** What a fragment says; what it says wrongly is left as it is by default. */
export function fromFragment(fragment: string): { settings: Settings; ids: string } {
  const parameters = new URLSearchParams(fragment.replace(/^#/, '').replaceAll('~', '%0A'));
  const oneOf = <T extends string>(name: string, words: readonly T[], unlessGiven: T): T => {
    const given = parameters.get(name);
    return words.find((word) => word === given) ?? unlessGiven;
  };
  const spec = parameters.get('layout');
  const epoch = Number(parameters.get('epoch') ?? Number.NaN);
  const unit = parameters.get('unit');
  const shards = Number(parameters.get('shards') ?? DEFAULTS.shards);
  const sort = parameters.get('sort');
  const zone = parameters.get('zone') ?? DEFAULTS.zone;
  const settings: Settings = {
    read: oneOf('read', [...FORMATS, ...WIDE_KINDS, 'guess'], 'guess'),
    column: parameters.get('column') ?? undefined,
    layout:
      spec === null
        ? undefined
        : {
            spec,
            epoch: Number.isSafeInteger(epoch) ? epoch : undefined,
            unit: unit !== null && isUnit(unit) ? unit : undefined,
          },
    shards: Number.isInteger(shards) && shards >= 1 && shards <= 2147483647 ? shards : DEFAULTS.shards,
    strategy: oneOf('strategy', ROUTING_STRATEGIES, DEFAULTS.strategy),
    as: oneOf('as', FORMATS, DEFAULTS.as),
    sort: sort === null ? undefined : { column: sort.replace(/^-/, ''), descending: sort.startsWith('-') },
    filter: parameters.get('filter') ?? '',
    show: oneOf('show', SHOWN, DEFAULTS.show),
    per: parameters.get('per') ?? undefined,
    logTime: parameters.has('logTime'),
    logPer: parameters.has('logPer'),
    date: parameters.get('date') ?? '',
    zone: isZone(zone) ? zone : DEFAULTS.zone,
    last: undefined,
    by: oneOf('by', ROUTED_BY, DEFAULTS.by),
    n: parameters.get('n') ?? '',
    seed: parameters.get('seed') ?? '',
    down: parameters.get('down') ?? '',
  };
  return { settings, ids: parameters.get('ids') ?? '' };
}
