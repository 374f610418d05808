// `npm run docs:site`: builds the documentation site into docs/.site.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pinnedNode, prepare, root, run } from '../prepare.mjs';

const site = join(root, 'scripts', 'site');
const stamp = join(site, 'node_modules', '.installed');

/** Installs VitePress beside the site, where nobody else has to download it. */
function install() {
  const wanted = createHash('sha256')
    .update(readFileSync(join(site, 'package-lock.json')))
    .digest('hex');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return 0;
  // Not `npm ci`: it refuses where a registry lacks what only other platforms need.
  const code = run('npm', ['install', '--prefix', site, '--no-save', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error']);
  if (code === 0) {
    mkdirSync(join(site, 'node_modules'), { recursive: true });
    writeFileSync(stamp, wanted);
  }
  return code;
}

/** Builds the site. Returns the exit code. */
function build() {
  const pages = join(site, '.pages');
  const steps = [
    () => install(),
    () => run(pinnedNode(), ['--conditions=synapse-source', join(site, 'assemble.ts'), pages]),
    () => run(pinnedNode(), [join(site, 'node_modules', 'vitepress', 'bin', 'vitepress.js'), 'build', site]),
  ];
  rmSync(join(root, 'docs', '.site'), { recursive: true, force: true });
  for (const step of steps) {
    const code = step();
    if (code !== 0) return code;
  }
  process.stderr.write('The site is in docs/.site.\n');
  return 0;
}

// With --install, only what builds the site is installed.
await prepare({ build: false });
process.exitCode = process.argv.includes('--install') ? install() : build();
