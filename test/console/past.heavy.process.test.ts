import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { consolePlace, type ConsolePlace } from '../../packages/console/src/fixtures/console-place.ts';
import { accessibilityProblems, HAS_BROWSER, openPage, overflow, picture, show, watchConsole, type WatchedConsole } from './browser.ts';

const MARKUP = '<img src=x onerror="alert(1)"><script>alert(2)</script>';
const SESSION = 'refactor-login';

describe.skipIf(!HAS_BROWSER)('the workspace over time in the console', () => {
  let place: ConsolePlace;
  let opened: WatchedConsole;

  beforeAll(async () => {
    place = await consolePlace({ 'README.md': '# Sample\n', 'src/login.js': 'export const login = (name) => name;\n', 'src/util/x.js': 'let x;\n' });
    opened = await watchConsole(place);
    await using hands = await place.hands();
    const call = async (tool: string, input: object): Promise<void> => {
      const { ok } = await hands.call<string>(tool, input, { sessionId: SESSION });
      if (!ok) throw new Error(tool);
    };
    await call('edit_file', { path: 'src/login.js', edits: [{ old_text: '=> name', new_text: '=> name.trim()' }] });
    await call('write_file', { path: `${MARKUP.slice(0, 24)}.md`.replaceAll('/', ''), content: MARKUP });
    await call('move_path', { from: 'src/util', to: 'lib' });
    await writeFile(join(place.project, 'README.md'), '# By a person\n');
    await call('read_file', { path: 'README.md' });
  }, 90_000);

  afterAll(async () => opened?.[Symbol.asyncDispose]());

  it('shows the files and the differences at each call of a session, with the keyboard alone', async () => {
    const { page, misdeeds } = opened.watched;
    await show(page, `changes/${SESSION}`);
    const history = page.locator('.section').filter({ has: page.getByRole('heading', { name: 'The workspace over time' }) });
    const slider = history.getByRole('slider', { name: 'Moment' });
    await slider.focus();
    await page.keyboard.press('Home');
    await history.getByText('Before the first call').waitFor();
    await history.getByRole('tab', { name: 'This call' }).focus();
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('ArrowRight');
    const names = history.locator('.past-files li');
    await expect.poll(() => names.allInnerTexts()).toEqual(['src/', 'README.md 14 B as it is now']);
    await history.getByRole('button', { name: 'src/' }).press('Enter');
    await history.getByRole('button', { name: 'login.js' }).press('Enter');
    await history.getByText('export const login = (name) => name;', { exact: true }).waitFor();
    await slider.press('ArrowRight');
    await history.getByText('export const login = (name) => name.trim();', { exact: true }).waitFor();
    await history.getByText(/^After edit_file at/u).waitFor();
    await picture(page, 'past-file');
    await slider.press('ArrowRight');
    await history.getByRole('tab', { name: 'This call' }).click();
    await history.getByText(`+${MARKUP}`, { exact: true }).waitFor();
    await slider.press('End');
    await history.getByText(/^After read_file at/u).waitFor();
    await history.getByText('It changed no files.').waitFor();
    await slider.press('Home');
    await history.getByRole('tab', { name: 'Until now' }).click();
    await expect
      .poll(() => history.locator('.change-head').allInnerTexts())
      .toEqual([
        expect.stringMatching(/^created\s+<img/iu),
        expect.stringMatching(/^moved\s+src\/util → lib/iu),
        expect.stringMatching(/^changed\s+src\/login\.js/iu),
      ]);
    await picture(page, 'past-until-now', true);
    expect(await accessibilityProblems(page)).toEqual([]);
    expect(misdeeds).toEqual([]);
  });

  it('shows who wrote each line of a file', async () => {
    const { page, misdeeds } = opened.watched;
    await show(page, `changes/${SESSION}`);
    await page.getByRole('link', { name: 'Who wrote the lines of src/login.js' }).first().click();
    await page.getByRole('heading', { name: 'src/login.js' }).waitFor();
    const rows = page.locator('.file-lines tbody tr');
    await expect
      .poll(() => rows.allInnerTexts())
      .toEqual([expect.stringMatching(/^1\s+edit_file\s+export const login = \(name\) => name\.trim\(\);$/u)]);
    await picture(page, 'past-lines');
    expect(await accessibilityProblems(page)).toEqual([]);
    await show(page, 'changes/file:README.md');
    await expect.poll(() => rows.allInnerTexts()).toEqual([expect.stringMatching(/^1\s+before Synapse\s+# By a person$/u)]);
    await show(page, 'changes/file:..%2Foutside');
    await page.getByRole('alert').waitFor();
    // The refused one.
    expect(misdeeds).toEqual([]);
  });

  it.each([360, 1280])('fits into %i pixels', async (width) => {
    await using watched = await openPage(opened.browser, opened.served.createUrl(), { width, colorScheme: 'dark' });
    await watched.page.waitForSelector('.link-live');
    await show(watched.page, `changes/${SESSION}`);
    await watched.page.getByRole('slider', { name: 'Moment' }).waitFor();
    expect(await overflow(watched.page)).toEqual([]);
    await picture(watched.page, `past-${width}`, true);
  });
});
