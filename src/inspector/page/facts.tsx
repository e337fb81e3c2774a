import { CopyButton } from './copy-button.jsx';

/** What is known of something, by name; several lines of it, or one that may be copied. */
export type Fact = readonly [name: string, value: string | readonly string[], copies?: 'copies'];

export function Facts({ of }: { of: readonly Fact[] }) {
  return (
    <dl class="facts">
      {of.map(([name, value, copies]) => (
        <div key={name} class="fact">
          <dt>{name}</dt>
          <dd>
            {[value].flat().map((line) => (
              <span key={line}>{line}</span>
            ))}
          </dd>
          {copies && (
            <dd class="action">
              <CopyButton text={() => `${value}`} label={`Copy ${name}`} />
            </dd>
          )}
        </div>
      ))}
    </dl>
  );
}
