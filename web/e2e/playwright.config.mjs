import { defineConfig } from '@playwright/test';

/** Chromium as `.ci/browser` found it. Playwright downloads no browser. */
const executablePath = process.env.CHROMIUM || process.env.CHROME_PATH || '/usr/bin/chromium';

export default defineConfig({
  testDir: '.',
  testMatch: '*.test.mjs',
  outputDir: '../test-results',
  globalSetup: './prepare.mjs',
  // Each worker has a shop of its own, and each test prepares the goods that it needs.
  fullyParallel: true,
  workers: 2,
  timeout: 240_000,
  expect: { timeout: 30_000 },
  // A test that fails once and passes then is reported as flaky.
  retries: process.env.CI ? 1 : 0,
  reporter: [['list']],
  forbidOnly: !!process.env.CI,
  use: {
    locale: 'ru-RU',
    timezoneId: 'Asia/Almaty',
    // Two cores render pages of two shops at once: what takes 1 s on a quiet machine may take 20 s there.
    actionTimeout: 30_000,
    navigationTimeout: 60_000,
    // A service worker hides requests from the tests; those that need one allow it.
    serviceWorkers: 'block',
    // A trace shows the page at each step; to make one of every test, kept or not, costs much. With CI a test that fails is repeated, with one.
    trace: { mode: process.env.CI ? 'on-first-retry' : 'retain-on-failure', screenshots: false },
    screenshot: 'only-on-failure',
    launchOptions: {
      executablePath,
      args: [
        '--no-sandbox',
        '--disable-gpu',
        '--disable-quic',
        '--no-first-run',
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-sync',
      ],
    },
  },
});
