// Writes the pages of the documentation site into a folder: guides, documents of the repository, and pages made from tables and types.
// `npm run docs:site` runs it: node --conditions=synapse-source scripts/site/assemble.ts FOLDER
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { apiMarkdown, readApi } from './api-markdown.ts';
import { clientPages } from './clients-markdown.ts';
import { rewriteLinks } from './page-links.ts';
import { withTitle } from './page-title.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** Documents beside the guides, with their places on the site. */
const DOCUMENTS = new Map([
  ['SECURITY.md', 'project/security.md'],
  ['CONTRIBUTING.md', 'project/contributing.md'],
  ['CHANGELOG.md', 'project/changelog.md'],
  ['RELEASING.md', 'project/releasing.md'],
]);

/** Entries of packages that have a page, with their sources. */
const ENTRIES = ['index', 'tools', 'providers', 'dialects', 'policy', 'mcp', 'testing'] as const;

/** Returns the pages by their paths on the site. */
function sitePages(): ReadonlyMap<string, string> {
  const guides = readdirSync(join(ROOT, 'docs')).filter((name) => name.endsWith('.md'));
  const places = new Map([...guides.map((name) => [`docs/${name}`, name] as const), ...DOCUMENTS]);
  const written = [...places].map(([file, page]) => [page, rewriteLinks(readFileSync(join(ROOT, file), 'utf8'), file, places)] as const);
  const reference = ENTRIES.map((entry) => {
    const specifier = entry === 'index' ? '@synapse/hands' : `@synapse/hands/${entry}`;
    return [`api/${entry}.md`, apiMarkdown(specifier, readApi(join(ROOT, 'packages', 'hands', 'src', `${entry}.ts`)))] as const;
  });
  return new Map([...written, ...clientPages(), ...reference]);
}

function assemble(folder: string): void {
  rmSync(folder, { recursive: true, force: true });
  for (const [page, text] of sitePages()) {
    mkdirSync(dirname(join(folder, page)), { recursive: true });
    writeFileSync(join(folder, page), withTitle(text));
  }
  cpSync(join(ROOT, 'docs', 'images'), join(folder, 'images'), { recursive: true });
  cpSync(join(ROOT, 'docs', 'session.svg'), join(folder, 'public', 'session.svg'));
  cpSync(join(ROOT, 'scripts', 'site', 'home.md'), join(folder, 'index.md'));
}

const [, , target] = process.argv;
if (import.meta.main && target !== undefined) assemble(target);
