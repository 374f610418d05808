import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitepress';

const pages = fileURLToPath(new URL('../.pages', import.meta.url));

/** Returns the title of a page, which the sidebar inserts as HTML: `assemble.ts` leaves nothing in it that HTML reads. */
const titleOf = (page) => JSON.parse(/^title: (".*")$/mu.exec(readFileSync(`${pages}/${page}.md`, 'utf8'))?.[1] ?? '""');
const item = (page) => ({ text: titleOf(page), link: `/${page}` });
const folder = (name) =>
  readdirSync(`${pages}/${name}`)
    .map((file) => `${name}/${file.replace(/\.md$/u, '')}`)
    .map(item);
const group = (text, ...names) => ({ text, items: names.map(item) });

/** Names of headings in links, as on GitHub, where the same documents are read. */
const slugify = (heading) =>
  heading
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(/\s/gu, '-');

export default defineConfig({
  srcDir: '.pages',
  outDir: process.env.SYNAPSE_SITE_OUT ?? '../../docs/.site',
  cacheDir: '.cache',
  lang: 'en-US',
  title: 'Synapse',
  description: 'Safe, fast hands for AI agents.',
  // A dead link fails the build.
  ignoreDeadLinks: false,
  // Documents may come from pull requests: their HTML is text.
  markdown: {
    html: false,
    // Nor is `{{ … }}` an expression that runs in the reader's browser.
    config: (md) => {
      md.renderer.rules.text = (tokens, index) => md.utils.escapeHtml(tokens[index].content).replaceAll('{{', '&#123;&#123;');
    },
    anchor: { slugify },
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
  },
  // The home page has no main landmark of its own.
  transformHtml: (code, _id, { page }) => (page === 'index.md' ? code.replace('id="VPContent"', 'id="VPContent" role="main"') : code),
  head: [['link', { rel: 'icon', href: 'data:,' }]],
  themeConfig: {
    search: { provider: 'local' },
    outline: { level: [2, 3] },
    nav: [
      { text: 'Tutorial', link: '/tutorial' },
      { text: 'Guides', link: '/permissions' },
      { text: 'Reference', link: '/commands' },
    ],
    sidebar: [
      group('Start', 'tutorial', 'quickstart-mcp', 'how-it-works', 'troubleshooting', 'glossary'),
      { text: 'Clients', items: folder('clients') },
      group('Guides', 'permissions', 'sandbox-and-undo', 'library', 'recipes', 'dialects', 'mcp-client', 'agent', 'acp', 'console', 'remote'),
      group('Reference', 'commands', 'tools', 'configuration', 'guarantees', 'comparison', 'architecture', 'how-a-command-runs'),
      { text: 'API', items: folder('api') },
      { text: 'Project', items: folder('project') },
    ],
  },
});
