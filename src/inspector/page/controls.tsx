import { Component } from 'preact';

/** One of several: a word, or what it is called beside it. */
export function Choice<T extends string>({
  label,
  isHidden = false,
  value,
  options,
  onChange,
}: {
  label: string;
  /** The label is there for screen readers only. */
  isHidden?: boolean;
  value: string | undefined;
  options: readonly (T | readonly [value: T, name: string])[];
  onChange: (value: T) => void;
}) {
  return (
    <label>
      {!isHidden && <span>{label}</span>}
      <select aria-label={label} value={value} onChange={(event) => onChange(event.currentTarget.value as T)}>
        {options.map((option) => {
          const [word = '', name = word] = [option].flat();
          return (
            <option key={word} value={word}>
              {name}
            </option>
          );
        })}
      </select>
    </label>
  );
}

interface BoxProps {
  readonly label: string;
  readonly isHidden?: boolean;
  readonly value: string;
  readonly type?: 'text' | 'search' | 'number';
  readonly class?: string;
  /** As wide as there is room for. */
  readonly grows?: boolean;
  readonly placeholder?: string;
  /** What is wrong with the value. */
  readonly problem?: string | undefined;
  /** At each keystroke. */
  readonly onType?: (text: string) => void;
  readonly note?: string | undefined;
  /** When it is complete. What this refuses, with a reason, stays in the box, with the reason under it. */
  readonly accept?: (text: string) => void;
}

interface Typed {
  readonly text?: string | undefined;
  readonly error?: string | undefined;
}

const NOTHING: Typed = { text: undefined, error: undefined };

/** A box of text. What is typed goes when another value comes; the box itself stays, and with it the focus. */
export class TextBox extends Component<BoxProps, Typed> {
  override componentWillReceiveProps({ value }: BoxProps): void {
    if (value !== this.props.value) this.setState(NOTHING);
  }

  override render(
    {
      label,
      isHidden,
      value,
      type = 'text',
      class: sized,
      grows,
      placeholder,
      problem,
      note,
      onType,
      accept,
    }: BoxProps,
    { text = value, error = problem }: Typed,
  ) {
    const errorId = `${label.replace(/\W/g, '')}-error`;
    return (
      <label class={grows ? 'grow' : ''}>
        {!isHidden && <span>{label}</span>}
        <input
          aria-label={label}
          type={type as 'text'}
          class={sized}
          value={text}
          placeholder={placeholder}
          spellcheck={false}
          autocomplete="off"
          aria-invalid={Boolean(error)}
          aria-describedby={errorId}
          onInput={(event) => {
            const typed = event.currentTarget.value;
            this.setState({ text: typed, error: undefined });
            onType?.(typed);
          }}
          onChange={(event) => {
            const typed = event.currentTarget.value;
            try {
              accept?.(typed);
              this.setState(NOTHING);
            } catch (wrong) {
              this.setState({ text: typed, error: (wrong as Error).message });
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
