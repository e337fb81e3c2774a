import { useState } from 'preact/hooks';
import { LOCAL, UTC } from '../decode/zones.js';
import { CopyButton } from './copy-button.jsx';
import type { Inspector } from './inspector.js';

export function Header({ inspector }: { inspector: Inspector }) {
  return (
    <header>
      <h1>
        <svg viewBox="0 0 34 16" aria-hidden="true" class="mark">
          <rect width="14" height="16" rx="2" class="c0" />
          <rect x="16" width="8" height="16" rx="2" class="c1" />
          <rect x="26" width="8" height="16" rx="2" class="c2" />
        </svg>
        <span>
          shardbits <span class="light">inspector</span>
        </span>
      </h1>
      <div class="tools">
        <ZoneSwitch inspector={inspector} />
        <CopyButton text={() => inspector.link()} label="Copy a link to this page as it is">
          Copy link
        </CopyButton>
        <ThemeButton />
      </div>
    </header>
  );
}

/** UTC, the zone of the browser, and that of a link. */
function ZoneSwitch({ inspector }: { inspector: Inspector }) {
  const { zone } = inspector.settings;
  const zones = [...new Set([UTC, LOCAL, zone])];
  if (zones.length === 1) return null;
  return (
    <fieldset class="segments" aria-label="Time zone">
      {zones.map((each) => (
        <button
          type="button"
          key={each}
          title={each}
          aria-pressed={each === zone}
          onClick={() => inspector.change({ zone: each })}
        >
          {each === LOCAL ? 'Local' : each}
        </button>
      ))}
    </fieldset>
  );
}

const KEPT_AS = 'shardbits-theme';

/** Light or dark as the system has it, until it is chosen here. */
function ThemeButton() {
  const [theme, setTheme] = useState(startTheme);
  const isDark = theme === 'dark' || (theme === '' && matchMedia('(prefers-color-scheme: dark)').matches);
  const change = () => {
    const chosen = isDark ? 'light' : 'dark';
    apply(chosen);
    try {
      localStorage.setItem(KEPT_AS, chosen);
    } catch {
      // Where nothing may be kept, it lasts as long as the page.
    }
    setTheme(chosen);
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

function startTheme(): string {
  let kept = '';
  try {
    kept = localStorage.getItem(KEPT_AS) ?? '';
  } catch {
    // As above.
  }
  if (kept === 'light' || kept === 'dark') apply(kept);
  return kept;
}

function apply(theme: string): void {
  document.documentElement.dataset.theme = theme;
  window.dispatchEvent(new Event('themechange'));
}
