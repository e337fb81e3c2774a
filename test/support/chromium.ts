import chromium from '@sparticuz/chromium';

/** For Playwright: Chromium out of an npm package, so that Node is all a machine has to have. */
export const chromiumOptions = {
  executablePath: await chromium.executablePath(),
  headless: true,
  args: [
    ...['--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-background-networking'],
    '--disable-component-update',
  ],
};
