import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import type { Browser, Page } from 'playwright-core';
import { consolePlace, type ConsolePlace } from '../../packages/console/src/fixtures/console-place.ts';
import { HAS_BROWSER, openBrowser, openPage } from '../../test/console/browser.ts';
import { median } from '../measure.ts';
import { time, type Row } from '../result.ts';

const GROUP = 'The web console';
const CALLS = 100_000;
const RATE = 1_000;
const SECONDS = 10;
const ROUNDS = 5;
const PAGE = fileURLToPath(new URL('../../packages/console/dist/bundle/page/', import.meta.url));

const row = (what: string, ours: string, target: string, met: boolean): Row => ({ group: GROUP, what, ours, peer: '', compared: '', target, met });

function bundleRow(): Row {
  const bytes = readdirSync(PAGE).reduce((sum, name) => sum + gzipSync(readFileSync(`${PAGE}${name}`)).length, 0);
  return row('the page, gzip', `${(bytes / 1_000).toFixed(1)} kB`, '< 120 kB', bytes < 120_000);
}

const text = (page: Page): Promise<string | null> => page.locator('.list-count').textContent();

/** Returns the milliseconds from navigation until the page shows a number of calls. */
async function shownAfter(page: Page, calls: number): Promise<number> {
  const wanted = `${calls.toLocaleString('en')} calls`;
  while ((await text(page))?.trim() !== wanted) await pause(5);
  return await page.evaluate<number>('performance.now()');
}

async function opened(browser: Browser, url: string, calls: number): Promise<{ readonly paint: number; readonly all: number }> {
  await using watched = await openPage(browser, url);
  const all = await shownAfter(watched.page, calls);
  const paint = await watched.page.evaluate<number>(`performance.getEntriesByName('first-contentful-paint')[0].startTime`);
  return { paint, all };
}

/** Makes calls at a fixed rate; returns how long after the last one the page has all of them. */
async function backlog(place: ConsolePlace, browser: Browser, url: string, before: number): Promise<number> {
  await using hands = await place.hands();
  await using watched = await openPage(browser, url);
  await shownAfter(watched.page, before);
  const startedAt = performance.now();
  for (let made = 0; made < RATE * SECONDS; made += 1) {
    await hands.call('file_info', { path: 'a.txt' });
    const ahead = (made / RATE) * 1_000 - (performance.now() - startedAt);
    if (ahead > 5) await pause(ahead);
  }
  const endedAt = performance.now();
  const wanted = `${(before + RATE * SECONDS).toLocaleString('en')} calls`;
  while ((await text(watched.page))?.trim() !== wanted) await pause(5);
  return performance.now() - endedAt;
}

/** Measures how fast the page loads, and whether it keeps up. */
export async function consoleCases(): Promise<Row[]> {
  if (!HAS_BROWSER) return [bundleRow()];
  await using place = await consolePlace({ 'a.txt': 'x' });
  {
    await using hands = await place.hands();
    for (let made = 0; made < CALLS - RATE * SECONDS; made += 1) await hands.call('file_info', { path: 'a.txt' });
  }
  await using served = await place.serve();
  await using browser = Object.assign(await openBrowser(), {});
  const first = CALLS - RATE * SECONDS;
  // The first page waits until the log is read.
  await opened(browser, served.createUrl(), first);
  const late = await backlog(place, browser, served.createUrl(), first);
  const runs: Array<{ readonly paint: number; readonly all: number }> = [];
  for (let round = 0; round < ROUNDS; round += 1) runs.push(await opened(browser, served.createUrl(), CALLS));
  const paint = median(runs.map((run) => run.paint));
  const all = median(runs.map((run) => run.all));
  return [
    bundleRow(),
    row('first paint', time(paint), '< 500 ms', paint < 500),
    row(`${CALLS.toLocaleString('en')} calls open`, time(all), '< 1 s', all < 1_000),
    row(`${RATE.toLocaleString('en')} calls a second for ${SECONDS} s: shown after the last`, time(late), '< 500 ms', late < 500),
  ];
}
