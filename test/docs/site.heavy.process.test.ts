import { parseHTML } from 'linkedom';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Browser, Page as BrowserPage } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { accessibilityProblems, HAS_BROWSER, openBrowser, openPage, picture } from '../console/browser.ts';
import { withTitle } from '../../scripts/site/page-title.ts';
import { serveFolder } from './serve-folder.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const SITE = join(ROOT, 'scripts', 'site');

/** A page as a pull request may bring it. */
const HOSTILE = [
  '# Odd <img src=x onerror=alert(1)> </title><script>alert(2)</script> {{ 7 * 6 }}',
  '',
  '<script>alert(3)</script> {{ constructor.constructor("alert(4)")() }} zanzibar',
  '',
  '[link](javascript:alert(5))',
].join('\n');

/** Installs the builder of the site if necessary, and builds the site with a hostile page into a folder. */
function buildSite(base: string): string {
  const [copy, out] = [join(base, 'site'), join(base, 'out')];
  execFileSync(process.execPath, [join(SITE, 'build.mjs'), '--install'], { stdio: 'pipe' });
  cpSync(SITE, copy, { recursive: true, filter: (path) => !/[/\\](?:node_modules|\.pages|\.cache)$/u.test(path) });
  symlinkSync(join(SITE, 'node_modules'), join(copy, 'node_modules'));
  const pages = join(copy, '.pages');
  execFileSync(process.execPath, ['--conditions=synapse-source', join(SITE, 'assemble.ts'), pages], { stdio: 'pipe' });
  mkdirSync(join(pages, 'project'), { recursive: true });
  writeFileSync(join(pages, 'project', 'odd.md'), withTitle(HOSTILE));
  execFileSync(process.execPath, [join(SITE, 'node_modules', 'vitepress', 'bin', 'vitepress.js'), 'build', copy], {
    stdio: 'pipe',
    env: { ...process.env, SYNAPSE_SITE_OUT: out },
  });
  return out;
}

const filesOf = (folder: string): string[] => readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.html'));

/** Opens the search of a page. Keys do nothing until the page's script runs, so the key is pressed again. */
async function openSearch(page: BrowserPage): Promise<void> {
  const opened = async (): Promise<boolean> => {
    await page.keyboard.press('/');
    return page.getByRole('searchbox').isVisible();
  };
  await expect.poll(opened, { interval: 500 }).toBe(true);
}

type Page = ReturnType<typeof parseHTML>['document'];

/** Returns links of a page that lead to no page, or to no heading. */
function deadLinks(out: string, documents: ReadonlyMap<string, Page>, page: string): string[] {
  const links = [...(documents.get(page)?.querySelectorAll('a[href]') ?? [])].map((link) => link.getAttribute('href') ?? '');
  return links.filter((href) => {
    if (/^[a-z]+:/iu.test(href)) return false;
    const [path = '', anchor = ''] = href.split('#');
    const target =
      path === '' ? page : relative(out, join(out, path.startsWith('/') ? '' : dirname(page), path.endsWith('/') ? `${path}index.html` : path));
    const document = documents.get(target);
    return document === undefined || (anchor !== '' && document.getElementById(decodeURIComponent(anchor)) === null);
  });
}

describe.skipIf(!HAS_BROWSER)('the documentation site', () => {
  const base = mkdtempSync(join(tmpdir(), 'synapse-site-'));
  let out = '';
  let served: Awaited<ReturnType<typeof serveFolder>>;
  let browser: Browser;

  beforeAll(async () => {
    out = buildSite(base);
    served = await serveFolder(out);
    browser = await openBrowser();
  }, 300_000);

  afterAll(async () => {
    await browser.close();
    await served[Symbol.asyncDispose]();
  });

  it('has a page for each guide, client and entry, and no link that leads nowhere', () => {
    const files = filesOf(out);
    expect(files).toEqual(expect.arrayContaining(['index.html', 'tutorial.html', 'clients/codex.html', 'api/index.html', 'project/security.html']));
    const documents = new Map(files.map((file) => [file, parseHTML(readFileSync(join(out, file), 'utf8')).document]));
    const dead = files.filter((file) => file !== '404.html').flatMap((file) => deadLinks(out, documents, file).map((href) => `${file}: ${href}`));
    expect(dead).toEqual([]);
  });

  it.each([
    ['index.html', 'light', 1280],
    ['tutorial.html', 'dark', 1280],
    ['permissions.html', 'light', 360],
    ['commands.html', 'dark', 360],
    ['api/index.html', 'light', 1280],
  ] as const)('%s in %s at %d pixels: no error, no outside request, accessible, nothing sticks out', async (page, colorScheme, width) => {
    await using watched = await openPage(browser, `${served.url}/${page}`, { colorScheme, width, height: width === 360 ? 740 : 800 });
    await watched.page.waitForSelector('.VPContent');
    await picture(watched.page, `site-${page.replaceAll('/', '-')}-${colorScheme}-${width}`);
    expect(await watched.page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0);
    expect(await accessibilityProblems(watched.page)).toEqual([]);
    expect(watched.misdeeds).toEqual([]);
  });

  it('search finds a page, and opens it', async () => {
    await using watched = await openPage(browser, `${served.url}/tutorial.html`);
    await openSearch(watched.page);
    await watched.page.getByRole('searchbox').fill('quarantine');
    const hits = watched.page.locator('.VPLocalSearchBox .result');
    await hits.first().waitFor();
    expect((await hits.allInnerTexts()).join('\n')).toMatch(/Quarantine/u);
    await hits.first().click();
    await watched.page.waitForURL((url) => !url.pathname.endsWith('/tutorial.html'));
    expect(watched.misdeeds).toEqual([]);
  });

  it('a page with a hostile title and hostile text runs nothing, on the page, in the sidebar and in the search', async () => {
    await using watched = await openPage(browser, `${served.url}/project/odd.html`);
    await watched.page.waitForSelector('.VPSidebar');
    await openSearch(watched.page);
    await watched.page.getByRole('searchbox').fill('zanzibar');
    await watched.page.locator('.VPLocalSearchBox .result').first().waitFor();
    expect(await watched.page.locator('.VPLocalSearchBox img').count()).toBe(0);
    expect(await watched.page.locator('.VPSidebar img').count()).toBe(0);
    expect(watched.misdeeds).toEqual([]);
    // The control: it is all there, as text.
    expect(await watched.page.locator('.vp-doc').innerText()).toContain('<script>alert(3)</script> {{ constructor');
  });
});
