import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Hands } from '@synapse/hands';
import { Projects } from '@synapse/hands/internal';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { consolePlace, type ConsolePlace } from '../../packages/console/src/fixtures/console-place.ts';
import { accessibilityProblems, HAS_BROWSER, picture, show, watchConsole, type WatchedConsole } from './browser.ts';

const MARKUP = '<img src=x onerror="alert(1)">';
const CONFIG = `{\n  // ${MARKUP}\n  "permissions": {\n    "allow": ["exec(make test)"]\n  }\n}\n`;

describe.skipIf(!HAS_BROWSER)('settings in the console', () => {
  let place: ConsolePlace;
  let opened: WatchedConsole;
  let other: Hands;

  beforeAll(async () => {
    place = await consolePlace({ 'README.md': '# Sample\n', '.synapse/config.jsonc': CONFIG });
    opened = await watchConsole(place);
    other = await place.hands();
  }, 60_000);

  afterAll(async () => {
    await other?.[Symbol.asyncDispose]();
    await opened?.[Symbol.asyncDispose]();
  });

  const configuration = (): Promise<string> => readFile(join(place.project, '.synapse/config.jsonc'), 'utf8');
  const isTrusted = (): boolean => {
    using projects = Projects.open(place.stateFolder);
    return projects.get(place.project)?.trusted === true;
  };

  it('shows the rules of a project before it is trusted, and trusts only what was shown', async () => {
    const { page, misdeeds } = opened.watched;
    await show(page, 'projects');
    await page.getByRole('button', { name: 'Trust sample-project' }).click();
    await page.locator('.trust-box .code', { hasText: 'exec(make test)' }).waitFor();
    await picture(page, 'trust');
    expect(await accessibilityProblems(page)).toEqual([]);
    await writeFile(join(place.project, '.synapse/config.jsonc'), CONFIG.replace('make test', 'curl evil.example'));
    await page.getByRole('button', { name: 'Trust it' }).click();
    await page.locator('.trust-box').getByText('The project changed meanwhile.').waitFor();
    expect(isTrusted()).toBe(false);
    await page.getByRole('button', { name: 'Cancel' }).click();
    await writeFile(join(place.project, '.synapse/config.jsonc'), CONFIG);
    await page.getByRole('button', { name: 'Trust sample-project' }).click();
    await page.getByRole('button', { name: 'Trust it' }).click();
    await page.getByRole('button', { name: 'Distrust' }).waitFor();
    expect(isTrusted()).toBe(true);
    expect(misdeeds).toEqual([]);
  });

  it('shows the difference of the configuration, and writes it after a yes', async () => {
    const { page, misdeeds } = opened.watched;
    await show(page, 'policy');
    await page.getByLabel('What it covers').fill('exec(npm test');
    await page.getByRole('button', { name: 'Show the change' }).click();
    await page.getByText('Invalid rule').first().waitFor();
    await page.getByLabel('What it covers').fill('exec(npm test)');
    await page.getByLabel('Mode of this project').selectOption('auto-edit');
    await page.getByRole('button', { name: 'Show the change' }).click();
    await page.locator('.diff-added', { hasText: '"mode": "auto-edit"' }).waitFor();
    await picture(page, 'settings');
    expect(await configuration()).toBe(CONFIG);
    await page.getByRole('button', { name: 'Write it' }).click();
    await page.getByText('Written.').first().waitFor();
    const written = await configuration();
    expect(written).toContain(MARKUP);
    expect(written).toContain('"exec(npm test)"');
    await using later = await place.hands({ allow: [] });
    expect(later.policy().mode).toBe('auto-edit');
    expect(misdeeds).toEqual([]);
  });

  it('removes a rule of the project after its difference was shown', async () => {
    const { page, misdeeds } = opened.watched;
    await show(page, 'policy');
    await page.getByRole('button', { name: 'Remove exec(npm test)' }).click();
    await page.getByRole('button', { name: 'Keep exec(npm test)' }).click();
    await page.getByRole('button', { name: 'Remove exec(npm test)' }).click();
    await page.getByRole('button', { name: 'Show the change' }).click();
    await page.locator('.diff-removed', { hasText: 'exec(npm test)' }).waitFor();
    await picture(page, 'remove-rule');
    expect(await accessibilityProblems(page)).toEqual([]);
    expect(await configuration()).toContain('exec(npm test)');
    await page.getByRole('button', { name: 'Write it' }).click();
    await expect.poll(configuration).not.toContain('exec(npm test)');
    expect(await configuration()).toContain('exec(make test)');
    expect(misdeeds).toEqual([]);
  });

  it('finds calls, changed files and tools with one key', async () => {
    const { page } = opened.watched;
    await other.call('edit_file', { path: 'README.md', edits: [{ old_text: 'Sample', new_text: 'Found' }] }, { sessionId: 'elsewhere' });
    await show(page, 'calls');
    await page.locator('.grid-row', { hasText: 'edit_file' }).waitFor();
    await page.locator('main').focus();
    await page.keyboard.press('s');
    await page.keyboard.type('README');
    await page.locator('.hit', { hasText: 'edit_file' }).waitFor();
    await picture(page, 'search');
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.keyboard.press('Enter');
    await expect.poll(() => page.evaluate('location.hash')).toBe('#/changes/elsewhere');
    // A session without a task is named by what it changed.
    await page.getByRole('heading', { name: 'README.md' }).waitFor();
  });

  it('explains what the policy says to a call', async () => {
    const { page, misdeeds } = opened.watched;
    await show(page, 'policy');
    await page.getByPlaceholder('git push origin main').fill('rm -rf /');
    await page.getByRole('button', { name: 'Explain' }).click();
    await page.getByText('Decided by').waitFor();
    await picture(page, 'explain');
    expect(misdeeds).toEqual([]);
  });
});
