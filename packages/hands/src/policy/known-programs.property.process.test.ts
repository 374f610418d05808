import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findBubblewrap } from '../sandbox/find-bubblewrap.ts';
import { decideCommand, testPolicy } from './fixtures/test-policy.ts';
import { findProgram, knownNames } from './program-table.ts';

/** Programs whose words are read one by one. */
const NAMES_WITH_WORDS = knownNames().filter((name) => findProgram(name)?.words !== undefined);

/** What the policy forbids, and how it would show. */
const SECRET = 'SENTINEL';
const policy = (folder: string) =>
  testPolicy(
    {
      mode: 'auto-edit',
      allow: [...NAMES_WITH_WORDS, 'find', 'dd', 'git', 'tar', 'zip']
        .filter((name) => /^[a-z]\w*$/u.test(name) && !['exit', 'curl', 'wget', 'git'].includes(name))
        .map((name) => `exec(${name} *)`)
        .concat(['exec(git diff *)', 'exec(git grep *)', 'exec(git log *)', 'exec(git status *)']),
      deny: ['read(.env)', 'read(secrets/**)', 'write(locked/**)'],
    },
    { roots: [folder] },
  );

const TEMPLATE = [
  'mkdir -p secrets locked sub empty',
  `echo "KEY=${SECRET}1" > .env; echo "KEY=${SECRET}2" > secrets/a; echo "KEY=${SECRET}3" > sub/.env; echo KEY=locked > locked/x; echo KEY=a > a; echo KEY=b > sub/b`,
  String.raw`printf '%s\n' '#!/bin/sh' 'touch pwned' > evil; chmod +x evil; printf 'r .env\nw locked/x\n' > p; echo .env > list`,
  String.raw`printf '%s\n' '--- locked/x' '+++ locked/x' '@@ -1 +1 @@' '-KEY=locked' '+KEY=changed' > x.diff`,
  'git init -q .; git add a sub/b; git -c user.name=a -c user.email=a@b commit -qm a',
].join('\n');

/** All that a folder holds, but what the secrets are in. */
function leaks(folder: string): string[] {
  const found: string[] = [];
  for (const entry of readdirSync(folder, { withFileTypes: true, recursive: true })) {
    const path = join(entry.parentPath, entry.name);
    const name = path.slice(folder.length + 1);
    if (!entry.isFile() || name === '.env' || name === 'sub/.env' || name.startsWith('secrets/') || name.startsWith('.git/')) continue;
    if (readFileSync(path, 'latin1').includes(SECRET)) found.push(name);
  }
  return found;
}

function run(folder: string, text: string): string {
  // A random command line may hit anything (`shred /dev/null`): nothing but its own folder can be hurt, and nothing of it outlives the run.
  const confined = ['--ro-bind', '/', '/', '--dev', '/dev', '--tmpfs', '/tmp', '--bind', folder, folder, '--unshare-all', '--die-with-parent'];
  const { stdout, stderr, error } = spawnSync(bubblewrap ?? '', [...confined, '/bin/sh', '-c', text], {
    cwd: folder,
    encoding: 'latin1',
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: 1_000,
    killSignal: 'SIGKILL',
    maxBuffer: 1 << 20,
    env: { PATH: '/usr/bin:/bin', HOME: '/nonexistent', GIT_CONFIG_NOSYSTEM: '1' },
  });
  // One that takes too long may have done something; one that was never started proves nothing.
  if (error !== undefined && !('code' in error && (error.code === 'ETIMEDOUT' || error.code === 'ENOBUFS'))) throw error;
  return `${stdout ?? ''}${stderr ?? ''}`;
}

const bubblewrap = (await findBubblewrap())?.program;
const template = mkdtempSync(join(tmpdir(), 'differential-template-'));
if (bubblewrap !== undefined) run(template, TEMPLATE);

