import { isWideKind } from '../../tokens/formats.js';
import { utf8Of } from '../read/open.js';
import { isoText } from './dates.js';
import { Inspection, memo, type View } from './inspection.js';
import { fieldValue, isSameChoice, type LayoutChoice, layoutOf } from './layout-choice.js';
import { durationText } from './readings.js';
import { DEFAULTS, FORMATS, idAs, type Settings } from './settings.js';
import type { TableRow } from './table.js';

/** What ids of one kind are taken for: `if it is a tweet`. `asked` is the layout that was chosen for them, if one was. */
export function conditionOf(view: View, asked: LayoutChoice | undefined) {
  const { rows, readings, named, perhaps, isSure, isFact, group, current, isUnknown, read, wide, found } = view;
  if (wide !== undefined) return wide;
  if (named !== undefined && isUnknown) return 'It is more likely this than an id.';
  if (isUnknown) return perhaps.length > 0 && `perhaps ${perhaps.join(', or ')}`;
  if (found?.isTaken) return `as ${found.name} says`;
  if (!current && !asked) return `of ${group}, but without a date in it`;
  if (!current) return 'in your own layout';
  const { name, what, isGeneral } = current;
  if (name === 'snowflake') return `if ${rows > 1 ? 'their' : 'its'} epoch is 1 Jan 2023`;
  if (asked) return `read as ${what}`;
  if (isFact) return `${what}: the link says so`;
  if (isGeneral) {
    const fitting = readings.filter((each) => each.isGeneral && each.likelihood !== 'impossible');
    return `no known service; fits ${fitting.map((each) => each.name).join(', ')}`;
  }
  return `${isSure && read !== 'shortcode' ? `if ${rows > 1 ? 'each' : 'it'} is` : 'perhaps'} ${what}`;
}

/** An id is rather of the service that it is compared with. */
const inspect = memo((text: string, read: Settings['read'], layout: LayoutChoice | undefined, last: string) =>
  new Inspection(utf8Of(text), Date.now(), last).view({ ...DEFAULTS, read, layout }),
);

/**
 * What another id is, when it was made, and how it differs from a row; undefined if the text is not one id. It is guessed as
 * any text is, but read in the format of the row if it can be, and in the layout that was chosen.
 */
export function compare(view: View, row: TableRow, text: string, { layout, zone }: Settings): string | undefined {
  const choice = row.layout ?? view.layout;
  const format = FORMATS.find((each) => each === row.format && idAs(text.trim(), each) !== undefined);
  const other = inspect(text, format ?? 'guess', layout, choice.spec);
  const found = other.firstGood;
  if (!found || other.shownIds > 1) return undefined;
  const { places, time } = layoutOf(other.layout);
  const date = time && found.micros !== undefined && isoText(time, found.micros, zone);
  const what = found.problem || other.named || conditionOf(other, layout) || 'not an id of a known service';
  const head = `The other id${date ? `, of ${date}` : ' has no date'} (${what})`;
  const words: string[] = [];
  if (row.micros !== undefined && found.micros !== undefined) {
    const between = found.micros - row.micros;
    words.push(between ? `${durationText(between)} ${between > 0n ? 'later' : 'earlier'}` : 'at the same time');
  }
  const wide = [row, found].filter((each) => isWideKind(each.format)).length;
  if (wide === 0 && isSameChoice(choice, other.layout) && row.problem === '' && found.problem === '') {
    const fields = places.filter(({ name }) => name !== time?.name);
    const differing = fields.filter((place) => fieldValue(place, row.id) !== fieldValue(place, found.id));
    for (const place of differing) {
      words.push(`${place.name} ${fieldValue(place, found.id)} instead of ${fieldValue(place, row.id)}`);
    }
    return `${head}: ${words.length > 0 ? words.join('; ') : 'the fields are the same'}.`;
  }
  if (words.length === 0) return `${head}.${date ? ' This id has no date.' : ''}`;
  const why = ['of different services', 'of different kinds', 'wider than 64 bits'][wide];
  return `${head}: ${words[0]}. They are ${why}, so only their dates can be compared.`;
}
