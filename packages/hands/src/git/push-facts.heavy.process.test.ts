import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { openRepository } from '../testing/asked-repository.ts';
import { patientTimeouts } from '../testing/patient-timeouts.ts';

type Opened = Awaited<ReturnType<typeof openRepository>>;
let at: Opened;
let remote: string;

/** `main` has two commits that the remote lacks, `old` two there and one here, `same` none, and `new` is not there. */
beforeAll(async () => {
  const patient = patientTimeouts();
  at = await openRepository();
  remote = join(at.outside, 'remote.git');
  const commit = (subject: string): string => at.git('commit', '-q', '--allow-empty', '-m', subject);
  at.git('branch', '-M', 'main');
  at.git('init', '-q', '--bare', remote);
  at.git('remote', 'add', 'origin', remote);
  at.git('branch', 'old');
  at.git('branch', 'same');
  at.git('checkout', '-q', '-b', 'theirs');
  commit('theirs 1');
  commit('theirs 2');
  at.git('push', '-q', 'origin', 'main', 'same', 'main:other', 'main:prod', 'theirs:old');
  at.git('checkout', '-q', 'old');
  commit('ours');
  at.git('checkout', '-q', 'main');
  at.git('branch', '-D', 'theirs');
  commit('second');
  commit('third');
  at.git('branch', 'new');
  at.git('tag', 'v1');
  at.git('tag', 'both');
  at.git('branch', 'both');
  return async () => {
    patient[Symbol.dispose]();
    await at[Symbol.asyncDispose]();
  };
});

const SETTINGS: Readonly<Record<string, readonly (readonly [name: string, value: string])[]>> = {
  usual: [['push.default', 'current']],
  'a refspec': [['remote.origin.push', 'refs/heads/main:refs/heads/prod']],
  'a pattern': [['remote.origin.push', '+refs/heads/*:refs/heads/x/*']],
  'another upstream': [
    ['push.default', 'upstream'],
    ['branch.main.remote', 'origin'],
    ['branch.main.merge', 'refs/heads/other'],
  ],
  'its own upstream': [
    ['push.default', 'upstream'],
    ['branch.main.remote', 'origin'],
    ['branch.main.merge', 'refs/heads/main'],
  ],
  simple: [
    ['branch.main.remote', 'origin'],
    ['branch.main.merge', 'refs/heads/other'],
  ],
  matching: [['push.default', 'matching']],
  mirror: [['remote.origin.mirror', 'yes']],
  tags: [
    ['push.default', 'current'],
    ['push.followTags', '1'],
  ],
};
/** Commands that settings give another meaning, and commands that are the same with all. */
const BY_SETTINGS = [
  '',
  'origin',
  'origin main',
  'origin HEAD',
  'origin old',
  '-f origin old',
  'origin new',
  'origin v1',
  'origin refs/heads/main',
  '--tags origin',
];
const OTHERS = [
  'origin +old',
  'origin same',
  'origin tag v1',
  'origin both',
  'origin heads/main',
  'origin main:other',
  'origin main~1:main',
  'origin main:heads/fresh',
  'origin main:HEAD',
  'origin refs/heads/main:refs/heads/prod',
  'origin :old',
  'origin -d old',
  '--all origin',
  '--mirror origin',
];

/** What git would do: the flag of each reference of the other side. */
function really(words: readonly string[]): ReadonlyMap<string, string> {
  const { stdout } = spawnSync('git', ['push', '--dry-run', '--porcelain', ...words], { cwd: at.folder, encoding: 'utf8' });
  const lines = stdout.split('\n').filter((line) => /^[ +\-*!=]\t/u.test(line));
  return new Map(lines.map((line) => [line.split('\t')[1]?.split(':').at(-1) ?? '', line.charAt(0)]));
}

/** What a sentence says of references of the other side, with the flags of git that it allows. */
const CLAIMS: readonly (readonly [pattern: RegExp, flags: string])[] = [
  [/creates (branch|tag) (\S+) on/gu, '*'],
  [/replaces (branch|tag) (\S+) of/gu, '+'],
  [/deletes ((?:branch|tag) )?(\S+) of/gu, '-'],
  [/pushes \d+ commits? to "[^"]*", (branch|tag) ([^\s:,]+)[^;]*; it is refused/gu, '!'],
  [/pushes \d+ commits? to "[^"]*", (branch|tag) ([^\s:,]+)(?!.*it is refused)/gu, ' '],
  [/pushes (branch|tag) (\S+)(?: from \S+)? to "[^"]*", which has/gu, '=!'],
  [/pushes (branch|tag) (\S+)(?: from \S+)? to "[^"]*"(?!, which has)/gu, ' +*=!'],
];

