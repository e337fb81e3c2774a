import { FORMAT_NAMES, isWideKind } from '../../read/problems.js';
import { Button } from '../controls.js';
import { type PanelProps, plural } from '../format.js';
import { change } from '../state.js';

/** What stands in place of everything about ids if nothing is one: what is wrong, and what else it may be read as. */
export function UnreadablePanel({ view }: PanelProps) {
  const { unreadable, read } = view;
  if (unreadable === undefined) return null;
  const { samples, alternatives } = unreadable;
  const isMarked = samples.some(({ length }) => length > 1);
  return (
    <section class="card unreadable" aria-labelledby="unreadable">
      <h2 id="unreadable">No ids found</h2>
      <p class="note">
        {isWideKind(read) || !isMarked
          ? view.reasons.map(({ reason }) => <span key={reason}>{reason}. </span>)
          : `Read as ${FORMAT_NAMES[read]}. The characters that are marked are not of this format.`}
      </p>
      <ul>
        {samples.map((pieces, row) => (
          <li key={row}>
            <code>{pieces.map((piece, i) => (i % 2 === 0 ? piece : <mark key={i}>{piece}</mark>))}</code>
          </li>
        ))}
      </ul>
      {alternatives.length > 0 && (
        <div class="controls">
          {alternatives.map(({ format, ids }) => (
            <Button key={format} onClick={() => change({ read: format })}>
              Read as {FORMAT_NAMES[format]}: {plural(ids, 'id')}
              {isWideKind(format) && ', only their time'}
            </Button>
          ))}
        </div>
      )}
    </section>
  );
}
