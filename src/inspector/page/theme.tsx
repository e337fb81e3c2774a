import { redraw } from './state.js';

const KEPT_AS = 'shardbits-theme';

/** Light or dark as the system has it, until it is chosen here. */
export function ThemeButton() {
  const { dataset } = document.documentElement;
  const isDark = dataset.theme ? dataset.theme === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches;
  const change = () => {
    dataset.theme = isDark ? 'light' : 'dark';
    try {
      localStorage.setItem(KEPT_AS, dataset.theme);
    } catch {
      // Where nothing may be kept, it lasts as long as the page.
    }
    redraw();
  };
  return (
    <button type="button" class="quiet" aria-pressed={isDark} onClick={change}>
      <svg viewBox="0 0 16 16" aria-hidden="true">
        <path d="M8 2a6 6 0 1 0 6 6 4.500 4.500 0 0 1-6-6z" />
      </svg>
      <span>Dark</span>
    </button>
  );
}

export function applyKeptTheme(): void {
  try {
    document.documentElement.dataset.theme = localStorage.getItem(KEPT_AS) ?? '';
  } catch {
    // As above.
  }
  // Charts are drawn in the colours of now.
  for (const query of ['(prefers-color-scheme: dark)', '(forced-colors: active)']) {
    matchMedia(query).addEventListener('change', () => redraw());
  }
}
