import { Component, type ComponentChildren, type ComponentProps } from 'preact';
import { detailsOf } from '../../errors.js';
import type { Layout } from '../../index.js';
import { FORMAT_NAMES, type ReadFormat } from '../../tokens/formats.js';
import type { View } from '../decode/inspection.js';
import { initially } from '../decode/settings.js';
import { cancel, openFiles, page, tellCopied } from './state.js';

export type PanelProps = { readonly view: View; readonly layout: Layout };

const FORMAT = new Intl.NumberFormat('en');

/** `1,000,000`. */
export function count(value: number): string {
  return FORMAT.format(value);
}

/** `1 row`, `2 rows`. */
export function plural(value: number, noun: string): string {
  return `${count(value)} ${noun}${value === 1 ? '' : 's'}`;
}

export function joined(parts: readonly (string | false | undefined)[], between = ', '): string {
  return parts.filter(Boolean).join(between);
}

/** The style sheet has seven colours. More fields begin again with the second. */
const COLOURS = 7;

/** The class that colours a field: times are blue in every layout, the others as they come. */
export function colourOf({ places, time }: Layout, field: string): string {
  if (field === time?.name) return 'c0';
  const others = places.filter(({ name }) => name !== time?.name);
  return `c${1 + (others.findIndex(({ name }) => name === field) % (COLOURS - 1))}`;
}

/** What the page depends on besides what is done in it. It is drawn again when one of them changes. */
export const MEDIA = {
  dark: '(prefers-color-scheme: dark)',
  /** A phone: the table comes before the layout, and has its date first. */
  narrow: '(max-width: 45rem)',
  /** Fingers need targets of 44 px. */
  touch: '(pointer: coarse)',
} as const;

export function matches(medium: keyof typeof MEDIA): boolean {
  return matchMedia(MEDIA[medium]).matches;
}

export function formatOptions<F extends ReadFormat>(formats: readonly F[]): [F, string][] {
  return formats.map((format) => [format, FORMAT_NAMES[format]]);
}

/** Where a key moves a slider to, which may be beyond its ends; undefined: it is another key. */
export function steppedBy(key: string, at: number, page: number, first: number, last: number): number | undefined {
  const targets: { [key: string]: number } = {
    ArrowLeft: at - 1,
    ArrowDown: at - 1,
    ArrowRight: at + 1,
    ArrowUp: at + 1,
    PageDown: at - page,
    PageUp: at + page,
    Home: first,
    End: last,
  };
  return targets[key];
}

export function Button(props: ComponentProps<'button'>) {
  return <button type="button" {...props} />;
}

export function Icon({ path }: { path: string }) {
  return (
    <svg viewBox="0 0 16 16" aria-hidden="true">
      <path d={path} />
    </svg>
  );
}

export function FileButton({ label, onOpen }: { label: string; onOpen: (files: readonly File[]) => void }) {
  return (
    <>
      <Button onClick={(event) => (event.currentTarget.nextSibling as HTMLInputElement).click()}>Open files…</Button>
      <input
        type="file"
        multiple
        hidden
        aria-label={label}
        onChange={(event) => {
          onOpen(Array.from(event.currentTarget.files ?? []));
          event.currentTarget.value = '';
        }}
      />
      {onOpen === openFiles && <Progress />}
    </>
  );
}

/** How much of the ids is read, if that takes a while. */
function Progress() {
  if (page.progress === undefined) return null;
  const percent = Math.floor(100 * page.progress);
  return (
    <span class="progress">
      <progress aria-label="Reading" max={100} value={percent} />
      {percent}%<Button onClick={cancel}>Cancel</Button>
    </span>
  );
}

interface Labelled {
  readonly label: string;
  /** What tells it from others with the same label. */
  readonly fullLabel?: string;
  /** Whether the label is there for screen readers only. */
  readonly isHidden?: boolean;
}

interface ChoiceProps<T extends string> extends Labelled {
  readonly value: string | undefined;
  readonly options: readonly (T | readonly [value: T, name: string])[];
  readonly onChange: (value: T) => void;
}

/** One of several: a word, or what it is called beside it. */
export function Choice<T extends string>(props: ChoiceProps<T>) {
  const { label, fullLabel = label, isHidden, value, options, onChange } = props;
  const named = options.map((option) => (typeof option === 'string' ? ([option, option] as const) : option));
  return (
    <label>
      {!isHidden && <span>{label}</span>}
      <select
        aria-label={fullLabel}
        value={value}
        onChange={({ currentTarget }) => onChange(named[currentTarget.selectedIndex][0])}
      >
        {named.map(([word, name]) => (
          <option key={word} value={word}>
            {name}
          </option>
        ))}
      </select>
    </label>
  );
}

interface BoxProps extends Labelled, Pick<ComponentProps<'input'>, 'placeholder' | 'title'> {
  readonly value: string;
  readonly type?: 'search';
  /** Whether it is as wide as there is room for. */
  readonly grows?: boolean;
  readonly problem?: string | undefined;
  readonly note?: string | undefined;
  readonly onType?: (text: string) => void;
  /** Called when the text is complete. What this rejects, with a reason, stays in the box, with the reason under it. */
  readonly accept?: (text: string) => void;
}

