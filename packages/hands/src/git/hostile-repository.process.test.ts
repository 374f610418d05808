import { execFileSync } from 'node:child_process';
import { appendFileSync, chmodSync, cpSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, afterAll, describe, expect, it } from 'vitest';
import { settlesWithin } from '../events/timing.ts';
import { defineTool } from '../tool/tool.ts';
import { gitStatus } from '../tools/git-status.ts';
import { git, initRepository, tryGit, write } from '../testing/git-repository.ts';
import { temporaryHands, type TemporaryHands } from '../testing/temporary-hands.ts';

// Every place known where a repository can name a program. Each leaves a file with its name when it runs.
let temporary: TemporaryHands;
let markers: string;

const FILES = [
  'a.clean',
  'b.process',
  'c.equals',
  'd.quote',
  'e.bytes',
  'f.command',
  'g.textconv',
  'h.included',
  'i.conditional',
  'j.worktree',
  'plain.txt',
  'z.process',
];

const fired = (): string[] => readdirSync(markers).toSorted();
const mark = (name: string): string => `touch ${markers}/${name}`;

let changes = 100;

/** Each time something else of the same size, so that git has to look into the file. */
function change(folder: string): void {
  changes += 1;
  write(folder, Object.fromEntries([...FILES, 'sub/x.sub'].map((name) => [name, `${changes}\n`])));
}

function hostileConfig(folder: string): void {
  const lines = [
    '[core]\n\trepositoryformatversion = 1\n\tfilemode = true\n\tbare = false',
    `\tfsmonitor = "${mark('fsmonitor')}; false #"`,
    `\tsshCommand = "${mark('ssh')}; false #"\n\taskPass = "${mark('askpass')}"\n\tpager = "${mark('pager')}; cat"\n\teditor = "${mark('editor')}"`,
    `\tgitProxy = "${mark('proxy')}"\n\talternateRefsCommand = "${mark('alternate-refs')} #"`,
    `[extensions]\n\tpartialClone = origin\n\tworktreeConfig = true`,
    `[remote "origin"]\n\turl = ssh://host.invalid/x\n\tpromisor = true\n\tuploadpack = "${mark('uploadpack')} #"`,
    '[remote "origin"]\n\tfetch = +refs/heads/*:refs/remotes/origin/*',
    `[credential]\n\thelper = "!${mark('credential')}"`,
    `[gpg]\n\tprogram = ${join(folder, '.git/gpg.sh')}\n[log]\n\tshowSignature = true`,
    `[diff]\n\texternal = "${mark('diff-external')} #"\n\tsubmodule = log\n\tignoreSubmodules = none`,
    `[diff "command"]\n\tcommand = "${mark('diff-command')} #"`,
    `[diff "textconv"]\n\ttextconv = "${mark('textconv')}; cat"`,
    `[filter "clean"]\n\tclean = "${mark('clean')}; cat"\n\tsmudge = "${mark('smudge')}; cat"\n\trequired = true`,
    `[filter "process"]\n\tprocess = "${mark('process')}"`,
    `[filter "a=b"]\n\tclean = "${mark('equals')}; cat"`,
    `[filter "q\\"u.o\\\\te"]\n\tclean = "${mark('quote')}; cat"`,
    `[filter "\u00ff"]\n\tclean = "${mark('bytes')}; cat"`,
    `[include]\n\tpath = included\n[includeIf "gitdir:**"]\n\tpath = conditional`,
    `[submodule]\n\trecurse = true\n[submodule "sub"]\n\tupdate = "!${mark('submodule-update')}"\n[status]\n\tsubmoduleSummary = true`,
    ...['status', 'diff', 'log', 'show', 'blame', 'config', 'ls-tree', 'cat-file'].map((name) => `[alias]\n\t${name} = "!${mark(`alias-${name}`)}"`),
    ...['status', 'diff', 'log', 'show', 'blame', 'config'].map((name) => `[pager]\n\t${name} = "${mark(`pager-${name}`)}; cat"`),
  ];
  writeFileSync(join(folder, '.git/config'), Buffer.from(`${lines.join('\n')}\n`, 'latin1'));
  write(folder, {
    '.git/gpg.sh': `#!/bin/sh\n${mark('gpg')}\n`,
    '.git/hooks/post-index-change': `#!/bin/sh\n${mark('hook')}\n`,
    '.git/included': `[filter "included"]\n\tclean = "${mark('included')}; cat"\n`,
    '.git/conditional': `[filter "conditional"]\n\tclean = "${mark('conditional')}; cat"\n`,
    '.git/config.worktree': `[core]\n\thooksPath = .git/hooks\n[filter "worktree"]\n\tclean = "${mark('worktree')}; cat"\n`,
  });
  chmodSync(join(folder, '.git/gpg.sh'), 0o755);
  chmodSync(join(folder, '.git/hooks/post-index-change'), 0o755);
  const attributes = [
    ...['clean', 'process', 'included', 'conditional', 'worktree'].map((name) => `*.${name} filter=${name}`),
    '*.equals filter=a=b',
    '*.quote filter=q"u.o\\te',
    '*.bytes filter=\u00ff',
    '*.command diff=command',
    '*.textconv diff=textconv',
  ];
  writeFileSync(join(folder, '.gitattributes'), Buffer.from(`${attributes.join('\n')}\n`, 'latin1'));
}

