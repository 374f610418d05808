import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { findBubblewrap } from '../../packages/hands/src/sandbox/find-bubblewrap.ts';
import { git } from '../../packages/hands/src/testing/git-repository.ts';
import { recordSession, repositoryPlace, run, write, type Step } from './record-session.ts';
import { makePlace, runCli, type Place } from './run-cli.ts';

/** Milliseconds that a busy machine may take. */
const MAX_MS = 180_000;

const works = (await findBubblewrap()) !== undefined;

/** A small project. The order of the names is that of the times of their last change, so that it is not the alphabetical one. */
const PROJECT: Record<string, string> = {
  'src/cookie.js':
    "export const parse = (text) => {\n  const [name, value] = text.split('=');\n  return { [name]: value.replaceAll('\"', '') };\n};\n",
  'README.md': '# Cookies\n\nParses cookies.\n',
  'src/names.js': 'export const isName = (text) => /^[a-z]+$/i.test(text);\n',
  'package.json': `${JSON.stringify({ name: 'cookies', version: '1.2.3', type: 'module', scripts: { test: 'node --test' } }, undefined, 2)}\n`,
  'src/cookie.test.js':
    "import test from 'node:test';\nimport assert from 'node:assert';\nimport { parse } from './cookie.js';\ntest('parses', () => assert.deepEqual(parse('a=b'), { a: 'b' }));\n",
  'src/age.js': 'export const age = (seconds) => `Max-Age=${seconds}`;\n',
};

const REPRO =
  "import test from 'node:test';\nimport assert from 'node:assert';\nimport { parse } from './cookie.js';\ntest('keeps a lone quote', () => assert.equal(parse('a=\"').a, '\"'));\n";

/** The day of a model that fixes a bug: reads, searches, edits, tests, commits. */
const DAY: readonly Step[] = [
  ['git_status', {}],
  ['git_log', { limit: 5 }],
  ['list_directory', {}],
  ['read_file', { path: 'README.md' }],
  ['read_file', { path: 'package.json', limit: 60 }],
  ['find_files', { glob: '*.js' }],
  ['find_files', { glob: '**/*' }],
  ['search_text', { pattern: 'parse', path: 'src' }],
  ['read_file', { path: 'src/cookie.js' }],
  ['git_blame', { path: 'src/cookie.js' }],
  run('ls -la src'),
  run("grep -rn 'parse' src | head -5"),
  run("sed -n '1,3p' src/cookie.js"),
  run('git log --oneline -5 && git diff --stat'),
  run('node --version'),
  run('node --test src/cookie.test.js'),
  write('src/repro.test.js', REPRO),
  run('node --test src/repro.test.js'),
  ['edit_file', { path: 'src/cookie.js', edits: [{ old_text: `value.replaceAll('"', '')`, new_text: `value.replace(/^"(.*)"$/, '$1')` }] }],
  run('node --test src/repro.test.js'),
  ['find_files', { glob: '*.js' }],
  ['git_diff', {}],
  ['apply_patch', { patch: '*** Begin Patch\n*** Update File: README.md\n@@\n-Parses cookies.\n+Parses cookies. Quotes are kept.\n*** End Patch\n' }],
  ['move_path', { from: 'src/repro.test.js', to: 'src/quote.test.js' }],
  run("sed -i 's/keeps a lone quote/accepts a lone quote/' src/quote.test.js && cat src/quote.test.js"),
  run('npm test'),
  run(`node -e "console.log(JSON.parse(require('fs').readFileSync('package.json')).version)"`),
  run('cp src/names.js src/words.js && ls src'),
  ['search_text', { pattern: 'lone' }],
  run('date +%s%N'),
  run('node -p "Math.random()"'),
  run('mktemp -u'),
  run('exit 3'),
  run('git checkout -qb fix/quote'),
  run('git add -A && git commit -qm "fix: a lone quote is kept" && git log -1 --stat'),
  ['git_show', { revision: 'HEAD', stat: true }],
  ['delete_file', { path: 'src/age.js' }],
  ['find_files', { glob: '*' }],
  ['git_status', {}],
  run('git checkout -q src/age.js && ls src'),
  ['read_file', { path: 'src/quote.test.js' }],
];

interface Replayed {
  readonly tool: string;
  readonly summary: string;
  readonly state: string;
  readonly reasons: readonly string[];
  readonly recorded?: string;
  readonly again?: string;
}

/** Tools whose answer follows from files alone; those of git name commits, which are others in each run. */
const OF_FILES = /^(?:read_file|write_file|edit_file|apply_patch|list_directory|find_files|search_text|move_path|delete_file)$/u;

/** What is taken for an explanation: another exit code, other files and unknown reasons are none. */
const TRUE_REASONS: ReadonlySet<string> = new Set(['time', 'random', 'disk']);

/** Replays the day. Returns the calls that may not differ, and do: both answers, and the reason that is given. */
async function replay(place: Place, id: string): Promise<{ readonly calls: number; readonly wrong: string[] }> {
  const { out } = await runCli(place, ['replay', id, '--json', '--yes']);
  const { replayed } = JSON.parse(out) as { replayed: Replayed[] };
  const wrong = replayed.filter(
    ({ state, tool, reasons }) => state !== 'same' && (OF_FILES.test(tool) || !reasons.every((reason) => TRUE_REASONS.has(reason))),
  );
  return {
    calls: replayed.length,
    wrong: wrong.map(({ summary, reasons, recorded, again }) => `${summary} (${reasons.join(', ')})\n  ${recorded}\n  ${again}`),
  };
}

async function projectPlace(): Promise<Place> {
  const place = await repositoryPlace({ '.gitignore': 'dist/\n' });
  mkdirSync(join(place.folder, 'src'));
  for (const [name, text] of Object.entries(PROJECT)) writeFileSync(join(place.folder, name), text);
  git(place.folder, 'add', '-A');
  git(place.folder, 'commit', '-qm', 'second');
  for (const [index, name] of Object.keys(PROJECT).entries()) {
    const time = 1_700_000_000 - index * 3_600.5;
    utimesSync(join(place.folder, name), time, time);
  }
  return place;
}

/** Another home, with a clone. */
async function otherMachine({ folder }: Place): Promise<Place> {
  const other = await makePlace();
  rmSync(other.folder, { recursive: true });
  execFileSync('git', ['clone', '-q', folder, other.folder]);
  chmodSync(other.folder, 0o700);
  git(other.folder, 'remote', 'remove', 'origin');
  git(other.folder, 'config', 'user.name', 'Ada');
  git(other.folder, 'config', 'user.email', 'ada@example.com');
  return other;
}

describe.skipIf(!works)('a recorded day', () => {
  let place: Place;
  let other: Place;
  let id: string;
  beforeAll(async () => {
    place = await projectPlace();
    other = await otherMachine(place);
    id = await recordSession(place, DAY);
  }, MAX_MS);

  it('is the same again: file calls always, and commands but for times and random values', { timeout: MAX_MS }, async () => {
    expect(await replay(place, id)).toEqual({ calls: DAY.length, wrong: [] });
  });

  it('is the same on another machine', { timeout: MAX_MS }, async () => {
    const file = join(place.environment['XDG_STATE_HOME'] ?? '', 'day.jsonl');
    writeFileSync(file, (await runCli(place, ['sessions', 'export', id])).out);
    expect((await runCli(other, ['sessions', 'import', file])).out).toBe(`${id}\n`);
    expect(await replay(other, id)).toEqual({ calls: DAY.length, wrong: [] });
  });
});
