import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { findBubblewrap } from '../../packages/hands/src/sandbox/find-bubblewrap.ts';

const run = promisify(execFile);
const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const CLI = join(ROOT, 'packages', 'cli', 'bin', 'synapse.js');
/** Their examples need a model or a relay; test/agent and test/e2e/remote.process.test.ts have these. */
const ELSEWHERE = new Set(['docs/agent.md', 'docs/remote.md']);
const FILES = ['README.md', ...readdirSync(join(ROOT, 'docs')).map((name) => `docs/${name}`)].filter(
  (file) => file.endsWith('.md') && !ELSEWHERE.has(file),
);

/** The examples of a document in a language; what cannot run as it stands is marked `text`. */
const examples = (file: string, language: string): string[] =>
  [...readFileSync(join(ROOT, file), 'utf8').matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, 'gmsu'))].map(([, code = '']) => code);

/** Branches need the same as a sandbox. */
const works = (await findBubblewrap()) !== undefined;
let base: string;
let workspace: string;
const environment = (): NodeJS.ProcessEnv => ({ ...process.env, XDG_STATE_HOME: join(base, 'state'), XDG_CONFIG_HOME: join(base, 'config') });

/** Each example is on the same file. */
const restore = (): void => writeFileSync(join(workspace, 'src', 'app.ts'), 'const port = 80;\nexport { port }; // TODO\n');

beforeAll(async () => {
  base = mkdtempSync(join(tmpdir(), 'synapse-docs-'));
  // The packages are found as in a project that installed them.
  symlinkSync(join(ROOT, 'node_modules'), join(base, 'node_modules'));
  workspace = join(base, 'project');
  mkdirSync(join(workspace, 'src'), { recursive: true });
  restore();
  writeFileSync(join(workspace, 'package.json'), '{ "name": "shop", "type": "module", "scripts": { "test": "node --test" } }\n');
  for (const words of [
    ['init', '-q', '-b', 'main'],
    ['add', '-A'],
    ['-c', 'user.name=T', '-c', 'user.email=t@example.com', 'commit', '-qm', 'start'],
  ])
    await run('git', words, { cwd: workspace });
  await run(process.execPath, [CLI, 'projects', 'add', workspace], { env: environment() });
});
beforeEach(restore);

describe.each(FILES.filter((file) => examples(file, 'ts').length > 0))('%s', (file) => {
  const cases = examples(file, 'ts').map((code, at) => [at + 1, code] as const);
  it.each(cases.filter(([, code]) => works || !code.includes('hands.branch(')))('has a library example %i that runs', async (at, code) => {
    const script = join(workspace, `example-${at}.ts`);
    writeFileSync(script, code);
    const { stdout } = await run(process.execPath, [script], { cwd: workspace, env: environment() });
    expect(stdout).not.toMatch(/^(?:false|denied|internal)/u);
  });
});

describe('docs/recipes.md', () => {
  const recipes = examples('docs/recipes.md', 'sh');

  it('has twenty of them', () => expect(recipes.length + examples('docs/recipes.md', 'ts').length).toBeGreaterThanOrEqual(20));

  it.each(recipes.map((code) => [code.split('\n', 1)[0] ?? '', code]))('%s', async (_, code) => {
    const script = `set -euo pipefail\nsynapse() { "${process.execPath}" "${CLI}" "$@"; }\n${code}`;
    const { stdout, stderr } = await run('bash', ['-c', script], { cwd: workspace, env: environment() });
    expect(`${stdout}${stderr}`).not.toBe('');
  });
});
