import { readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { consolePlace, type ConsolePlace } from '../../packages/console/src/fixtures/console-place.ts';
import { findBubblewrap } from '../../packages/hands/src/sandbox/find-bubblewrap.ts';
import { outcome, runCliProcess, startCli, type Place } from '../e2e/run-cli.ts';
import { accessibilityProblems, HAS_BROWSER, openPage, overflow, picture, show, watchConsole, type WatchedConsole } from './browser.ts';

const MARKUP = '<img src=x onerror="alert(1)"><script>alert(2)</script>';
const NAME = '<img src=x onerror=alert(1)>\u202egnp.txt';

const LOSES_FIRST_LOOK = `{
  const send = WebSocket.prototype.send;
  WebSocket.prototype.send = function (text) {
    if (!String(text).includes('branches.conflict')) return send.call(this, text);
    WebSocket.prototype.send = send;
  };
}`;

const works = HAS_BROWSER && (await findBubblewrap()) !== undefined;

describe.skipIf(!works)('branches in the console', () => {
  let place: ConsolePlace;
  let opened: WatchedConsole;
  let terminal: Place;

  const run = async (...words: string[]): Promise<void> => {
    const { code, err } = await runCliProcess(terminal, words);
    if (code !== 0) throw new Error(err);
  };
  const call = async (branch: string, tool: string, input: unknown): Promise<void> =>
    await run('call', tool, JSON.stringify(input), '--branch', branch, '--yes');

  beforeAll(async () => {
    place = await consolePlace({ 'README.md': '# Sample\n', 'src/login.js': 'export const login = (name) => name;\n', 'src/other.js': 'let a;\n' });
    const { PATH, HOME, NODE_COMPILE_CACHE } = process.env;
    terminal = {
      folder: place.project,
      environment: { PATH, HOME, NODE_COMPILE_CACHE, XDG_STATE_HOME: dirname(place.stateFolder), XDG_CONFIG_HOME: join(place.project, '../config') },
    };
    opened = await watchConsole(place);
    await using hands = await place.hands();
    for (const name of ['fix-login', 'rewrite-login']) await hands.createBranch(name);
    await call('fix-login', 'edit_file', { path: 'src/login.js', edits: [{ old_text: '=> name', new_text: '=> name.trim()' }] });
    await call('fix-login', 'write_file', { path: 'README.md', content: `# Sample\n\n${MARKUP}\n` });
    // A tool does not make such a name; a program does.
    const program = 'mkdir new && echo text > "new/$1"';
    await run('branch', 'run', 'fix-login', '--', 'sh', '-c', program, 'sh', NAME);
    await call('rewrite-login', 'write_file', { path: 'src/login.js', content: 'export function login(name) {\n  return name.trim();\n}\n' });
    await call('rewrite-login', 'write_file', { path: 'src/other.js', content: 'let b;\n' });
    await run('call', 'run_command', JSON.stringify({ command: 'test -f src/other.js' }), '--branch', 'rewrite-login', '--yes');
  }, 90_000);

  afterAll(async () => opened?.[Symbol.asyncDispose]());

  it('shows who works in each, and what one changed against another, with the keyboard alone', async () => {
    const { page, misdeeds } = opened.watched;
    const working = startCli(terminal, ['branch', 'run', 'rewrite-login', '--', 'cat']);
    const ended = outcome(working);
    await show(page, 'branches');
    const cards = page.locator('.branch-card');
    await cards.filter({ hasText: 'rewrite-login' }).getByText('in use').waitFor();
    expect(await cards.allInnerTexts()).toEqual([
      expect.stringMatching(/^fix-login\s+3 changes · made [^]*2 calls · write_file/u),
      expect.stringMatching(/^rewrite-login\s+IN USE\s+2 changes · made [^]*3 calls · run_command[^]*ok\s+test -f src\/other\.js/iu),
    ]);
    await picture(page, 'branches');
    await cards.last().focus();
    await page.keyboard.press('Enter');
    const panel = page.getByRole('complementary', { name: 'Branch' });
    await panel.getByText('+let b;', { exact: true }).waitFor();
    await panel.getByText('can be neither applied nor deleted').waitFor();
    expect(await panel.getByRole('button', { name: 'Apply all changes' }).isDisabled()).toBe(true);
    // The page notices by itself when its user is gone.
    working.stdin?.end();
    await ended;
    await expect.poll(() => panel.getByRole('button', { name: 'Apply all changes' }).isDisabled()).toBe(false);
    await panel.getByLabel('Compared with').selectOption('fix-login');
    await panel.getByText('− is fix-login, + is rewrite-login.').waitFor();
    await panel.getByText('-export const login = (name) => name.trim();', { exact: true }).waitFor();
    await panel.getByText('+  return name.trim();', { exact: true }).waitFor();
    await picture(page, 'branches-compared');
    await panel.getByRole('tab', { name: 'Changes' }).focus();
    await page.keyboard.press('ArrowRight');
    const timed = panel.getByRole('region', { name: 'Timeline' }).locator('.called');
    await expect.poll(() => timed.count()).toBe(3);
    await expect.poll(() => timed.nth(1).innerText()).toMatch(/^ok\s+\d\d:\d\d:\d\d\s+write_file\s+src\/other\.js[^]* m?s[^]*write src\/other\.js$/u);
    await picture(page, 'branches-timeline');
    await page.keyboard.press('Escape');
    await panel.waitFor({ state: 'detached' });
    expect(misdeeds).toEqual([]);
  });

  it.each([
    ['light', 1280],
    ['dark', 1280],
    ['light', 380],
    ['dark', 380],
  ] as const)('is accessible in %s at %i pixels, and shows hostile names and diffs as text', async (colorScheme, width) => {
    await using watched = await openPage(opened.browser, opened.served.createUrl(), { colorScheme, width });
    const { page, misdeeds } = watched;
    await page.waitForSelector('.link-live');
    const problems: string[] = [];
    const look = async (name: string): Promise<void> => {
      problems.push(...(await accessibilityProblems(page)).map((problem) => `${name}: ${problem}`));
      problems.push(...(await overflow(page)).map((problem) => `${name}: sticks out: ${problem}`));
      await picture(page, `${colorScheme}-${width}-${name}`);
    };
    await show(page, 'branches');
    await page.locator('.branch-card').first().waitFor();
    await look('branches');
    await show(page, 'branches/fix-login');
    const panel = page.getByRole('complementary', { name: 'Branch' });
    await panel.getByText(`+${MARKUP}`, { exact: true }).waitFor();
    await panel.getByText('<img src=x onerror=alert(1)>').first().waitFor();
    expect(await panel.locator('img, script').count()).toBe(0);
    // Also above a long content.
    await page.setViewportSize({ width, height: 400 });
    expect((await panel.getByRole('tablist').boundingBox())?.height).toBeGreaterThan(24);
    await page.setViewportSize({ width, height: 800 });
    await look('branch');
    await panel.getByRole('button', { name: 'Delete the branch' }).click();
    await look('branch-question');
    expect(problems).toEqual([]);
    expect(misdeeds).toEqual([]);
  });

  it('applies chosen files, names a conflict with both versions, and deletes a branch after a question', async () => {
    const { page, misdeeds } = opened.watched;
    await show(page, 'branches/fix-login');
    const panel = page.getByRole('complementary', { name: 'Branch' });
    await panel.getByText(`+${MARKUP}`, { exact: true }).waitFor();
    await panel.getByLabel('Apply README.md').uncheck();
    expect(await panel.getByRole('button', { name: 'Apply 2 of 3' }).isEnabled()).toBe(true);
    await writeFile(join(place.project, 'src/login.js'), 'export const login = null;\n');
    // The first look at the versions is lost, as one that meets the branch while it is applied.
    await page.evaluate(LOSES_FIRST_LOOK);
    await panel.getByRole('button', { name: 'Look again' }).click();
    await panel.getByRole('heading', { name: '1 conflict' }).waitFor();
    await panel.getByRole('button', { name: 'Apply 1 of 2' }).click();
    await panel.getByRole('button', { name: 'Yes' }).click();
    await panel.getByText('1 change applied.').first().waitFor();
    const conflict = panel.locator('.section', { hasText: '1 conflict' });
    await conflict.getByText('src/login.js, changed in the branch and changed in the workspace.').waitFor();
    const version = (name: string): Promise<string> => conflict.getByRole('region', { name: `${name} of src/login.js, place 1` }).innerText();
    await conflict.getByText('both changed it').waitFor();
    expect([await version('Before'), await version('Branch'), await version('Workspace')]).toEqual([
      ' export const login = (name) => name;',
      '+export const login = (name) => name.trim();',
      '+export const login = null;',
    ]);
    expect(await accessibilityProblems(page)).toEqual([]);
    await picture(page, 'branches-conflict');
    expect(await readFile(join(place.project, 'new', NAME), 'utf8')).toBe('text\n');
    expect(await readFile(join(place.project, 'README.md'), 'utf8')).toBe('# Sample\n');
    expect(await readFile(join(place.project, 'src/login.js'), 'utf8')).toBe('export const login = null;\n');
    await conflict.getByRole('button', { name: 'Take the whole version of the branch' }).click();
    await conflict.waitFor({ state: 'detached' });
    await panel.getByRole('button', { name: 'Apply 1 of 2' }).click();
    await panel.getByRole('button', { name: 'Yes' }).click();
    await expect.poll(() => readFile(join(place.project, 'src/login.js'), 'utf8')).toBe('export const login = (name) => name.trim();\n');
    await panel.getByRole('button', { name: 'Apply 0 of 1' }).waitFor();
    await panel.getByRole('link', { name: 'Undo' }).click();
    await page.getByText('Undo restores').first().waitFor();

    await show(page, 'branches/fix-login');
    await panel.getByRole('button', { name: 'Delete the branch' }).click();
    await panel.getByText('and what was changed in it, for good?').waitFor();
    await panel.getByRole('button', { name: 'No' }).click();
    await panel.getByRole('button', { name: 'Delete the branch' }).click();
    await panel.getByRole('button', { name: 'Yes' }).click();
    await panel.waitFor({ state: 'detached' });
    await expect.poll(() => page.locator('.branch-card').count()).toBe(1);
    expect(misdeeds).toEqual([]);
  });

  it('applies chosen hunks of a file, after which the branch shows the others', async () => {
    const { page, misdeeds } = opened.watched;
    const lines = Array.from({ length: 30 }, (_, index) => `const value${index} = ${index};\n`);
    const now = (...at: readonly number[]): string =>
      lines.map((text, index) => (at.includes(index) ? `const value${index} = 'new';\n` : text)).join('');
    const long = join(place.project, 'src/long.js');
    await writeFile(long, lines.join(''));
    {
      await using hands = await place.hands();
      await hands.createBranch('tidy');
    }
    await call('tidy', 'run_command', { command: 'echo npm test' });
    await expect(call('rewrite-login', 'run_command', { command: 'false npm test' })).rejects.toThrow('exit code 1');
    await call('tidy', 'write_file', { path: 'src/long.js', content: now(2, 15, 27) });
    await call('tidy', 'write_file', { path: 'README.md', content: '# Tidy\n' });
    await show(page, 'branches/tidy');
    const panel = page.getByRole('complementary', { name: 'Branch' });
    const box = (name: string) => panel.getByRole('checkbox', { name, exact: true });
    await box('Apply hunk 3 of src/long.js').waitFor();
    const cards = page.locator('.branch-card');
    await cards.filter({ hasText: /tests green\s+echo npm test\s+changed since/iu }).waitFor();
    await cards.filter({ hasText: /tests red\s+false npm test/iu }).waitFor();
    // By the keyboard alone.
    await box('Apply hunk 2 of src/long.js').focus();
    await page.keyboard.press('Space');
    await panel.getByRole('button', { name: 'Apply 2 of 2, 1 in part' }).waitFor();
    expect([await box('Apply src/long.js').isChecked(), await panel.locator('input:indeterminate').count()]).toEqual([false, 1]);
    await box('Apply src/long.js').check();
    await panel.getByRole('button', { name: 'Apply all changes' }).waitFor();
    await box('Apply hunk 2 of src/long.js').uncheck();
    await box('Apply README.md').uncheck();
    expect(await accessibilityProblems(page)).toEqual([]);
    await picture(page, 'branches-hunks');
    await panel.getByRole('button', { name: 'Apply 1 of 2, 1 in part' }).click();
    await panel.getByRole('button', { name: 'Yes' }).click();
    await panel.getByText('1 change applied. 2 other changes stay in the branch.').waitFor();
    expect(await readFile(long, 'utf8')).toBe(now(2, 27));
    await panel.getByText('-const value15 = 15;', { exact: true }).waitFor();
    await panel.getByText('-const value2 = 2;', { exact: true }).waitFor({ state: 'detached' });
    await picture(page, 'branches-hunks-after');
    await box('Apply README.md').check();
    await panel.getByRole('button', { name: 'Apply all changes' }).click();
    await panel.getByRole('button', { name: 'Yes' }).click();
    await expect.poll(() => readFile(long, 'utf8')).toBe(now(2, 15, 27));
    await panel.getByText('Nothing differs').waitFor();
    expect(misdeeds).toEqual([]);
  });

  it('merges what both sides changed, with the side chosen at each place', async () => {
    const { page, misdeeds } = opened.watched;
    const text = (changes: Readonly<Record<number, string>>): string =>
      Array.from({ length: 30 }, (_, index) => changes[index] ?? `let value${index};\n`).join('');
    const file = join(place.project, 'src/both.js');
    await writeFile(file, text({}));
    {
      await using hands = await place.hands();
      await hands.createBranch('both');
    }
    await call('both', 'write_file', { path: 'src/both.js', content: text({ 3: 'branch 3\n', 12: 'branch 12\n', 20: 'branch 20\n' }) });
    await writeFile(file, text({ 3: 'person 3\n', 20: 'person 20\n', 26: 'person 26\n' }));
    await show(page, 'branches/both');
    const conflict = page.getByRole('complementary', { name: 'Branch' }).locator('.section', { hasText: '1 conflict' });
    const at = (place: number, side: string) =>
      conflict.getByRole('group', { name: `Take at place ${place} of src/both.js` }).getByRole('button', { name: side });
    const merge = conflict.getByRole('button', { name: 'Merge both sides' });
    await at(1, 'Both').click();
    expect([await merge.isDisabled(), await at(1, 'Both').getAttribute('aria-pressed'), await at(2, 'Branch').count()]).toEqual([true, 'true', 0]);
    await at(3, 'Branch').focus();
    await page.keyboard.press('Enter');
    await conflict.getByText('Takes what each side changed alone').waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    await picture(page, 'branches-places');
    await merge.click();
    await conflict.waitFor({ state: 'detached' });
    const panel = page.getByRole('complementary', { name: 'Branch' });
    await panel.getByRole('button', { name: 'Apply all changes' }).click();
    await panel.getByRole('button', { name: 'Yes' }).click();
    await expect
      .poll(() => readFile(file, 'utf8'))
      .toBe(text({ 3: 'person 3\nbranch 3\n', 12: 'branch 12\n', 20: 'branch 20\n', 26: 'person 26\n' }));
    expect(misdeeds).toEqual([]);
  });
});
