import { useEffect, useState } from 'preact/hooks';

/** Says so when it has copied, to the eye and to screen readers. */
export function CopyButton({ text, label, children }: { text: () => string; label: string; children?: string }) {
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    if (!copied) return;
    const timer = setTimeout(() => setCopied(false), 1500);
    return () => clearTimeout(timer);
  }, [copied]);
  const copy = () => navigator.clipboard.writeText(text()).then(() => setCopied(true));
  return (
    <button
      type="button"
      class={children === undefined ? 'copy' : 'quiet'}
      aria-label={children !== undefined ? undefined : copied ? 'Copied' : label}
      title={label}
      onClick={copy}
    >
      {copied ? <Tick /> : <Sheets />}
      {children !== undefined && <span aria-live="polite">{copied ? 'Copied' : children}</span>}
    </button>
  );
}

function Sheets() {
  return (
    <svg viewBox="0 0 16 16" aria-hidden="true">
      <path d="M5.500 5.500v-3h8v8h-3M2.500 5.500h8v8h-8z" />
    </svg>
  );
}

function Tick() {
  return (
    <svg viewBox="0 0 16 16" aria-hidden="true">
      <path d="M3 8.500l3.500 3.500L13 4.500" />
    </svg>
  );
}
