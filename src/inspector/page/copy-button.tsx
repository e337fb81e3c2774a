import { redraw } from './state.js';

/** The label of the button that has just copied. */
let copied = '';

/** Says so when it has copied, to the eye and to screen readers. */
export function CopyButton({ text, label, children }: { text: () => string; label: string; children?: string }) {
  const isDone = copied === label;
  const tell = (what: string) => {
    copied = what;
    redraw();
  };
  const copy = async () => {
    await navigator.clipboard.writeText(text());
    tell(label);
    setTimeout(() => copied === label && tell(''), 1500);
  };
  return (
    <button
      type="button"
      class={children === undefined ? 'copy' : 'quiet'}
      aria-label={children === undefined ? (isDone ? 'Copied' : label) : undefined}
      title={label}
      onClick={copy}
    >
      <svg viewBox="0 0 16 16" aria-hidden="true">
        <path d={isDone ? 'M3 8.500l3.500 3.500L13 4.500' : 'M5.500 5.500v-3h8v8h-3M2.500 5.500h8v8h-8z'} />
      </svg>
      {children && <span aria-live="polite">{isDone ? 'Copied' : children}</span>}
    </button>
  );
}
