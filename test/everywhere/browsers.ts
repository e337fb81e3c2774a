import { existsSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { chromium } from 'playwright-core';
import { chromiumOptions } from '../support/chromium.js';
import { freePort } from './ports.js';
import { start, stop } from './processes.js';
import { NotHere } from './row.js';
import type { Scratch } from './scratch.js';

/** A browser that shows a page, until it is disposed of. */
export interface Browser extends AsyncDisposable {
  readonly version: string;
}

export type Open = (url: string, scratch: Scratch) => Promise<Browser>;

export const openChromium: Open = async (url) => {
  const browser = await chromium.launch(chromiumOptions);
  const version = browser.version();
  await (await browser.newPage()).goto(url);
  return { version, [Symbol.asyncDispose]: () => browser.close() };
};

// Nothing is asked, fetched or sent beside the page.
const PREFERENCES = `
  user_pref("app.normandy.enabled", false);
  user_pref("browser.shell.checkDefaultBrowser", false);
  user_pref("browser.aboutwelcome.enabled", false);
  user_pref("datareporting.policy.dataSubmissionEnabled", false);
  user_pref("network.captive-portal-service.enabled", false);
  user_pref("services.settings.server", "data:,");
  user_pref("toolkit.telemetry.enabled", false);
`;

export const openFirefox: Open = async (url, scratch) => {
  const program = installed('firefox-esr', 'firefox-esr');
  const profile = scratch.room('firefox');
  writeFileSync(join(profile, 'user.js'), PREFERENCES);
  const browser = start(program, ['--headless', '--no-remote', '--profile', profile, url], { env: { HOME: profile } });
  return { version: '', [Symbol.asyncDispose]: () => stop(browser) };
};

/** By WebDriver, on a screen of its own. */
export const openWebKit: Open = async (url) => {
  const [xvfb, driver] = [installed('xvfb-run', 'xvfb xauth'), installed('WebKitWebDriver', 'webkit2gtk-driver')];
  const port = await freePort();
  const server = start(xvfb, ['-a', driver, `--port=${port}`]);
  const ask = async (path: string, body: object) => {
    const response = await fetch(`http://127.0.0.1:${port}/${path}`, { method: 'POST', body: JSON.stringify(body) });
    const { value } = (await response.json()) as { value: { message?: string } };
    if (!response.ok) throw new Error(`WebKitWebDriver: ${value.message}`);
    return value;
  };
  try {
    await answers(port);
    const session = await ask('session', { capabilities: {} });
    const { sessionId, capabilities } = session as { sessionId: string; capabilities: { browserVersion: string } };
    await ask(`session/${sessionId}/url`, { url });
    return {
      version: `WebKitGTK ${capabilities.browserVersion}`,
      async [Symbol.asyncDispose]() {
        await fetch(`http://127.0.0.1:${port}/session/${sessionId}`, { method: 'DELETE' });
        await stop(server);
      },
    };
  } catch (error) {
    await stop(server);
    throw error;
  }
};

async function answers(port: number): Promise<void> {
  for (let left = 100; left > 0; left--) {
    if (await fetch(`http://127.0.0.1:${port}/status`).catch(() => undefined)) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error('WebKitWebDriver does not answer');
}

/** Where a program of the system is. */
function installed(program: string, packages: string): string {
  const found = (process.env.PATH ?? '')
    .split(delimiter)
    .map((folder) => join(folder, program))
    .find((path) => existsSync(path));
  if (found === undefined) throw new NotHere(`apt-get install ${packages}`);
  return found;
}
