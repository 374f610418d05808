import { request } from 'node:http';
import type { Hands } from '@synapse/hands';
import type { ServedConsole } from '@synapse/console';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { consolePlace, type ConsolePlace } from '../../packages/console/src/fixtures/console-place.ts';
import { VIEWS } from '../../packages/console/src/page/link/places.ts';
import { startChatServer, type ChatServer } from '../agent/scripted-chat.ts';
import { accessibilityProblems, HAS_BROWSER, openBrowser, openPage, overflow, picture, show } from './browser.ts';

const MARKUP = '<img src=x onerror="alert(1)"><script>alert(2)</script>';
const NAME = '<img src=x onerror=alert(1)>\u202egnp.txt';
const REPORT = `---
attribution:
  files_read: ["README.md", "never-read.md", "<script>alert(3)</script>"]
  tool_calls: { read_file: 1, git_log: 4 }
  confidence: high
---
# Report ${MARKUP}

[click](javascript:alert(4)) [data](data:text/html,<script>alert(5)</script>) ![pixel](https://evil.example/pixel.png)
[fine](https://example.com/) <iframe src="https://evil.example"></iframe>

<style>body{display:none}</style>
`;

/** The status of a request with these headers. */
function statusOf(origin: string, headers: Record<string, string>, method = 'GET', path = '/'): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    request(`${origin}${path}`, { method, headers }, (response) => resolve(response.resume().statusCode))
      .on('error', reject)
      .end();
  });
}

/** How a WebSocket with these headers ends. */
function socketEnd(origin: string, headers: Record<string, string>): Promise<string> {
  return new Promise((resolve) => {
    const socket = new WebSocket(`${origin.replace('http', 'ws')}/socket`, { headers });
    socket.on('unexpected-response', (_, { statusCode }) => resolve(String(statusCode)));
    socket.on('open', () => socket.send(JSON.stringify({ type: 'hello', key: 'guessed' })));
    socket.on('close', (code) => resolve(`closed ${code}`));
    socket.on('error', () => {});
  });
}

describe('who may talk to the console', () => {
  it('refuses other hosts, other origins and requests without the cookie', async () => {
    await using place = await consolePlace({ 'a.txt': 'x' });
    await using served = await place.serve();
    const { origin } = served;
    const { host } = new URL(origin);
    expect(await statusOf(origin, { host })).toBe(200);
    expect(await statusOf(origin, { host: 'evil.example' })).toBe(421);
    expect(await statusOf(origin, { host, origin: 'http://evil.example' })).toBe(403);
    expect(await statusOf(origin, { host }, 'GET', '/../../etc/passwd')).toBe(404);
    expect(await statusOf(origin, { host }, 'GET', '/session')).toBe(401);
    expect(await statusOf(origin, { host, origin, 'content-type': 'text/plain' }, 'POST', '/session')).toBe(415);
    expect(await socketEnd(origin, { origin })).toBe('401');
    expect(await socketEnd(origin, { origin: 'http://evil.example' })).toBe('403');
    const token = new URL(served.createUrl()).hash.slice('#token='.length);
    const signIn = await fetch(`${origin}/session`, {
      method: 'POST',
      headers: { origin, 'content-type': 'application/json' },
      body: JSON.stringify({ token }),
    });
    const cookie = signIn.headers.get('set-cookie') ?? '';
    expect(cookie).toMatch(/HttpOnly; SameSite=Strict$/u);
    // The cookie alone, as another server of this machine could have it, is not enough.
    expect(await socketEnd(origin, { origin, cookie: cookie.split(';')[0] ?? '' })).toBe('closed 4401');
    expect(await socketEnd(origin, { origin: 'http://127.0.0.1:1', cookie: cookie.split(';')[0] ?? '' })).toBe('403');
    const csp = (await fetch(origin)).headers.get('content-security-policy');
    expect(csp).toContain("default-src 'none'");
    expect(csp).not.toContain('unsafe');
  });
});

