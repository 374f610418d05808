import { spawnSync } from 'node:child_process';
import { expect, it } from 'vitest';

const PROGRESS = new URL('../../scripts/progress.mjs', import.meta.url).href;

/** Runs a piece of a script with what `progress.mjs` exports as `it`; gives what it printed. */
function said(script: string): string {
  const { stdout, stderr } = spawnSync(
    process.execPath,
    ['--input-type=module', '--eval', `import * as it from ${JSON.stringify(PROGRESS)};\n${script}`],
    {
      encoding: 'utf8',
    },
  );
  return stdout + stderr;
}

const LOG = [
  'npm http fetch GET 200 https://registry.example/a 3ms (cache miss)',
  'npm http fetch GET 200 https://registry.example/a/-/a-1.0.0.tgz 40ms (cache miss)',
  'npm warn deprecated a@1.0.0: old',
  'npm http fetch GET 200 https://registry.example/b/-/b-1.0.0.tgz 40ms (cache miss)',
  'npm error code EINTEGRITY',
  '',
].join('\n');

const CONSOLE = 'say: (text) => process.stdout.write(text)';

it('counts the downloads on one line of a terminal, and shows errors', () => {
  const script = `const log = it.downloads(2, { terminal: true, ${CONSOLE} }); for (const piece of ${JSON.stringify([LOG.slice(0, 90), LOG.slice(90)])}) log.write(piece); log.end();`;
  expect(said(script)).toBe('\rDownloading 1 of 2 …\rDownloading 2 of 2 …\nnpm error code EINTEGRITY\n');
});

it('writes a line now and then where there is no terminal', () => {
  const script = `let at = 0; const log = it.downloads(2, { terminal: false, ${CONSOLE}, now: () => (at += 3000) }); log.write(${JSON.stringify(LOG)}); log.end();`;
  expect(said(script)).toBe('Downloading 2 of 2 …\nnpm error code EINTEGRITY\n');
});

it.each([
  [['Downloading', 'Compiling'], 'Downloading (step 1 of 2) …\nCompiling (step 2 of 2) …\n'],
  [['Compiling'], 'Compiling …\n'],
])('names the steps %j', (names, text) => {
  expect(
    said(`const next = it.steps(${JSON.stringify(names)}, (text) => process.stdout.write(text)); for (const _ of ${JSON.stringify(names)}) next();`),
  ).toBe(text);
});

it('counts the packages that this machine gets', () => {
  const lock = {
    packages: {
      '': {},
      'packages/cli': {},
      'node_modules/a': { integrity: 'sha512-a' },
      'node_modules/b': { integrity: 'sha512-b', os: 'darwin' },
      'node_modules/c': { integrity: 'sha512-c', os: ['!win32'], cpu: ['x64'] },
      'node_modules/cli': { resolved: 'packages/cli', link: true },
    },
  };
  expect(said(`console.log(it.packageCount(${JSON.stringify(lock)}, { platform: 'linux', arch: 'x64' }))`)).toBe('2\n');
});
