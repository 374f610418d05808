import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { HAS_BROWSER, openBrowser, openPage } from '../console/browser.ts';
import { device, pair } from './device.ts';
import { going } from './going.ts';
import { bundleForPage, servePage } from './page-bundle.ts';
import { runCli } from './run-cli.ts';

const AGENT = `export { connectHands, pageStore } from '@synapse/remote/brain';`;

/** Connects the page. */
const connect = (page: Page, remote: string, options: object): Promise<void> =>
  page.evaluate(`
    (async () => {
      const { connectHands, pageStore } = await import('/page.js');
      globalThis.lines = [];
      globalThis.hands = connectHands(${JSON.stringify(remote)}, { ...${JSON.stringify(options)}, store: pageStore('agent-calls') });
      hands.subscribe((event) => event.type === 'line' && lines.push(event.status));
    })()
  `);

/** Calls a tool from the page. */
const call = (page: Page, tool: string, input: object): Promise<unknown> =>
  page.evaluate(`hands.call(${JSON.stringify(tool)}, ${JSON.stringify(input)})`);

describe.skipIf(!HAS_BROWSER)('an agent in a web page', () => {
  it('uses a machine through a relay that allows its origin, and no other page can', { timeout: 180_000 }, async () => {
    await using served = await servePage(await bundleForPage(AGENT));
    // Both names lead to the same server; for a browser they are two origins.
    const [allowed, other] = ['127.0.0.1', 'localhost'].map((host) => `http://${host}:${served.port}`) as [string, string];
    const [host, desk, away] = await Promise.all([device(), device({ 'a.txt': 'hello\n' }), device()]);
    await using relay = going(host, ['relay', '--port', '0', '--allow-origin', allowed]);
    const url = await relay.said(/^ws:/u);
    const remote = `${url}#desk`;
    const invitation = (await runCli(host, ['relay', 'invite'])).out.trim();
    const { joined } = await pair({ desk, away, url, name: 'desk', invitation, joining: ['--print-credentials'] });
    const credentials: unknown = JSON.parse(joined.out);
    await using machine = going(desk, ['connect', url, '--name', 'desk']);
    await machine.said(/^Connected/u);

    const browser = await openBrowser();
    try {
      await using agent = await openPage(browser, allowed);
      const { page } = agent;
      await connect(page, remote, { credentials });
      expect(await call(page, 'read_file', { path: 'a.txt' })).toMatchObject({ ok: true, output: expect.stringContaining('hello') as string });
      expect(await call(page, 'write_file', { path: 'a.txt', content: 'x' })).toMatchObject({ ok: false, error: { code: 'approval_required' } });
      expect(await page.evaluate(`hands.tools('openai').then((tools) => tools.length > 10)`)).toBe(true);
      expect(await page.evaluate(`hands.tools('ai-sdk').then(Object.keys)`)).toContain('read_file');
      await page.evaluate('cutTheLine()');
      expect(await call(page, 'read_file', { path: 'a.txt' })).toMatchObject({ ok: true });
      expect(agent.misdeeds).toEqual([]);

      // The control: the same page and keys, from another origin.
      await using stranger = await openPage(browser, other);
      await connect(stranger.page, remote, { credentials });
      await stranger.page.waitForFunction(`lines.includes('stopped')`);
      expect(await stranger.page.evaluate('lines')).toEqual(['stopped']);
    } finally {
      await browser.close();
    }
  });

  it('goes on with its open calls after a reload, from IndexedDB', { timeout: 180_000 }, async () => {
    await using served = await servePage(await bundleForPage(AGENT));
    const origin = `http://127.0.0.1:${served.port}`;
    const [host, desk, away] = await Promise.all([device(), device(), device()]);
    await using relay = going(host, ['relay', '--port', '0', '--allow-origin', origin]);
    const url = await relay.said(/^ws:/u);
    const invitation = (await runCli(host, ['relay', 'invite'])).out.trim();
    const { joined } = await pair({ desk, away, url, name: 'desk', invitation, joining: ['--print-credentials'] });
    const credentials: unknown = JSON.parse(joined.out);
    await using machine = going(desk, ['connect', url, '--name', 'desk', '--allow', 'exec,write']);
    await machine.said(/^Connected/u);
    const open = (page: Page): Promise<unknown> => page.evaluate('hands.openCalls().then((calls) => calls.map(({ callId }) => callId))');

    const browser = await openBrowser();
    try {
      await using agent = await openPage(browser, origin);
      const { page } = agent;
      await connect(page, `${url}#desk`, { credentials });
      await page.evaluate(`void hands.call('run_command', { command: 'echo a >> ran.txt; sleep 5; echo done' }, { callId: 'kept-call' })`);
      // Accepted, so that it runs.
      await page.waitForFunction(`hands.output('kept-call').then(() => true)`);
      await page.reload();
      await connect(page, `${url}#desk`, { credentials });
      expect(await open(page)).toEqual(['kept-call']);
      expect(await page.evaluate(`hands.resume('kept-call')`)).toMatchObject({ ok: true, output: expect.stringContaining('done') as string });
      expect(await readFile(join(desk.folder, 'ran.txt'), 'utf8')).toBe('a\n');
      await page.reload();
      await connect(page, `${url}#desk`, { credentials });
      expect(await open(page)).toEqual([]);
      expect(agent.misdeeds).toEqual([]);
    } finally {
      await browser.close();
    }
  });

  it('is refused by a relay for one machine, like every web page, and says what to do', { timeout: 120_000 }, async () => {
    await using served = await servePage(await bundleForPage(AGENT));
    const host = await device();
    await using relay = going(host, ['relay', '--dev', '--port', '0']);
    const url = await relay.said(/^ws:/u);
    const browser = await openBrowser();
    try {
      await using agent = await openPage(browser, `http://127.0.0.1:${served.port}`);
      await connect(agent.page, `${url}#desk`, {});
      const refused = { code: 'denied', message: expect.stringContaining('without --dev') as string };
      expect(await call(agent.page, 'read_file', { path: 'a.txt' })).toMatchObject({ ok: false, error: refused });
      expect(await agent.page.evaluate('lines')).toEqual(['stopped']);
    } finally {
      await browser.close();
    }
  });
});

it('the module for browsers needs nothing of Node', async () => {
  const files = await bundleForPage(AGENT);
  expect(files.has('page.js')).toBe(true);
  for (const code of files.values()) expect(code).not.toMatch(/(?:from|import)\s*\(?\s*["']node:/u);
  // The control.
  await expect(bundleForPage(`export { serveRelay } from '@synapse/remote';`)).rejects.toThrow('not for browsers');
});
