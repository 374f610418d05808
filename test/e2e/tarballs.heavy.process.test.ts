import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const LICENSE = readFileSync(join(ROOT, 'LICENSE'), 'utf8');

interface Tarball {
  readonly name: string;
  readonly filename: string;
  readonly files: ReadonlyArray<{ readonly path: string }>;
}

let folder: string;
let tarballs: Tarball[];

const npm = (words: string[], cwd: string): string =>
  execFileSync('npm', words, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, npm_config_offline: 'true' } });

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'synapse-packed-'));
  tarballs = JSON.parse(npm(['pack', '--workspaces', '--json', '--ignore-scripts', '--pack-destination', folder], ROOT)) as Tarball[];
}, 120_000);

it('is one tarball a package', () => {
  const packages = readdirSync(join(ROOT, 'packages'));
  expect(tarballs).toHaveLength(packages.length);
});

it('each has its README, the whole license, notices of what is bundled, and no test code', () => {
  for (const { name, files } of tarballs) {
    const paths = files.map(({ path }) => path);
    expect({ name, paths }).toEqual({ name, paths: expect.arrayContaining(['LICENSE', 'README.md', 'package.json']) as string[] });
    expect(paths.filter((path) => /(?:^|\/)testing\/|\.test[.-]|\/fixtures\//u.test(path))).toEqual([]);
    // Code once: the command line has its program, and no second bundle.
    expect(paths.filter((path) => /^dist\/(?:bundle|program)$/u.test(path.split('/').slice(0, 2).join('/'))).length).toBeGreaterThan(0);
  }
});

describe('each package', () => {
  it.each(readdirSync(join(ROOT, 'packages')))('%s has the license of the project and says how it is published', (name) => {
    const place = join(ROOT, 'packages', name);
    expect(readFileSync(join(place, 'LICENSE'), 'utf8')).toBe(LICENSE);
    expect(LICENSE).toContain('END OF TERMS AND CONDITIONS');
    expect(JSON.parse(readFileSync(join(place, 'package.json'), 'utf8'))).toMatchObject({
      license: 'Apache-2.0',
      publishConfig: { access: 'public' },
    });
  });
});

it('a tarball with a notice file has something in it', () => {
  for (const name of ['hands/dist/bundle', 'cli/dist/program']) {
    expect(readFileSync(join(ROOT, 'packages', name, 'LICENSES.txt'), 'utf8').length).toBeGreaterThan(1_000);
  }
});

it('the release workflow publishes each of them, after those it depends on', () => {
  const workflow = readFileSync(join(ROOT, '.github', 'workflows', 'release.yml'), 'utf8');
  const steps = [...workflow.matchAll(/run: \|\n(?<script>(?: {10}.*\n)+)/gu)].map(({ groups }) => groups?.['script'] ?? '');
  const { version } = JSON.parse(readFileSync(join(ROOT, 'packages', 'cli', 'package.json'), 'utf8')) as { readonly version: string };
  const dry = 'npm() { command npm "$@" --dry-run --offline --json; }';
  const [check = '', publish = ''] = [steps.find((step) => step.includes('$GITHUB_REF_NAME"')), steps.find((step) => step.includes('npm publish'))];
  const run = (step: string, cwd: string, tag: string): string =>
    execFileSync('bash', ['-euo', 'pipefail', '-c', `${dry}\n${step}`], {
      cwd,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, GITHUB_REF_NAME: tag },
    });
  run(check, ROOT, `v${version}`);
  expect(() => run(check, ROOT, 'v99.0.0')).toThrow('Command failed');

  symlinkSync('.', join(folder, 'artifacts'));
  const published = [...run(publish, folder, `v${version}`).matchAll(/^ {2,4}"name": "(?<name>[^"]+)"/gmu)].map(
    ({ groups }) => groups?.['name'] ?? '',
  );
  expect(published.toSorted()).toEqual(tarballs.map(({ name }) => name).toSorted());
  for (const [at, name] of published.entries()) {
    const place = join(ROOT, 'packages', name === 'synapse' ? 'cli' : name.replace('@synapse/', ''));
    const { dependencies = {} } = JSON.parse(readFileSync(join(place, 'package.json'), 'utf8')) as { dependencies?: Record<string, string> };
    expect(published.slice(at).filter((later) => Object.hasOwn(dependencies, later))).toEqual([]);
  }
});

it('the command runs from its tarball alone', () => {
  const cli = tarballs.find(({ name }) => name === 'synapse');
  const place = mkdtempSync(join(tmpdir(), 'synapse-unpacked-'));
  try {
    execFileSync('tar', ['xf', join(folder, cli?.filename ?? ''), '-C', place]);
    writeFileSync(join(place, 'package.json'), '{}');
    const out = execFileSync(process.execPath, [join(place, 'package', 'bin', 'synapse.js'), '--help'], { encoding: 'utf8' });
    expect(out).toContain('Usage: synapse');
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
});