/** Runs a command and tells what it did that no rule lets it do. */
function misdeeds(command: string): string[] {
  const folder = mkdtempSync(join(tmpdir(), 'differential-'));
  try {
    cpSync(template, folder, { recursive: true });
    const output = run(folder, command);
    const intact = existsSync(join(folder, 'locked/x')) && readFileSync(join(folder, 'locked/x'), 'utf8') === 'KEY=locked\n';
    return [
      ...(output.includes(SECRET) ? ['shows a secret'] : []),
      ...leaks(folder).map((name) => `copies a secret to ${name}`),
      ...(intact ? [] : ['changes locked/x']),
      ...(existsSync(join(folder, 'pwned')) ? ['runs a program of the workspace'] : []),
    ];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Options that a program knows, and what may be an abbreviation or a value of one. */
function optionsOf(name: string): fc.Arbitrary<string> {
  const program = findProgram(name)?.words;
  const flags = findProgram(name)?.flags;
  const long = [
    ...Object.keys(program?.options ?? {}),
    ...Object.keys(program?.switches ?? {}),
    ...(flags?.long ?? []),
    ...(flags?.optional ?? []),
    ...(flags?.valued ?? []),
  ];
  const odd = [
    '--no-index',
    '--untracked',
    '--no-exclude-standard',
    '--output=locked/x',
    '--ext-diff',
    '--textconv',
    '--exec=./evil',
    '--recurs',
    '--directories=recurse',
    '--pre=./evil',
    '--files0-from=list',
    '--to-command=./evil',
    '--use-compress-program=./evil',
    '-I./evil',
    '-TT',
    '-exec',
    '-fprintf',
    '-delete',
    '-rf',
    '-w',
    '-ps',
    '-d',
    'recurse',
    '-Olist',
  ];
  const known = fc.constantFrom(...long.filter((option) => option.startsWith('-')), ...odd);
  return fc.oneof(
    known,
    known.chain((option) =>
      fc.integer({ min: 4, max: Math.max(4, option.length) }).map((length) => (option.startsWith('--') ? option.slice(0, length) : option)),
    ),
    known.chain((option) =>
      fc
        .constantFrom('.env', 'a', 'locked/x', './evil', 'list', 'p')
        .map((value) => (option.startsWith('--') ? `${option}=${value}` : `${option}${value}`)),
    ),
    fc.stringMatching(/^-[a-zA-Z0-9]{1,3}$/u),
  );
}

const OPERANDS = fc.constantFrom(
  '.env',
  '.env',
  'secrets/a',
  'locked/x',
  'a',
  '.',
  'sub',
  'secrets',
  'secrets/a',
  'locked/x',
  'locked',
  'KEY',
  'p',
  'list',
  './evil',
  'empty',
  'new',
  'x.diff',
  '-',
  '--',
  'sub/.env',
  'sub/b',
  "''",
  "'s/KEY/x/'",
  "'$a'",
  "'$d'",
  '1',
  'x.tar',
  'cIf',
  "'.'",
  'HEAD',
);
const NAMES = NAMES_WITH_WORDS.filter(
  (name) => /^[a-z]\w*$/u.test(name) && !['curl', 'wget', 'exit', 'return', 'sleep', 'wait', 'break', 'continue', 'cd', 'pushd'].includes(name),
);

const command = fc
  .constantFrom(...NAMES, 'find', 'dd', 'tar', 'zip', 'git diff', 'git grep', 'git log')
  .chain((name) =>
    fc
      .tuple(
        fc.oneof(fc.constant([]), fc.array(optionsOf(name), { minLength: 1, maxLength: 2 })),
        fc.array(OPERANDS, { minLength: 1, maxLength: 3 }),
        fc.oneof({ weight: 4, arbitrary: fc.constant([]) }, { weight: 1, arbitrary: fc.tuple(optionsOf(name)) }),
        fc.constantFrom('', '', ' < a', ' < x.diff'),
      )
      .map(([before, operands, after, input]) => `${[name, ...before, ...operands, ...after].join(' ')}${input}`),
  );

describe.skipIf(bubblewrap === undefined)('an allowed command', () => {
  it('is known to be found out, were it allowed', () => {
    expect(misdeeds('cat .env')).toEqual(['shows a secret']);
    expect(misdeeds('cp sub/.env new')).toEqual(['copies a secret to new']);
    expect(misdeeds('echo x > locked/x')).toEqual(['changes locked/x']);
    expect(misdeeds('./evil')).toEqual(['runs a program of the workspace']);
  });

  it('would often do what is denied without the policy', { timeout: 120_000 }, () => {
    const bad = fc.sample(command, { numRuns: 100, seed: 1 }).filter((text) => misdeeds(text).length > 0);
    expect(bad.length).toBeGreaterThan(1);
  });

  it('does nothing that the policy denies, whatever the options', { timeout: 600_000 }, () => {
    fc.assert(
      fc.property(command, (text) => {
        if (decideCommand(policy('/ws'), text).verdict !== 'allow') return;
        expect(misdeeds(text), text).toEqual([]);
      }),
      { numRuns: Number(process.env['RUNS'] ?? 150) },
    );
  });
});
