import { spawn, type ChildProcess } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { Projects } from '@synapse/hands/internal';
import { Client } from '@modelcontextprotocol/client';
import { getDefaultEnvironment, StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { consolePlace, type ConsolePlace } from '../../packages/console/src/fixtures/console-place.ts';
import { startChatServer, type ChatServer } from '../agent/scripted-chat.ts';
import { CLI } from '../e2e/run-cli.ts';
import { accessibilityProblems, HAS_BROWSER, openPage, overflow, picture as pictureOf, show, watchConsole, type WatchedConsole } from './browser.ts';

const everything = join(dirname(createRequire(import.meta.url).resolve('@modelcontextprotocol/server-everything/package.json')), 'dist/index.js');
const SERVERS = { mcpServers: { everything: { command: process.execPath, args: [everything] } } };
const FORM = 'trigger-elicitation-request';
const PAGE = 'trigger-url-elicitation';

describe.skipIf(!HAS_BROWSER)('questions of other processes, in the console', () => {
  let place: ConsolePlace;
  let opened: WatchedConsole;
  let watched: WatchedConsole['watched'];
  let env: Record<string, string>;

  beforeAll(async () => {
    place = await consolePlace({ '.mcp.json': JSON.stringify(SERVERS), 'README.md': '# Sample\n' });
    {
      using projects = Projects.open(place.stateFolder);
      projects.trust(place.project);
    }
    env = { ...getDefaultEnvironment(), XDG_STATE_HOME: dirname(place.stateFolder) };
    opened = await watchConsole(place);
    ({ watched } = opened);
  }, 60_000);

  afterAll(() => opened?.[Symbol.asyncDispose]());

  const picture = (name: string, page = watched.page): Promise<void> => pictureOf(page, name, true);

  /** A client that cannot show forms itself. */
  const client = async (): Promise<Client> => {
    const made = new Client({ name: 'silent', version: '0' });
    await made.connect(
      new StdioClientTransport({
        command: process.execPath,
        args: [CLI, 'mcp', '--mcp', '--workspace', place.project],
        env,
        stderr: 'ignore',
      }),
    );
    return made;
  };

  /** Calls a tool of the server behind, and allows the call: its form comes then. */
  const ask = async (caller: Client, tool: string, input: Record<string, unknown> = {}): Promise<() => Promise<string>> => {
    const name = `mcp__everything__${tool}`;
    await expect.poll(async () => (await caller.listTools()).tools.some((one) => one.name === name)).toBe(true);
    await showNone();
    const called = caller.callTool({ name, arguments: input });
    called.catch(() => undefined);
    await watched.page.getByRole('button', { name: 'Allow once' }).click();
    return async () => JSON.stringify(await called);
  };
  /** Shows the questions, where that of the test before may still be drawn. */
  const showNone = async (): Promise<void> => {
    await show(watched.page, 'approvals');
    await watched.page.getByText('Nothing waits for you').waitFor();
  };
  const fieldOf = (page: Page, title: string) => page.locator('.approval').getByLabel(title, { exact: false }).first();

  it('shows the form of an MCP server behind the gateway, says what is wrong, and sends what was filled in', async () => {
    const { page } = watched;
    const caller = await client();
    try {
      const answer = await ask(caller, FORM);
      await page.locator('.approval', { hasText: 'The MCP server everything asks you' }).waitFor();
      await page.getByText('Please provide inputs for the following fields:').waitFor();
      await picture('form');
      await expect.poll(() => page.evaluate('document.activeElement.className')).toBe('approval');
      await page.keyboard.press('Tab');
      // The first field is required: sent empty, it says so and gets the focus.
      await page.keyboard.press('Enter');
      await page.getByText('It takes a text.').waitFor();
      await expect.poll(() => page.evaluate('document.activeElement.getAttribute("aria-invalid")')).toBe('true');
      await page.keyboard.type('Ada');
      await fieldOf(page, 'Integer').fill('7000');
      await fieldOf(page, 'Email').fill('ada');
      await page.keyboard.press('Enter');
      await page.getByText('It takes a whole number, 1 to 100.').waitFor();
      await page.getByText('It takes an email address.').waitFor();
      await picture('form-problems');
      await fieldOf(page, 'Integer').fill('7');
      await fieldOf(page, 'Email').fill('ada@example.com');
      await page.locator('.approval').getByRole('group').first().getByRole('checkbox').last().check();
      await page.getByRole('button', { name: 'Send' }).click();
      const told = await answer();
      for (const part of ['Name: Ada', 'Email: ada@example.com', 'Favorite Integer: 7', 'Bass']) expect(told).toContain(part);
    } finally {
      await caller.close();
    }
    await page.getByText('Nothing waits for you').waitFor();
  });

  it.each([
    ['Decline', 'User declined'],
    ['Cancel', 'User cancelled'],
  ])('answers a form with %s', async (button, told) => {
    const { page } = watched;
    const caller = await client();
    try {
      const answer = await ask(caller, FORM);
      await page.getByRole('button', { name: button }).click();
      expect(await answer()).toContain(told);
    } finally {
      await caller.close();
    }
  });

  it('asks before a page is opened, with its whole address', async () => {
    const { page } = watched;
    const caller = await client();
    try {
      const answer = await ask(caller, PAGE, { url: 'https://example.com/pay?order=1', message: 'Pay.' });
      await page.locator('.approval', { hasText: 'wants you to open a page of example.com' }).waitFor();
      await page.getByText('https://example.com/pay?order=1', { exact: true }).waitFor();
      const link = page.getByRole('link', { name: 'Open example.com' });
      expect(await link.getAttribute('rel')).toBe('noopener noreferrer');
      await picture('page-form');
      await page.getByRole('button', { name: 'Decline' }).click();
      expect(await answer()).toContain('declined');
      expect(watched.misdeeds).toEqual([]);
    } finally {
      await caller.close();
    }
  });

  it('withdraws a form when its client leaves', async () => {
    const { page } = watched;
    const caller = await client();
    await ask(caller, FORM);
    await page.getByRole('button', { name: 'Send' }).waitFor();
    await caller.close();
    await page.getByText('Nothing waits for you').waitFor();
  });

  it("shows the form of a server to the console's own calls, in dark and narrow, too", async () => {
    await using narrow = await openPage(opened.browser, opened.served.createUrl(), { colorScheme: 'dark', width: 360, height: 740 });
    const { page } = narrow;
    await page.waitForSelector('.link-live');
    await show(page, 'connections');
    await page.getByRole('button', { name: 'Connect' }).click();
    await page.getByRole('button', { name: 'Connect' }).waitFor();
    await show(page, `tools/${encodeURIComponent(`mcp:everything:${FORM}`)}`);
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await page.getByRole('link', { name: 'answer it' }).click();
    await page.getByRole('button', { name: 'Allow once' }).click();
    await page.getByRole('button', { name: 'Send' }).waitFor();
    await page.getByRole('button', { name: 'Send' }).click();
    await page.getByText('It takes a text.').waitFor();
    await picture('form-narrow-dark', page);
    expect(await accessibilityProblems(page)).toEqual([]);
    expect(await overflow(page)).toEqual([]);
    await page.getByRole('button', { name: 'Decline' }).click();
    await page.getByText('Nothing waits for you').waitFor();
  });

  describe('of synapse run', () => {
    let chat: ChatServer;
    beforeAll(async () => {
      chat = await startChatServer((_, index) =>
        index % 2 === 0
          ? { kind: 'calls', calls: [{ id: `${index}`, name: 'write_file', input: `{"path":"run-${index}.txt","content":"from a run"}` }] }
          : { kind: 'text', text: 'Done.' },
      );
    });
    afterAll(() => chat?.[Symbol.asyncDispose]());

    const run = (...words: string[]): ChildProcess & { readonly stdout: NodeJS.ReadableStream } =>
      spawn(process.execPath, [CLI, 'run', 'Write it', '--base-url', chat.url, '-m', 'scripted', '--workspace', place.project, ...words], {
        env,
        stdio: ['ignore', 'pipe', 'ignore'],
      });

    it.each(['--json', '--jsonl'])('shows its approvals and takes the answer, with %s', async (option) => {
      const { page } = watched;
      await showNone();
      const before = chat.requests.length;
      const child = run(option);
      const said = text(child.stdout);
      await page.locator('.approval', { hasText: 'synapse run' }).getByText('+ from a run').waitFor();
      await page.getByRole('button', { name: 'Allow once' }).click();
      expect(await said).toContain('Done.');
      expect(await readFile(join(place.project, `run-${before}.txt`), 'utf8')).toBe('from a run');
      if (option === '--jsonl') {
        expect(await said).toContain('{"type":"approval-request"');
        expect(await said).toContain('"verdict":"allow"');
      }
    });
  });
});