function makeSubmodule(folder: string): void {
  const sub = join(folder, 'sub');
  initRepository(sub, { 'x.sub': '000\n', README: 'sub\n' });
  git(folder, 'add', 'sub');
  write(sub, { '.gitattributes': '*.sub filter=sub diff=sub\n' });
  git(sub, 'config', 'core.fsmonitor', `${mark('sub-fsmonitor')}; false #`);
  git(sub, 'config', 'filter.sub.clean', `${mark('sub-clean')}; cat`);
  git(sub, 'config', 'diff.sub.textconv', `${mark('sub-textconv')}; cat`);
}

/** A commit that says it is signed, so that log.showSignature asks gpg. */
function signedCommit(folder: string): void {
  const raw = git(folder, 'cat-file', 'commit', 'HEAD').replace(
    /\n\n/u,
    '\ngpgsig -----BEGIN PGP SIGNATURE-----\n \n x\n -----END PGP SIGNATURE-----\n\n',
  );
  writeFileSync(join(folder, '.git/raw'), `${raw}\n`);
  git(folder, 'update-ref', 'HEAD', git(folder, 'hash-object', '-t', 'commit', '-w', '.git/raw'));
}

function makeHostile(folder: string): string {
  initRepository(folder);
  write(folder, Object.fromEntries(FILES.map((name) => [name, '000\n'])));
  write(folder, { 'missing.txt': 'fetched from a promisor\n' });
  makeSubmodule(folder);
  git(folder, 'add', ...FILES, 'missing.txt');
  git(folder, 'commit', '-qm', 'first');
  signedCommit(folder);
  const missing = git(folder, 'rev-parse', 'HEAD:missing.txt');
  rmSync(join(folder, '.git/objects', missing.slice(0, 2), missing.slice(2)));
  hostileConfig(folder);
  change(folder);
  return missing;
}

beforeAll(async () => {
  temporary = await temporaryHands();
  markers = join(temporary.outside, 'markers');
  mkdirSync(markers);
  makeHostile(temporary.folder);
});
afterAll(() => temporary[Symbol.asyncDispose]());

