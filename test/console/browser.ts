import { createRequire } from 'node:module';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { ServedConsole } from '@synapse/console';
import chromium from '@sparticuz/chromium';

import { chromium as launcher, type Browser, type BrowserContext, type Page } from 'playwright-core';
import type { ConsolePlace } from '../../packages/console/src/fixtures/console-place.ts';

/** The browser comes from npm, for one platform only. */
export const HAS_BROWSER = process.platform === 'linux' && process.arch === 'x64';

const AXE = createRequire(import.meta.url).resolve('axe-core/axe.min.js');

/** How often, and after how many milliseconds, a browser that is being unpacked is started again. */
const MAX_TRIES = 60;
const RETRY_MS = 500;

/** Starts Chromium. Not sandboxed: tests run as root, and open only local pages. */
export async function openBrowser(): Promise<Browser> {
  const executablePath = await chromium.executablePath();
  const args = ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--font-render-hinting=none'];
  // Another test file may still unpack the browser, which then cannot start (ETXTBSY).
  for (let tries = 1; ; tries += 1) {
    try {
      return await launcher.launch({ executablePath, args });
    } catch (error) {
      if (tries === MAX_TRIES || !String(error).includes('ETXTBSY')) throw error;
      await delay(RETRY_MS);
    }
  }
}

/** A page and its violations. */
export interface WatchedPage extends AsyncDisposable {
  readonly page: Page;
  readonly context: BrowserContext;
  /** Policy violations, script errors, dialogs, and requests to other hosts. */
  readonly misdeeds: string[];
}

export interface PageOptions {
  readonly colorScheme?: 'light' | 'dark';
  readonly width?: number;
  readonly height?: number;
}

/** Opens a page in a separate context, with separate cookies. */
export async function openPage(
  browser: Browser,
  url: string,
  { colorScheme = 'light', width = 1280, height = 800 }: PageOptions = {},
): Promise<WatchedPage> {
  const context = await browser.newContext({ colorScheme, viewport: { width, height }, reducedMotion: 'reduce' });
  // For tests that cut the connection.
  await context.addInitScript(`
    const sockets = [];
    globalThis.cutTheLine = () => sockets.splice(0).forEach((socket) => socket.close());
    globalThis.WebSocket = class extends WebSocket {
      constructor(address) {
        super(address);
        sockets.push(this);
      }
    };
    addEventListener('securitypolicyviolation', (event) => console.error('CSP: ' + event.violatedDirective + ' ' + event.blockedURI));
  `);
  const page = await context.newPage();
  const misdeeds: string[] = [];
  const { origin } = new URL(url);
  page.on('console', (message) => message.type() === 'error' && misdeeds.push(message.text()));
  page.on('pageerror', (error) => misdeeds.push(error.message));
  page.on('dialog', (dialog) => {
    misdeeds.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on('request', (request) => new URL(request.url()).origin === origin || misdeeds.push(`request: ${request.url()}`));
  page.setDefaultTimeout(30_000);
  await page.goto(url);
  return { page, context, misdeeds, [Symbol.asyncDispose]: () => context.close() };
}

/** A console in a browser. */
export interface WatchedConsole extends AsyncDisposable {
  readonly served: ServedConsole;
  readonly browser: Browser;
  readonly watched: WatchedPage;
}

/** Serves the console of a place and opens it in a browser. Disposes of the place, too. */
export async function watchConsole(place: ConsolePlace): Promise<WatchedConsole> {
  await using stack = new AsyncDisposableStack();
  stack.use(place);
  const served = stack.use(await place.serve());
  const browser = await openBrowser();
  stack.defer(() => browser.close());
  const watched = await openPage(browser, served.createUrl());
  await watched.page.waitForSelector('.link-live');
  const opened = stack.move();
  return { served, browser, watched, [Symbol.asyncDispose]: () => opened.disposeAsync() };
}

/** Saves a picture of a page in the folder `CONSOLE_PICTURES`, for a person to look at. Default: none. */
export async function picture(page: Page, name: string, fullPage = false): Promise<void> {
  const folder = process.env['CONSOLE_PICTURES'];
  if (folder !== undefined) await page.screenshot({ path: join(folder, `${name}.png`), fullPage });
}

/** Opens a view and waits until it has loaded. */
export async function show(page: Page, place: string): Promise<void> {
  // The view before stands until the page has heard of the change, and draws right after.
  await page.evaluate(`new Promise((resolve) => {
    const hash = ${JSON.stringify(`#/${place}`)};
    if (location.hash === hash) return resolve();
    addEventListener('hashchange', () => setTimeout(resolve), { once: true });
    location.hash = hash;
  })`);
  await page.locator('.loading').first().waitFor({ state: 'detached' });
}

/** Returns accessibility problems found by axe-core. */
export async function accessibilityProblems(page: Page): Promise<string[]> {
  // The page's policy does not allow added scripts, but the debugger can run them.
  const session = await page.context().newCDPSession(page);
  const { readFileSync } = await import('node:fs');
  await session.send('Runtime.evaluate', { expression: readFileSync(AXE, 'utf8') });
  const { result, exceptionDetails } = await session.send('Runtime.evaluate', {
    expression: `axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) => JSON.stringify(violations.flatMap(({ id, nodes }) => nodes.map(({ target, failureSummary }) => id + ' ' + target + ' ' + failureSummary))))`,
    awaitPromise: true,
    returnByValue: true,
  });
  await session.detach();
  if (exceptionDetails !== undefined) throw new Error(exceptionDetails.text);
  return JSON.parse(String(result.value)) as string[];
}

/** Returns elements that overflow the page on the right, and the page itself if it does not fill the window. */
export async function overflow(page: Page): Promise<string[]> {
  return await page.evaluate<string[]>(`
    [document.querySelector('.page')]
      .filter((element) => element.getBoundingClientRect().bottom !== innerHeight || scrollY !== 0)
      .concat([...document.querySelectorAll('body *')]
      .filter((element) => {
        const box = element.getBoundingClientRect();
        const scrolls = '.visually-hidden, .sidebar, .diff, .code, .table-box, .tabs, .grid-row, .grid-head, .ellipsis';
        return element.closest(scrolls) === null && box.width > 0 && box.right > innerWidth + 1;
      }))
      .map((element) => element.tagName + '.' + element.className + ' ' + (element.textContent ?? '').slice(0, 40))
  `);
}