/** Phrases that claim nothing of one reference, with the references that they stand for. */
const SETS: readonly (readonly [phrase: RegExp, references: RegExp])[] = [
  [/pushes to "/u, /^refs\//u],
  [/, whose name there is not certain,/u, /^refs\//u],
  [/all branches and tags, and deletes there what is not here,/u, /^refs\//u],
  [/all branches (?:that are on both sides )?to "/u, /^refs\/heads\//u],
  [/all tags to "/u, /^refs\/tags\//u],
  [/annotated tags of these commits/u, /^refs\/tags\//u],
];

/** Compares what is said of a push with what git says. Returns the indexes of the claims and sets in it. */
function compared(said: string, real: ReadonlyMap<string, string>): { readonly claims: readonly number[]; readonly sets: readonly number[] } {
  const claimed = new Set<string>();
  const claims = CLAIMS.flatMap(([pattern, flags], index) =>
    Array.from(said.matchAll(pattern), ([, kind = '', short = '']) => {
      const target = `refs/${kind.trim() === 'tag' ? 'tags' : 'heads'}/${short}`;
      const flag = real.get(target);
      expect(flag, `${said}: ${target} of ${JSON.stringify([...real])}`).toBeDefined();
      expect(flags, `${said}: ${target} is ${flag}`).toContain(flag);
      claimed.add(target);
      return index;
    }),
  );
  const sets = SETS.flatMap(([phrase], index) => (phrase.test(said) ? [index] : []));
  const untold = [...real].filter(
    ([target, flag]) => flag !== '=' && !claimed.has(target) && !sets.some((index) => SETS[index]?.[1].test(target) === true),
  );
  expect(untold, `${said}: what git does beside it`).toEqual([]);
  return { claims, sets };
}

it.each(Object.keys(SETTINGS))('says of each push what git itself says: %s', async (name) => {
  const settings = SETTINGS[name] ?? [];
  const used = new Set<number>();
  for (const [key, value] of settings) at.git('config', key, value);
  try {
    for (const command of name === 'usual' ? [...BY_SETTINGS, ...OTHERS] : BY_SETTINGS) {
      const words = command.split(' ').filter((word) => word !== '');
      const real = really(words);
      const { accesses } = await at.hands.explain('run_command', { command: `git push ${command}` });
      const said = accesses.map(({ access }) => access).find((access) => access.includes(remote));
      expect(said, command).toBeDefined();
      // What git refuses as a whole changes nothing.
      if (real.size === 0) continue;
      const { claims, sets } = compared(said ?? '', real);
      // A sentence in other words would be compared with nothing.
      expect(claims.length + sets.length, `${command}: ${said}`).toBeGreaterThan(0);
      for (const index of claims) used.add(index);
    }
    if (name === 'usual') expect([...used].toSorted((one, other) => one - other)).toEqual([...CLAIMS.keys()]);
  } finally {
    for (const [key] of settings) at.git('config', '--unset-all', key);
  }
});

it.each([
  ['creates branch new on "/r" with 1 commit: "a"', [['refs/heads/new', ' ']]],
  ['creates branch new on "/r" with 1 commit: "a"', []],
  ['pushes 1 commit to "/r", branch old: "a"', [['refs/heads/old', '!']]],
  ['pushes 1 commit to "/r", branch old: "a"; it is refused because of 1 commit there that is not here: "b"', [['refs/heads/old', ' ']]],
  [
    'pushes tag v1 to "/r"',
    [
      ['refs/tags/v1', '*'],
      ['refs/heads/main', ' '],
    ],
  ],
  ['pushes all tags to "/r"', [['refs/heads/main', ' ']]],
] as const)('a wrong sentence is found: %s of %j', (said, real) => {
  expect(() => compared(said, new Map(real))).toThrow(/expected/u);
});

/** What makes what is remembered of the other side uncertain, with how to take it back. */
const HIDDEN: Readonly<Record<string, () => () => void>> = {
  'another address for pushes': () => {
    at.git('config', 'remote.origin.pushurl', join(at.outside, 'other.git'));
    return () => void at.git('config', '--unset', 'remote.origin.pushurl');
  },
  'another address for pushes, by a prefix': () => {
    at.git('config', `url.${join(at.outside, 'other')}.pushInsteadOf`, join(at.outside, 'remote'));
    return () => void at.git('config', '--remove-section', `url.${join(at.outside, 'other')}`);
  },
  'two addresses': () => {
    at.git('config', '--add', 'remote.origin.url', join(at.outside, 'other.git'));
    return () => void at.git('config', '--unset', 'remote.origin.url', 'other');
  },
  'branches that are not fetched': () => {
    at.git('config', '--add', 'remote.origin.fetch', '^refs/heads/main');
    return () => void at.git('config', '--unset', 'remote.origin.fetch', 'heads/main$');
  },
  'another remote that is remembered there': () => {
    at.git('config', 'remote.copy.fetch', '+refs/heads/*:refs/remotes/origin/*');
    return () => void at.git('config', '--remove-section', 'remote.copy');
  },
  'commits that stand for others': () => {
    at.git('replace', '-f', 'main', 'same');
    return () => void at.git('replace', '-d', 'main');
  },
  'commits with other parents': () => {
    mkdirSync(at.at('.git/info'), { recursive: true });
    writeFileSync(at.at('.git/info/grafts'), `${at.git('rev-parse', 'main').trim()}\n`);
    return () => rmSync(at.at('.git/info/grafts'));
  },
};

it.each(Object.keys(HIDDEN))('counts no commits where what is remembered may not be so: %s', async (name) => {
  at.git('init', '-q', '--bare', join(at.outside, 'other.git'));
  const restore = HIDDEN[name]?.();
  try {
    const { accesses } = await at.hands.explain('run_command', { command: 'git push origin main' });
    const said = accesses.map(({ access }) => access).find((access) => access.includes('.git"'));
    const { stdout } = spawnSync('git', ['push', '--dry-run', '--porcelain', 'origin', 'main'], { cwd: at.folder, encoding: 'utf8' });
    const places = [...stdout.matchAll(/^To (.*)$/gmu)].map(([, place]) => `"${place}"`);
    expect(said).toBe(`pushes branch main to ${places.join(' and ')}`);
  } finally {
    restore?.();
  }
});

it.each([
  ['a name that is not only that of a branch', 'origin side', ['branch', 'side'], ['update-ref', 'refs/side', 'main']],
  ['a new name that a tag has', 'origin main:v1', [], []],
  ['a new name that another reference has', 'origin main:odd', ['update-ref', 'refs/odd', 'main'], []],
  ['a new short name for a commit', 'origin main~1:fresh', [], []],
  ['a commit without a name there', 'origin main~1', [], []],
  ['a name with a mark of the other side', 'origin main:refs', [], []],
])('is not certain of %s', async (_, words, ...before) => {
  for (const given of before) if (given.length > 0) at.git(...given);
  const { accesses } = await at.hands.explain('run_command', { command: `git push ${words}` });
  const [, source = ''] = /(\S+?)(?::|$)/u.exec(words.split(' ')[1] ?? '') ?? [];
  const shown = /^[\w/]+$/u.test(source) ? source : JSON.stringify(source);
  expect(accesses.map(({ access }) => access)).toContain(`pushes ${shown}, whose name there is not certain, to "${remote}"`);
});

it.each([
  ['usual', 'origin main', 'pushes 2 commits to "REMOTE", branch main: "third", "second"'],
  ['a refspec', 'origin main', 'pushes main, whose name there is not certain, to "REMOTE"'],
  ['a refspec', '', 'pushes 2 commits to "REMOTE", branch prod from main: "third", "second"'],
  ['another upstream', 'origin main', 'pushes main, whose name there is not certain, to "REMOTE"'],
  ['another upstream', '', 'pushes 2 commits to "REMOTE", branch other from main: "third", "second"'],
  ['its own upstream', 'origin main', 'pushes 2 commits to "REMOTE", branch main: "third", "second"'],
  ['mirror', '', 'force-pushes all branches and tags, and deletes there what is not here, to "REMOTE"'],
])('%s, git push %s: %s', async (name, command, sentence) => {
  const settings = SETTINGS[name] ?? [];
  for (const [key, value] of settings) at.git('config', key, value);
  try {
    const { accesses } = await at.hands.explain('run_command', { command: `git push ${command}` });
    expect(accesses.map(({ access }) => access)).toContain(sentence.replace('REMOTE', remote));
  } finally {
    for (const [key] of settings) at.git('config', '--unset-all', key);
  }
});