describe('a repository that names programs wherever it can', () => {
  it('runs them under plain git, so the markers are known to work', () => {
    const folder = temporary.folder;
    rmSync(markers, { recursive: true });
    mkdirSync(markers);
    for (const command of [
      // One by one: git gives up at a filter that answers nothing.
      ...FILES.map((name) => ['status', '--', name]),
      ['status', '--', 'sub'],
      ['diff', '--', 'f.command'],
      ['-c', 'diff.external=', 'diff', '--', 'f.command'],
      ['diff', '--', 'g.textconv'],
      ['log', '-p'],
      ['show', 'HEAD'],
      ['blame', 'g.textconv'],
      ['diff', '--submodule=diff'],
      ['cat-file', 'blob', 'HEAD:missing.txt'],
    ]) {
      tryGit(folder, ...command);
      change(folder);
    }
    // The hook runs where the index is written. Here git may give up before that, at one of the programs above: it is
    // shown to work in a repository that has nothing else.
    const plain = join(temporary.outside, 'hook-alone');
    initRepository(plain, { 'a.txt': 'a\n' });
    cpSync(join(folder, '.git/hooks/post-index-change'), join(plain, '.git/hooks/post-index-change'));
    write(plain, { 'b.txt': 'b\n' });
    git(plain, 'add', 'b.txt');
    const wanted = [
      'bytes',
      'clean',
      'conditional',
      'diff-command',
      'diff-external',
      'equals',
      'fsmonitor',
      'gpg',
      'hook',
      'included',
      'process',
      'quote',
      'ssh',
      'sub-clean',
      'sub-fsmonitor',
      'textconv',
      'worktree',
    ];
    const marked = new Set(fired());
    expect(wanted.filter((name) => !marked.has(name))).toEqual([]);
  });

  const CALLS: ReadonlyArray<readonly [string, Record<string, unknown>]> = [
    ['git_status', {}],
    ['git_status', { path: 'sub' }],
    ['git_status', { path: 'a.clean' }],
    ['git_diff', {}],
    ['git_diff', { stat: true }],
    ['git_diff', { path: 'sub' }],
    ['git_diff', { staged: true }],
    ['git_diff', { revision: 'HEAD' }],
    ['git_diff', { paths: FILES }],
    ['git_log', { files: true }],
    ['git_log', { path: 'sub' }],
    ['git_log', { path: 'g.textconv', files: true }],
    ['git_show', { stat: true }],
    ['git_show', {}],
    ['git_show', { path: 'a.clean' }],
    ['git_show', { path: 'g.textconv' }],
    ['git_show', { path: 'sub/x.sub' }],
    ['git_show', { path: 'missing.txt' }],
    ['git_show', { revision: 'HEAD:missing.txt' }],
    ...FILES.map((path): [string, Record<string, unknown>] => ['git_blame', { path }]),
    ['git_blame', { path: 'sub/x.sub' }],
    ['git_blame', { path: 'g.textconv', revision: 'HEAD' }],
  ];

  it.each(CALLS)('runs nothing under %s %o', async (tool, input) => {
    rmSync(markers, { recursive: true });
    mkdirSync(markers);
    change(temporary.folder);
    write(temporary.folder, { 'plain.txt': '000\n' });
    const result = await temporary.hands.call(tool, input);
    expect(fired()).toEqual([]);
    // What cannot be answered is what the promisor would have to send.
    const needsFetch =
      JSON.stringify(input).includes('missing.txt') || (tool === 'git_show' && Object.keys(input).length <= 1 && input['path'] === undefined);
    if (!needsFetch) expect(result).toMatchObject({ ok: true });
    else if (!result.ok) expect(result.error.code).toBe('unavailable');
  });

  it('tells that filters were not run', async () => {
    const result = await temporary.hands.call('git_status');
    expect(result.ok && result.output).toContain('Content filters of this repository were not run');
  });
});

describe('settings that change between the look at them and the run', () => {
  it('are not read by the run', async () => {
    const swapped = defineTool({
      ...gitStatus,
      name: 'swapped_status',
      async execute(input, ctx) {
        const open = ctx.git.open.bind(ctx.git);
        const git = Object.assign(Object.create(ctx.git) as typeof ctx.git, {
          remembered: ctx.git.remembered.bind(ctx.git),
          open: async (...given: Parameters<typeof open>) => {
            const repository = await open(...given);
            hostileConfig(given[0].root);
            return repository;
          },
        });
        return await gitStatus.execute(input, { ...ctx, git });
      },
    });
    await using clean = await temporaryHands({}, { tools: [swapped] });
    const folder = clean.folder;
    initRepository(folder, Object.fromEntries(FILES.map((name) => [name, '000\n'])));
    change(folder);
    rmSync(markers, { recursive: true });
    mkdirSync(markers);
    const result = await clean.hands.call('swapped_status');
    expect(fired()).toEqual([]);
    expect(result).toMatchObject({ ok: true, data: { counts: { unstaged: FILES.length } } });
    tryGit(folder, 'status', '--', 'a.clean');
    expect(fired()).toContain('clean');
  });
});

it('does not wait for a pipe that the configuration includes', { timeout: 20_000 }, async () => {
  await using place = await temporaryHands();
  initRepository(place.folder, { 'a.txt': 'a\n' });
  execFileSync('mkfifo', [place.at('pipe')]);
  appendFileSync(place.at('.git/config'), '[include]\n\tpath = ../pipe\n');
  const called = place.hands.call('git_status');
  // Less than the time of a call.
  expect(await settlesWithin(called, 9_000)).toBe(true);
  expect(await called).toMatchObject({ ok: false, error: { code: 'wrong_type', message: 'git cannot read pipe: it is a named pipe.' } });
});