describe.skipIf(!HAS_BROWSER)('what comes from elsewhere', () => {
  let place: ConsolePlace;
  let served: ServedConsole;
  let other: Hands;
  let chat: ChatServer;
  let browser: Browser;

  beforeAll(async () => {
    place = await consolePlace({ 'README.md': '# Sample\n', [NAME]: MARKUP, 'src/a.js': 'export const a = 1;\n' });
    served = await place.serve();
    other = await place.hands();
    chat = await startChatServer((_, index) => {
      if (index === 0) return { kind: 'calls', calls: [{ id: '1', name: 'read_file', input: '{"path":"README.md"}' }] };
      if (index < 4) return { kind: 'status', status: 401, message: `No ${MARKUP}` };
      return { kind: 'text', text: REPORT };
    });
    browser = await openBrowser();
  }, 60_000);

  afterAll(async () => {
    await browser?.close();
    await served?.[Symbol.asyncDispose]();
    await other?.[Symbol.asyncDispose]();
    await chat?.[Symbol.asyncDispose]();
    await place?.[Symbol.asyncDispose]();
  });

  it('is text: names, outputs and the report of a model', async () => {
    await using watched = await openPage(browser, served.createUrl());
    const { page, misdeeds } = watched;
    await page.waitForSelector('.link-live');
    await other.call('read_file', { path: NAME });
    await other.call('write_file', { path: '<img src=x onerror=alert(1)>.new', content: MARKUP }, { sessionId: MARKUP });
    await page.locator('.grid-row', { hasText: 'write_file' }).click();
    await page.getByRole('complementary', { name: 'Call' }).getByText('onerror').first().waitFor();
    await show(page, 'tools/read_file');
    await page.locator('#field-path').fill(NAME);
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await page.locator('.result .code', { hasText: '<script>' }).waitFor();
    await show(page, 'runs');
    await page.getByLabel('Brain').selectOption('model');
    await page.getByPlaceholder('provider/name').fill('scripted');
    await page.getByPlaceholder('http://127.0.0.1:11434/v1').fill(chat.url);
    await page.getByRole('button', { name: 'Start' }).click();
    // The first answer after the call is refused: the run ends, and can be tried again.
    await page.locator('.panel .badge', { hasText: 'failed' }).waitFor();
    for (const _ of [1, 2, 3]) {
      if ((await page.locator('.markdown').count()) > 0) break;
      const before = await page.evaluate('location.hash');
      await page.getByRole('button', { name: 'Retry' }).click();
      await expect.poll(() => page.evaluate('location.hash')).not.toBe(before);
      await page.locator('.panel .badge', { hasText: /failed|done/u }).waitFor();
    }
    await page.locator('.markdown', { hasText: 'Report' }).waitFor();
    expect(await page.locator('.markdown :is(script, img, iframe, style)').count()).toBe(0);
    expect(await page.locator('.markdown a').evaluateAll((links) => links.map((link) => link.getAttribute('href')))).toEqual([
      'https://example.com/',
    ]);
    await page.locator('.source-bad', { hasText: 'never-read.md' }).waitFor();
    await page.locator('.source-bad', { hasText: 'git_log' }).waitFor();
    await picture(page, 'hostile');
    await show(page, 'changes');
    await page.locator('.card-row', { hasText: 'onerror' }).waitFor();
    expect(await page.locator('body :is(iframe, img, object, embed), body script, body style').count()).toBe(0);
    expect(misdeeds).toEqual([]);
  });

  it('a control: the page reports what breaks its policy', async () => {
    await using watched = await openPage(browser, served.createUrl());
    await watched.page.evaluate(`document.body.append(Object.assign(document.createElement('img'), { src: 'https://evil.example/x.png' }))`);
    await expect.poll(() => watched.misdeeds.some((text) => text.includes('CSP'))).toBe(true);
  });

  it('goes on where it stopped when the line breaks, without a gap or a double', async () => {
    await using watched = await openPage(browser, served.createUrl());
    const { page } = watched;
    await page.waitForSelector('.link-live');
    const before = Number((await page.locator('.list-count').textContent())?.replaceAll(/\D/gu, ''));
    let made = 0;
    for (let round = 0; round < 4; round += 1) {
      for (let index = 0; index < 10; index += 1) {
        await other.call('read_file', { path: 'src/a.js' }, { callId: `round-${round}-${index}` });
        made += 1;
        if (index === 5) await page.evaluate('cutTheLine()');
      }
    }
    await expect.poll(async () => (await page.locator('.list-count').textContent())?.trim()).toBe(`${before + made} calls`);
    await page.getByPlaceholder('Filter by tool').fill('round-2');
    await expect.poll(() => page.locator('.grid-row').count()).toBe(10);
  });

  it('a second tab is in step: what one answers is gone in both', async () => {
    await using watched = await openPage(browser, served.createUrl());
    const { page, context } = watched;
    await page.waitForSelector('.link-live');
    const second = await context.newPage();
    await second.goto(served.origin);
    await second.waitForSelector('.link-live');
    await show(page, 'tools/write_file');
    await page.locator('#field-path').fill('two-tabs.txt');
    await page.locator('#field-content').fill('x');
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await show(second, 'approvals');
    await show(page, 'approvals');
    await page.getByRole('button', { name: 'Deny' }).waitFor();
    await second.getByRole('button', { name: 'Deny' }).click();
    await page.getByText('Nothing waits for you').waitFor();
  });

  it('a console that was started anew knows nobody, and says what to do', async () => {
    const first = await place.serve();
    await using watched = await openPage(browser, first.createUrl());
    await watched.page.waitForSelector('.link-live');
    await first[Symbol.asyncDispose]();
    await watched.page.waitForSelector('.link-offline');
    await using again = await place.serve(Number(new URL(first.origin).port));
    expect(again.origin).toBe(first.origin);
    await watched.page.getByText('This browser is not signed in.').waitFor();
  });

  it.each([
    ['light', 1280],
    ['dark', 1280],
    ['light', 360],
    ['dark', 360],
  ] as const)(
    'every view in %s at %i pixels is accessible, and nothing sticks out',
    async (colorScheme, width) => {
      await using watched = await openPage(browser, served.createUrl(), { colorScheme, width, height: width === 360 ? 740 : 800 });
      const { page } = watched;
      await page.waitForSelector('.link-live');
      await other.call('run_command', { command: 'echo done', background: true });
      const run = page.locator('.card-row').first();
      const places: Array<[string, () => Promise<void>]> = VIEWS.map((view) => [view, () => show(page, view)]);
      places.push(['tools/run_command', () => show(page, 'tools/run_command')]);
      places.push([
        'call',
        async () => (
          await show(page, 'calls'),
          await page.locator('.grid-row', { hasText: 'write_file' }).first().click(),
          await page.locator('.panel .facts').first().waitFor()
        ),
      ]);
      places.push(['job', async () => (await show(page, 'jobs'), await run.click(), await page.locator('.terminal').waitFor())]);
      places.push(['run', async () => (await show(page, 'runs'), await run.click(), await page.locator('.steps').waitFor())]);
      const problems: string[] = [];
      for (const [name, go] of places) {
        await go();
        problems.push(...(await accessibilityProblems(page)).map((problem) => `${name}: ${problem}`));
        problems.push(...(await overflow(page)).map((problem) => `${name}: sticks out: ${problem}`));
        await picture(page, `${colorScheme}-${width}-${name.replace('/', '-')}`);
      }
      if (width === 360) {
        await page.getByRole('button', { name: 'Close' }).click();
        await page.getByRole('button', { name: 'Menu' }).click();
        await page.getByRole('link', { name: 'Policy' }).waitFor();
        problems.push(...(await accessibilityProblems(page)).map((problem) => `menu: ${problem}`));
        await picture(page, `${colorScheme}-${width}-menu`);
      }
      expect(problems).toEqual([]);
    },
    90_000,
  );
});