const NOTHING = { text: initially<string | undefined>(undefined), error: initially<string | undefined>(undefined) };

/**
 * A box of text. What is typed, and what is wrong with it, goes when another value or other ids come; the box itself
 * stays, and with it the focus.
 */
export class TextBox extends Component<BoxProps, typeof NOTHING> {
  #input = page.input;

  override componentWillReceiveProps({ value }: BoxProps): void {
    if (value !== this.props.value || page.input !== this.#input) this.setState(NOTHING);
    this.#input = page.input;
  }

  override render(props: BoxProps, { text = props.value, error = props.problem }: typeof NOTHING) {
    const { label, fullLabel = label, isHidden, type = 'text', grows, problem: _, note, ...others } = props;
    const { onType, accept, ...passed } = others;
    const errorId = `${fullLabel.replace(/\W/g, '')}-error`;
    return (
      <label class={grows ? 'grow' : ''}>
        {!isHidden && <span>{label}</span>}
        <input
          {...passed}
          type={type as 'text'}
          aria-label={fullLabel}
          value={text}
          spellcheck={false}
          autocomplete="off"
          aria-invalid={Boolean(error)}
          aria-describedby={errorId}
          onInput={({ currentTarget: { value: typed } }) => {
            this.setState({ text: typed, error: accept && '' }); // what was wrong may be right now
            onType?.(typed);
          }}
          onChange={({ currentTarget: { value: typed } }) => {
            try {
              accept?.(typed);
              this.setState(NOTHING);
            } catch (wrong) {
              this.setState({ text: typed, error: detailsOf(wrong).message });
            }
          }}
        />
        {note && (
          <span class="note" role="status">
            {note}
          </span>
        )}
        <span id={errorId} class="error" role="alert">
          {error}
        </span>
      </label>
    );
  }
}

export function Alert({ children, class: more = '' }: { children: ComponentChildren; class?: string }) {
  return (
    <p class={`error ${more}`} role="alert">
      {children}
    </p>
  );
}

interface PanelBox extends Omit<ComponentProps<'section'>, 'title' | 'class'> {
  readonly title: string;
  readonly class?: string;
  readonly beside?: ComponentChildren;
}

/** A part of the page under its title, with what is set for all of it beside the title. */
export function Panel({ title, class: more = '', beside, children, ...others }: PanelBox) {
  return (
    <section {...others} class={`card ${more}`} aria-label={title}>
      <div class="controls">
        <h2>{title}</h2>
        {beside}
      </div>
      {children}
    </section>
  );
}

interface CopyProps {
  readonly text: () => string;
  readonly label: string;
  readonly children?: string;
  /** Says what is not in the text. */
  readonly without?: () => string | false | undefined;
}

/** Says so when it has copied, to the eye and to screen readers. */
export function CopyButton({ text, label, children, without }: CopyProps) {
  const isDone = page.copied === label;
  const left = isDone && without?.();
  const copy = async () => {
    await navigator.clipboard.writeText(text());
    tellCopied(label);
  };
  return (
    <Button
      class={children === undefined ? 'copy' : 'quiet'}
      aria-label={children === undefined ? (isDone ? 'Copied' : label) : undefined}
      title={label}
      onClick={copy}
    >
      <Icon path={isDone ? 'M3 8.5l3.5 3.5L13 4.5' : 'M5.5 5.5v-3h8v8h-3M2.5 5.5h8v8h-8z'} />
      {children && (
        <span aria-live="polite" class={isDone ? 'done' : ''}>
          {isDone ? joined(['Copied', left && `without the ${left}`]) : children}
        </span>
      )}
    </Button>
  );
}

export interface Pickable {
  readonly text: string;
  readonly isChosen: boolean;
  readonly onChoose: () => void;
}

/** What is known of something, by name; several lines of it, or one that may be copied. */
export type Fact = readonly [name: string, value: string | readonly (string | Pickable)[], copies?: 'copies'];

/** @param of false where there is nothing to say */
export function Facts({ of }: { of: readonly (Fact | false)[] }) {
  const facts = of.filter((fact) => fact !== false);
  return (
    <dl class="facts">
      {facts.map(([name, value, copies]) => (
        <div key={name} class="fact">
          <dt>{name}</dt>
          <dd>
            {[value].flat().map((line) =>
              typeof line === 'string' ? (
                <span key={line}>{line}</span>
              ) : (
                <Button key={line.text} class="pick" aria-pressed={line.isChosen} onClick={line.onChoose}>
                  {line.text}
                </Button>
              ),
            )}
          </dd>
          {copies && (
            <dd>
              <CopyButton text={() => `${value}`} label={`Copy ${name}`} />
            </dd>
          )}
        </div>
      ))}
    </dl>
  );
}
