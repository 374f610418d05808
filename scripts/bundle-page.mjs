// Bundles the page of the console into a script, a style sheet and the document that loads them, with hashes in the
// names. Also copies the page for the command line, next to its files.
import { createHash } from 'node:crypto';
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { rolldown } from 'rolldown';
import { root } from './prepare.mjs';

const source = join(root, 'packages', 'console', 'src', 'page');
const target = join(root, 'packages', 'console', 'dist', 'bundle', 'page');
const copy = join(root, 'packages', 'cli', 'dist', 'program', 'page');

const hashOf = (text) => createHash('sha256').update(text).digest('base64url').slice(0, 8);

/** Returns the style sheet without comments and unneeded spaces. */
function smallStyle() {
  const folder = join(source, 'style');
  const files = readdirSync(folder).sort();
  return files
    .map((name) => readFileSync(join(folder, name), 'utf8'))
    .join('')
    .replaceAll(/\/\*.*?\*\//gsu, '')
    .replaceAll(/\s+/gu, ' ')
    .replaceAll(/ ?([{};,]) ?/gu, '$1');
}

async function script() {
  const bundle = await rolldown({
    input: join(source, 'main.tsx'),
    platform: 'browser',
    tsconfig: join(source, 'tsconfig.json'),
    transform: { target: 'es2024', define: { 'process.env.NODE_ENV': '"production"' } },
    onLog: (_level, log) => {
      throw new Error(`The page of the console: ${log.message}`);
    },
  });
  const { output } = await bundle.generate({ format: 'esm', minify: true, comments: false });
  await bundle.close();
  return output[0].code;
}

/** Builds the page. */
export async function bundlePage() {
  const [code, style] = [await script(), smallStyle()];
  const names = { SCRIPT: `main-${hashOf(code)}.js`, STYLE: `style-${hashOf(style)}.css` };
  const page = readFileSync(join(source, 'index.html'), 'utf8').replaceAll(/%(SCRIPT|STYLE)%/gu, (_, which) => names[which]);
  rmSync(target, { recursive: true, force: true });
  mkdirSync(target, { recursive: true });
  writeFileSync(join(target, names.SCRIPT), code);
  writeFileSync(join(target, names.STYLE), style);
  writeFileSync(join(target, 'index.html'), page);
  for (const icon of ['icon.svg', 'icon-asks.svg']) cpSync(join(source, icon), join(target, icon));
  rmSync(copy, { recursive: true, force: true });
  cpSync(target, copy, { recursive: true });
}
