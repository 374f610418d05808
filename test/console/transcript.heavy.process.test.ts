import { SessionStore } from '@synapse/brain';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { consolePlace, type ConsolePlace } from '../../packages/console/src/fixtures/console-place.ts';
import { startChatServer, type Scripted } from '../agent/scripted-chat.ts';
import { accessibilityProblems, HAS_BROWSER, overflow, picture, show, watchConsole, type WatchedConsole } from './browser.ts';

const MARKUP = '<img src=x onerror="alert(1)"><script>alert(2)</script>';

const calls = (name: string, input: unknown): Scripted => ({ kind: 'calls', calls: [{ id: 'call_0', name, input: JSON.stringify(input) }] });

describe.skipIf(!HAS_BROWSER)('a run in the console', () => {
  let place: ConsolePlace;
  let opened: WatchedConsole;

  beforeAll(async () => {
    place = await consolePlace({ 'README.md': '# Sample\n\nA small project.\n' });
    opened = await watchConsole(place);
  }, 60_000);

  afterAll(async () => opened?.[Symbol.asyncDispose]());

  const start = async (task: string, url: string): Promise<void> => {
    const { page } = opened.watched;
    await show(page, 'runs');
    await page.getByLabel('What to do').selectOption({ label: 'A task of your own' });
    await page.getByLabel('Task', { exact: true }).fill(task);
    await page.getByLabel('Model', { exact: true }).fill('scripted');
    await page.getByLabel('Server, where it is your own').fill(url);
    await page.getByText('Price').click();
    await page.getByLabel('Input, $ per million tokens').fill('10');
    await page.getByLabel('Output, $ per million tokens').fill('100');
    await page.getByRole('button', { name: 'Start' }).click();
  };

  it('is a transcript: text, calls with what they did, questions, cost; and a message reaches the model before its next turn', async () => {
    const { page, misdeeds } = opened.watched;
    const held = Promise.withResolvers<void>();
    await using model = await startChatServer(async (_, index) => {
      if (index === 0) return calls('read_file', { path: 'README.md' });
      if (index === 1) {
        await held.promise;
        return calls('edit_file', { path: 'README.md', edits: [{ old_text: 'small', new_text: 'tiny' }] });
      }
      if (index === 2) return { kind: 'text', text: `Done with **that**. ${MARKUP}` };
      return { kind: 'text', text: 'And that as well.' };
    });
    await start('Make it tiny', model.url);
    const panel = page.getByRole('complementary', { name: 'Run' });
    await panel.locator('.said-by-user', { hasText: 'Make it tiny' }).waitFor();
    const read = panel.locator('.called', { hasText: 'read_file' });
    await read.locator('.tone-good').waitFor();
    await panel.getByPlaceholder('Say something').fill('Tell me when it is done');
    await page.keyboard.press('Enter');
    await panel.getByText('waits for the next turn').waitFor();
    await picture(page, 'transcript-live');
    held.resolve();
    // The question is answered where it was asked.
    await panel.locator('.approval').getByRole('button', { name: 'Allow once' }).waitFor();
    await picture(page, 'transcript-question');
    await panel.locator('.approval').getByRole('button', { name: 'Allow once' }).click();
    await panel.locator('.badge', { hasText: 'done' }).waitFor();
    await expect.poll(() => model.requests.length).toBe(3);
    expect(JSON.stringify(model.requests[2])).toContain('Tell me when it is done');
    expect(JSON.stringify(model.requests[1])).not.toContain('Tell me when it is done');
    await expect.poll(() => panel.getByText('waits for the next turn').count()).toBe(0);
    await panel.getByText('330 tokens').waitFor();
    await panel.getByText('$0.0060').waitFor();
    await panel.locator('.called', { hasText: 'edit_file' }).locator('summary').first().click();
    await panel.getByText('+A tiny project.', { exact: true }).waitFor();
    await read.locator('summary').first().click();
    await read.getByText('A small project.').waitFor();
    await panel.locator('strong', { hasText: 'that' }).waitFor();
    await picture(page, 'transcript-done');
    // Call by call: when, how long, the answer, and the diff of what it changed.
    await panel.getByRole('tab', { name: 'Transcript' }).focus();
    await page.keyboard.press('ArrowRight');
    const timeline = panel.getByRole('region', { name: 'Timeline' });
    const timed = timeline.locator('.called');
    await expect.poll(() => timed.count()).toBe(2);
    expect(await timed.allInnerTexts()).toEqual([
      expect.stringMatching(/^ok\s+\d\d:\d\d:\d\d\s+read_file\s+README\.md\s+[\d.]+ m?s\s+read_file/u),
      expect.stringMatching(/^ok\s+\d\d:\d\d:\d\d\s+edit_file[^]* m?s\s+edit_file[^]*write README\.md/u),
    ]);
    await timeline.getByRole('button', { name: 'Show all diffs' }).click();
    await timeline.getByText('+A tiny project.', { exact: true }).waitFor();
    expect(await timeline.locator('.called[open]').count()).toBe(1);
    await picture(page, 'timeline');
    expect(await accessibilityProblems(page)).toEqual([]);
    await timeline.getByRole('button', { name: 'Fold the diffs' }).click();
    await expect.poll(() => timeline.locator('.called[open]').count()).toBe(0);
    await page.setViewportSize({ width: 380, height: 800 });
    await picture(page, 'timeline-380');
    expect(await overflow(page)).toEqual([]);
    await page.emulateMedia({ colorScheme: 'dark' });
    expect(await accessibilityProblems(page)).toEqual([]);
    await picture(page, 'timeline-380-dark');
    await page.emulateMedia({ colorScheme: 'light' });
    await page.setViewportSize({ width: 1280, height: 800 });
    await panel.getByRole('tab', { name: 'Transcript' }).click();
    await panel.locator('strong', { hasText: 'that' }).waitFor();
    expect(await panel.locator('.transcript :is(img, script)').count()).toBe(0);
    expect(await accessibilityProblems(page)).toEqual([]);
    // A message to a run that ended is its next task.
    await panel.getByPlaceholder('Say what to do next').fill('And now?');
    await panel.getByRole('button', { name: 'Send' }).click();
    await panel.getByText('And that as well.').waitFor();
    expect(JSON.stringify(model.requests[3])).toContain('And now?');
    expect(await readFile(join(place.project, 'README.md'), 'utf8')).toContain('tiny');
    expect(misdeeds).toEqual([]);
  });

  it('shows the sessions of other processes as they are written, long ones in parts', async () => {
    const { page, misdeeds } = opened.watched;
    using store = SessionStore.open(place.stateFolder);
    const session = store.create({ workspace: place.project, model: 'far/model', task: `From the terminal ${MARKUP}` });
    session.add({ role: 'user', content: [{ type: 'text', text: 'From the terminal' }] });
    await show(page, 'runs');
    await page.locator('.card-row', { hasText: 'From the terminal' }).click();
    const panel = page.getByRole('complementary', { name: 'Run' });
    await panel.getByText('Another process runs this').waitFor();
    session.add({ role: 'assistant', content: [{ type: 'text', text: `It is at work. ${MARKUP}` }] });
    await panel.getByText('It is at work.').waitFor();
    for (let index = 0; index < 5_000; index += 1) session.add({ role: 'assistant', content: [{ type: 'text', text: `line ${index}` }] });
    store.finish(session.id, 'done');
    await panel.getByText('line 4999', { exact: true }).waitFor();
    await panel.locator('.badge', { hasText: 'done' }).waitFor();
    expect(await panel.locator('.entry').count()).toBe(200);
    await panel.getByRole('button', { name: 'Show earlier entries' }).click();
    await panel.getByText('line 4799', { exact: true }).waitFor();
    expect(await panel.locator('.entry').count()).toBe(200);
    await panel.getByRole('button', { name: 'Back to the newest' }).click();
    await panel.getByText('line 4999', { exact: true }).waitFor();
    expect(misdeeds).toEqual([]);
  });
});
