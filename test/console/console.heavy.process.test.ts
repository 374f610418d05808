import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Hands } from '@synapse/hands';
import { Client } from '@modelcontextprotocol/client';
import { getDefaultEnvironment, StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { consolePlace, type ConsolePlace } from '../../packages/console/src/fixtures/console-place.ts';
import { CLI } from '../e2e/run-cli.ts';
import { startChatServer } from '../agent/scripted-chat.ts';
import { HAS_BROWSER, openPage, picture as pictureOf, show, watchConsole, type WatchedConsole } from './browser.ts';

const FILES = {
  'README.md': '# Sample\n\nA small project.\n',
  'package.json': '{"name":"sample","scripts":{"test":"node --test"}}\n',
  'src/a.js': 'export const a = 1;\n',
};

/** Keeps the request for another run until `sendHeld` is called, and says when it was answered. */
const HOLDS_RETRY = `{
  const send = WebSocket.prototype.send;
  WebSocket.prototype.send = function (text) {
    if (!String(text).includes('runs.retry')) return send.call(this, text);
    WebSocket.prototype.send = send;
    globalThis.sendHeld = () => this.send(text);
    this.addEventListener('message', ({ data }) => {
      globalThis.isAnswered ||= JSON.parse(data).id === JSON.parse(text).id;
    });
  };
}`;

describe.skipIf(!HAS_BROWSER)('the console in a browser', () => {
  let place: ConsolePlace;
  let opened: WatchedConsole;
  let other: Hands;
  let watched: WatchedConsole['watched'];

  beforeAll(async () => {
    place = await consolePlace(FILES);
    opened = await watchConsole(place);
    ({ watched } = opened);
    other = await place.hands();
  }, 60_000);

  afterAll(async () => {
    await other?.[Symbol.asyncDispose]();
    await opened?.[Symbol.asyncDispose]();
  });

  const picture = (name: string): Promise<void> => pictureOf(watched.page, name);

  /** Fills in a tool's form and runs it. */
  const runTool = async (tool: string, fields: Readonly<Record<string, string>>, button = 'Run'): Promise<void> => {
    const { page } = watched;
    await show(page, 'tools');
    await show(page, `tools/${tool}`);
    for (const [name, value] of Object.entries(fields)) {
      const field = page.locator(`#field-${name}`);
      if (!(await field.isVisible())) await page.locator('.rare > summary').click();
      if ((await field.evaluate((element) => element.tagName)) === 'SELECT') await field.selectOption(value);
      else await field.fill(value);
    }
    await page.getByRole('button', { name: button, exact: true }).click();
  };

  it('takes the token out of the address, and opens no second browser with it', async () => {
    expect(new URL(watched.page.url()).hash).toBe('');
    const url = opened.served.createUrl();
    await using first = await openPage(opened.browser, url);
    await first.page.waitForSelector('.link-live');
    await using second = await openPage(opened.browser, url);
    await second.page.getByText('This browser is not signed in.').waitFor();
    await picture('signed-in');
  });

  it('shows calls of other processes as they happen, and one of them in full', async () => {
    const { page } = watched;
    await other.call('read_file', { path: 'README.md' }, { sessionId: 'elsewhere', stepId: 'step-02-read-metadata' });
    await other.call('edit_file', { path: 'README.md', edits: [{ old_text: 'small', new_text: 'tiny' }] }, { sessionId: 'elsewhere' });
    await other.call('read_file', { path: '../outside.txt' }, { sessionId: 'elsewhere' });
    await page.locator('.grid-row', { hasText: 'edit_file' }).waitFor();
    await page.locator('.grid-row', { hasText: 'denied' }).waitFor();
    await page.getByPlaceholder('Filter by tool').fill('edit');
    await expect.poll(() => page.locator('.grid-row').count()).toBe(1);
    await page.locator('.grid-row').focus();
    await page.keyboard.press('Enter');
    const panel = page.getByRole('complementary', { name: 'Call' });
    // The output names its lines, and the diff is beside it.
    await panel.getByText('-A small project.', { exact: true }).waitFor();
    await panel.getByText('+A tiny project.', { exact: true }).waitFor();
    await panel.getByText('write', { exact: true }).first().waitFor();
    await panel.getByText('changed, version').waitFor();
    await picture('call');
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Clear' }).click();
  });

  it('answers an approval by a key, and the call goes on', async () => {
    const { page } = watched;
    await runTool('write_file', { path: 'new.txt', content: 'from the page' });
    await page.getByRole('link', { name: 'answer it' }).click();
    const card = page.locator('.approval');
    await card.getByText('+ from the page').waitFor();
    await picture('approval');
    await expect.poll(() => page.evaluate('document.activeElement.className')).toBe('approval');
    await page.keyboard.press('y');
    await page.getByText('Nothing waits for you').waitFor();
    await expect.poll(() => readFile(join(place.project, 'new.txt'), 'utf8').catch(() => '')).toBe('from the page');
  });

  it('counts the open questions in the title of the tab, and notifies who looks elsewhere', async () => {
    const { page } = watched;
    await page.evaluate(`{
      globalThis.told = [];
      document.hasFocus = () => false;
      globalThis.Notification = class extends EventTarget {
        static permission = 'granted';
        constructor(title, options) { super(); told.push(title + ': ' + options.body); }
        close() { told.push('closed'); }
      };
    }`);
    // The title is set after the list is drawn: the question of the test before may still be counted.
    await expect.poll(() => page.title()).toBe('Synapse console · sample-project');
    const called = runTool('write_file', { path: 'told.txt', content: 'x' });
    await expect.poll(() => page.title()).toBe('(1) Synapse console · sample-project');
    expect(await page.locator('link[rel="icon"]').getAttribute('href')).toBe('/icon-asks.svg');
    await called;
    await page.getByRole('link', { name: 'answer it' }).click();
    await page.getByRole('button', { name: 'Deny' }).click();
    await expect.poll(() => page.title()).toBe('Synapse console · sample-project');
    expect(await page.evaluate('told')).toEqual(['Synapse waits for your answer: Write a file (write_file)', 'closed']);
    await page.evaluate('delete document.hasFocus');
  });

  it('takes a key that is held for no answer', async () => {
    const { page } = watched;
    await runTool('write_file', { path: 'held.txt', content: 'held' });
    await page.keyboard.down('y');
    await page.getByRole('link', { name: 'answer it' }).click();
    await expect.poll(() => page.evaluate('document.activeElement.className')).toBe('approval');
    await page.keyboard.down('y');
    await page.keyboard.up('y');
    await page.keyboard.press('n');
    await page.getByText('Denied.').waitFor();
    await expect(readFile(join(place.project, 'held.txt'))).rejects.toMatchObject({ code: 'ENOENT' });
  });

  it('answers for an MCP client that cannot ask its person', async () => {
    const { page } = watched;
    const client = new Client({ name: 'silent', version: '0' });
    const env = { ...getDefaultEnvironment(), XDG_STATE_HOME: dirname(place.stateFolder) };
    await client.connect(
      new StdioClientTransport({ command: process.execPath, args: [CLI, 'mcp', '--workspace', place.project], env, stderr: 'ignore' }),
    );
    try {
      const called = client.callTool({ name: 'write_file', arguments: { path: 'foreign.txt', content: 'from a client' } });
      await show(page, 'approvals');
      await page.locator('.approval', { hasText: 'synapse mcp' }).getByText('+ from a client').waitFor();
      await picture('foreign-approval');
      await page.getByRole('button', { name: 'Allow once' }).click();
      expect((await called).isError).toBeUndefined();
      expect(await readFile(join(place.project, 'foreign.txt'), 'utf8')).toBe('from a client');
      const run = client.callTool({ name: 'run_command', arguments: { command: 'echo made > made.txt' } });
      await page.locator('.approval').getByText('made.txt').first().waitFor();
      await picture('foreign-changes');
      await page.getByRole('button', { name: 'Allow these changes' }).click();
      expect((await run).isError).toBeUndefined();
      expect(await readFile(join(place.project, 'made.txt'), 'utf8')).toBe('made\n');
    } finally {
      await client.close();
    }
    await page.getByText('Nothing waits for you').waitFor();
  });

  it('opens, fills in and closes a tool by the keyboard alone', async () => {
    const { page } = watched;
    const focused = (): Promise<string> => page.evaluate<string>(`document.activeElement.getAttribute('aria-label') ?? document.activeElement.id`);
    await show(page, 'tools');
    await page.getByRole('link', { name: 'write_file' }).focus();
    await page.keyboard.press('Enter');
    await expect.poll(focused).toBe('Tool');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Tab');
    expect(await focused()).toBe('field-path');
    await page.keyboard.type('kept.txt');
    // What was typed is not lost.
    await page.keyboard.press('Escape');
    expect(await page.locator('#field-path').inputValue()).toBe('kept.txt');
    await page.getByRole('button', { name: 'Close' }).focus();
    await page.keyboard.press('Escape');
    await expect.poll(() => page.evaluate<string>('document.activeElement.textContent')).toContain('write_file');
  });

  it('shows a long content in full before it is allowed', async () => {
    const { page } = watched;
    await show(page, 'tools/write_file');
    await page.locator('#field-path').fill('long.txt');
    // Typed line by line, so many take the browser seconds.
    await page.evaluate(`{
      const field = document.getElementById('field-content');
      field.value = Array.from({ length: 2_100 }, (_, index) => index).join('\\n');
      field.dispatchEvent(new Event('input', { bubbles: true }));
    }`);
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await page.getByRole('link', { name: 'answer it' }).click();
    await page.getByRole('button', { name: 'Show 102 more lines' }).click();
    await page.getByText('+ 2099', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Deny' }).click();
    await page.getByText('Nothing waits for you').waitFor();
  });

  it('tells the model why it was denied', async () => {
    const { page } = watched;
    await runTool('write_file', { path: 'denied.txt', content: 'x' });
    await page.getByRole('link', { name: 'answer it' }).click();
    await page.getByPlaceholder('Reason, if you deny').fill('Use another name');
    await page.getByRole('button', { name: 'Deny' }).click();
    await page.getByText('Nothing waits for you').waitFor();
    await expect(readFile(join(place.project, 'denied.txt'))).rejects.toThrow('ENOENT');
  });

  it('saves exactly the rule that it showed', async () => {
    const { page } = watched;
    await runTool('write_file', { path: 'rule.txt', content: 'x' });
    await page.getByRole('link', { name: 'answer it' }).click();
    await page.getByText('Allow always …').click();
    const rule = await page.locator('.proposal code').first().textContent();
    await picture('always');
    await page.getByRole('button', { name: 'In this project' }).first().click();
    await page.getByText('Nothing waits for you').waitFor();
    await show(page, 'policy');
    await page.locator('.card-row', { hasText: rule ?? '' }).waitFor();
    await picture('policy');
    await page.getByRole('button', { name: 'Revoke' }).click();
    await page.getByRole('button', { name: 'Yes' }).click();
    await page.getByText('No approval is remembered.').waitFor();
  });

  it('tries a command on a copy before the answer, and makes exactly what was shown', async () => {
    const { page } = watched;
    await runTool('run_command', { command: 'git push; echo tried > tried.txt' });
    await page.getByRole('link', { name: 'answer it' }).click();
    const tryIt = page.getByRole('button', { name: 'Try it on a copy' });
    await page.locator('.approval').waitFor();
    if ((await tryIt.count()) > 0) {
      await tryIt.click();
      await page.getByText('Tried on a copy.').waitFor();
      await page.locator('.trial .diff-added', { hasText: 'tried' }).waitFor();
    }
    await picture('tried');
    await page.getByRole('button', { name: 'Deny' }).click();
    await page.getByText('Nothing waits for you').waitFor();
  });

  it('shows the result of a dry run at once, where it can be seen, and has the focus', async () => {
    const { page } = watched;
    await runTool('run_command', { command: 'echo dry > dry.txt' }, 'Dry run');
    const result = page.getByRole('region', { name: 'Result' });
    await result.waitFor();
    expect((await result.boundingBox())?.y).toBeLessThan(400);
    expect(await page.evaluate(`document.activeElement.getAttribute('aria-label')`)).toBe('Result');
    // What is rarely needed is folded, and what is on or off is a switch.
    expect(await page.locator('#field-live').isVisible()).toBe(false);
    await page.locator('.rare > summary').click();
    await page.locator('#field-live').check();
    expect(await page.getByRole('switch', { name: 'live' }).isChecked()).toBe(true);
    await picture('dry-run-command');
  });

  it('shows the effects of a dry run, and does nothing', async () => {
    const { page } = watched;
    await runTool('write_file', { path: 'dry.txt', content: 'would be here' }, 'Dry run');
    const result = page.getByRole('region', { name: 'Result' });
    await result.locator('.diff-added', { hasText: 'would be here' }).waitFor();
    await picture('dry-run');
    await expect(readFile(join(place.project, 'dry.txt'))).rejects.toThrow('ENOENT');
  });

  it('follows a job, types to it and stops it', async () => {
    const { page } = watched;
    await other.call('run_command', { command: 'echo ready; read line; echo "got $line"; sleep 600', background: true }, { sessionId: 'elsewhere' });
    await show(page, 'jobs');
    await page.locator('.card-row', { hasText: 'echo ready' }).click();
    const output = page.getByRole('log');
    await output.getByText('ready').waitFor();
    await page.getByPlaceholder('Type a line for its input').fill('hello there');
    await page.keyboard.press('Enter');
    await output.getByText('got hello there').waitFor();
    await picture('job');
    await page.getByRole('button', { name: 'Stop' }).click();
    await page.getByRole('button', { name: 'Yes' }).click();
    await page.locator('.panel .badge', { hasText: 'ended' }).waitFor();
  });

  it('runs a protocol, with its steps, its report and what that is based on', async () => {
    const { page } = watched;
    await show(page, 'runs');
    await picture('runs');
    await page.getByRole('button', { name: 'Start' }).click();
    await page
      .getByText(/Step 5\/5/u)
      .first()
      .waitFor();
    await page.locator('.panel .badge', { hasText: 'done' }).waitFor();
    await page
      .locator('.markdown h4', { hasText: 'Last Active Area' })
      .or(page.locator('.markdown', { hasText: 'Last Active Area' }))
      .first()
      .waitFor();
    await picture('report');
    await page.locator('.source', { hasText: 'README.md' }).first().click();
    await page.locator('.behind a', { hasText: 'read_file' }).first().waitFor();
    await page.locator('.behind .code', { hasText: 'A tiny project.' }).waitFor();
    await picture('attribution');
    await page.locator('.behind a', { hasText: 'read_file' }).first().click();
    await page.getByRole('complementary', { name: 'Call' }).getByText('A tiny project.').first().waitFor();
  });

  it('runs the other protocols without a model, too', async () => {
    const { page } = watched;
    for (const protocol of ['review-changes', 'explain-codebase']) {
      await show(page, 'runs');
      await page.getByLabel('What to do').selectOption(protocol);
      await page.getByRole('button', { name: 'Start' }).click();
      await page.locator('.panel .badge', { hasText: 'done' }).waitFor();
      await page.locator('.markdown', { hasText: 'Based On' }).waitFor();
      await page.getByRole('button', { name: 'Close' }).click();
    }
  });

  it('holds a run of a model, lets it go on, and runs it again', async () => {
    const { page } = watched;
    const asked = Promise.withResolvers<void>();
    const held = Promise.withResolvers<void>();
    await using model = await startChatServer(async (_, index) => {
      if (index === 0) {
        asked.resolve();
        await held.promise;
      }
      if (index % 2 === 1) return { kind: 'text', text: 'It is a small project.' };
      return { kind: 'calls', calls: [{ id: `read-${index}`, name: 'read_file', input: '{"path":"README.md"}' }] };
    });
    await show(page, 'runs');
    await page.getByLabel('What to do').selectOption({ label: 'A task of your own' });
    await page.getByLabel('Task', { exact: true }).fill('What is this?');
    await page.getByLabel('Model', { exact: true }).fill('scripted');
    await page.getByLabel('Server, where it is your own').fill(model.url);
    await page.getByRole('button', { name: 'Start' }).click();
    const panel = page.getByRole('complementary', { name: 'Run' });
    await asked.promise;
    await panel.getByRole('button', { name: 'Pause' }).click();
    await panel.locator('.badge', { hasText: 'paused' }).waitFor();
    held.resolve();
    // The model wants a call, and the call waits.
    await panel.getByText('1 call').waitFor();
    expect(model.requests).toHaveLength(1);
    await picture('held');
    await panel.getByRole('button', { name: 'Resume' }).click();
    await panel.locator('.badge', { hasText: 'done' }).waitFor();
    await panel.getByText('It is a small project.').waitFor();
    expect(JSON.stringify(model.requests[1])).toContain('A tiny project.');
    const first = await page.evaluate('location.hash');
    await panel.getByRole('button', { name: 'Retry' }).click();
    await expect.poll(() => model.requests.length).toBe(4);
    // The run before is done as well.
    await expect.poll(() => page.evaluate('location.hash')).not.toBe(first);
    await panel.locator('.badge', { hasText: 'done' }).waitFor();
    // A person who goes elsewhere before the answer comes stays there.
    await page.evaluate(HOLDS_RETRY);
    await panel.getByRole('button', { name: 'Retry' }).click();
    await show(page, 'tools');
    await page.evaluate('sendHeld()');
    await expect.poll(() => page.evaluate('globalThis.isAnswered')).toBe(true);
    expect(await page.evaluate('location.hash')).toBe('#/tools');
    await expect.poll(() => model.requests.length).toBe(6);
  });

  it('passes its three checks', async () => {
    const { page } = watched;
    await show(page, 'tools');
    for (const name of ['Real read', 'Whole protocol', 'Error handling']) await page.getByRole('button', { name }).click();
    await expect.poll(() => page.locator('.check-head .badge', { hasText: 'pass' }).count()).toBe(3);
    await picture('checks');
  });

  it('undoes what a session changed', async () => {
    const { page } = watched;
    await show(page, 'changes');
    await page.locator('.card-row', { hasText: 'elsewhere' }).click();
    await page.getByText('+A tiny project.').waitFor();
    await picture('changes');
    await page.getByRole('button', { name: 'Undo all' }).click();
    await page.getByRole('button', { name: 'Yes' }).click();
    await page.getByText('Nothing is left to undo').waitFor();
    expect(await readFile(join(place.project, 'README.md'), 'utf8')).toBe(FILES['README.md']);
  });

  it('did nothing that it must not', () => {
    expect(watched.misdeeds).toEqual([]);
  });
});
