import { LOCAL, UTC } from '../decode/zones.js';
import { CopyButton } from './copy-button.jsx';
import { change, link, settings } from './state.js';
import { ThemeButton } from './theme.jsx';

export function Header() {
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
        <ZoneSwitch />
        <CopyButton text={link} label="Copy a link to this page as it is">
          Copy link
        </CopyButton>
        <ThemeButton />
      </div>
    </header>
  );
}

/** UTC, the zone of the browser, and that of a link. */
function ZoneSwitch() {
  const { zone } = settings;
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
          onClick={() => change({ zone: each })}
        >
          {each === LOCAL ? 'Local' : each}
        </button>
      ))}
    </fieldset>
  );
}
