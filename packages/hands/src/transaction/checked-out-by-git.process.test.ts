import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createHands } from '../runtime/create-hands.ts';
import type { HandsOptions } from '../runtime/hands-options.ts';
import type { ApprovalRequest } from '../approval/approver.ts';
import { findBubblewrap } from '../sandbox/find-bubblewrap.ts';
import { temporaryHands } from '../testing/temporary-hands.ts';

/** A repository whose branch `other` has other files that programs obey, and a new folder of them. */
async function place(options: Partial<HandsOptions> = {}) {
  const base = await temporaryHands();
  const git = (...words: string[]): string => execFileSync('git', words, { cwd: base.folder, encoding: 'utf8' });
  const file = (name: string): string => join(base.folder, name);
  const write = (text: string, ...names: string[]): void => names.forEach((name) => writeFileSync(file(name), text));
  for (const name of ['.husky', '.cursor', 'src']) mkdirSync(file(name));
  write('one\n', '.husky/pre-commit', '.mcp.json', '.cursor/mcp.json', 'src/a.txt');
  git('init', '-q', '-b', 'main');
  git('config', 'user.name', 'A');
  git('config', 'user.email', 'a@example.com');
  git('add', '-A');
  git('commit', '-qm', 'first');
  git('checkout', '-qb', 'other');
  mkdirSync(file('.vscode'));
  write('two\n', '.husky/pre-commit', '.mcp.json', 'src/a.txt', '.vscode/settings.json', '.vscode/tasks.json');
  rmSync(file('.cursor'), { recursive: true });
  git('add', '-A');
  git('commit', '-qm', 'second');
  git('checkout', '-q', 'main');
  const hands = await createHands({
    workspace: base.folder,
    stateFolder: join(base.folder, '../state-2'),
    sandbox: 'required',
    allow: ['write', 'exec'],
    ...options,
  });
  return {
    git,
    file,
    write,
    hands,
    text: (name: string) => readFileSync(file(name), 'utf8'),
    state: () => [git('rev-parse', '--abbrev-ref', 'HEAD').trim(), git('--no-optional-locks', 'status', '--short')],
    run: async (command: string) => await hands.call('run_command', { command }),
    async [Symbol.asyncDispose]() {
      await hands[Symbol.asyncDispose]();
      await base[Symbol.asyncDispose]();
    },
  };
}

const asked = (verdict: 'allow' | 'deny', requests: ApprovalRequest[] = []): Partial<HandsOptions> => ({
  approver: {
    name: 'test',
    ask: (request) => {
      requests.push(request);
      return Promise.resolve(verdict === 'allow' ? { verdict, scope: 'once' } : { verdict });
    },
  },
});

describe.skipIf((await findBubblewrap()) === undefined)('files that other programs obey, which git brings', () => {
  it.each(['git checkout other', 'git merge other', 'git rebase other', 'git reset --hard other'])(
    'wait with everything else for a person: %s',
    async (command) => {
      await using at = await place();
      const result = await at.run(command);
      expect(result).toMatchObject({ ok: true, data: { exit_code: 0 }, meta: { pending: expect.stringMatching(/^c-/u) as string } });
      expect(result.ok && result.output).toContain('git brings');
      expect(result.ok && result.output).toContain('.husky/pre-commit');
      expect(at.state()).toEqual(['main', '']);
      const [pending] = at.hands.pendingChanges();
      const shown = await at.hands.showPending(pending?.handle ?? '');
      expect(shown.changes.map(({ path }) => path)).toEqual(expect.arrayContaining(['.husky/pre-commit', '.vscode/tasks.json', 'src/a.txt']));
      expect(await at.hands.applyPending(pending?.handle ?? '')).toMatchObject({ ok: true, data: { undo: true } });
      expect(at.state()[1]).toBe('');
      expect(at.git('diff', 'other')).toBe('');
    },
  );

  it('are applied after one question, which shows them', async () => {
    const requests: ApprovalRequest[] = [];
    await using at = await place(asked('allow', requests));
    expect(await at.run('git checkout -q other')).toMatchObject({ ok: true, meta: { undo: 'covered' } });
    expect(requests).toHaveLength(1);
    expect(requests[0]?.reason).toMatch(/\.husky\/pre-commit \(git runs hooks.* and 1 more, which/u);
    expect(JSON.stringify(requests[0]?.changed)).toContain('+two');
    // A rule about the command would not cover them.
    expect(requests[0]?.proposals).toEqual([]);
    expect(at.state()).toEqual(['other', '']);
    expect(await at.hands.undo({ last: 1 })).toMatchObject({ ok: true });
    expect(at.state()).toEqual(['main', '']);
  });

  it('are shown before all other changes', async () => {
    const requests: ApprovalRequest[] = [];
    await using at = await place(asked('deny', requests));
    for (let index = 0; index < 120; index += 1) at.write('two\n', `a${index}.txt`);
    at.git('add', '-A');
    at.git('commit', '-qm', 'many');
    await at.run('git checkout -q other');
    const shown = requests[0]?.changed?.effect.changes.map(({ path }) => path);
    const first = [
      '.cursor',
      '.cursor/mcp.json',
      '.husky/pre-commit',
      '.mcp.json',
      '.vscode',
      '.vscode/settings.json',
      '.vscode/tasks.json',
      '.git/HEAD',
    ];
    expect(shown?.slice(0, first.length)).toEqual(first);
  });

  it('are dropped after a no', async () => {
    await using at = await place(asked('deny'));
    await at.run('git checkout -q other');
    expect(at.state()).toEqual(['main', '']);
    expect(at.hands.pendingChanges()).toEqual([]);
  });

  it('are not asked about where a person permits protected places', async () => {
    const requests: ApprovalRequest[] = [];
    await using at = await place({ ...asked('deny', requests), allow: ['write', 'exec', 'protected'] });
    await at.run('git checkout -q other');
    expect(requests).toEqual([]);
    expect(at.state()).toEqual(['other', '']);
  });

  it('wait also if a stash takes back what a person wrote', async () => {
    await using at = await place();
    at.write('mine\n', '.mcp.json', 'src/a.txt');
    await at.run('git stash -q');
    expect([at.text('.mcp.json'), at.text('src/a.txt'), at.git('stash', 'list')]).toEqual(['mine\n', 'mine\n', '']);
    expect(at.hands.pendingChanges()).toHaveLength(1);
  });

  it('go to the quarantine if they are not from git', async () => {
    await using at = await place();
    const result = await at.run('for f in .mc*.json src/a.txt; do echo two > $f; done; git add src && git commit -qm second');
    expect(result.ok && result.output).toContain('moved to quarantine: .mcp.json');
    expect([at.text('.mcp.json'), at.text('src/a.txt')]).toEqual(['one\n', 'two\n']);
    expect(at.hands.pendingChanges()).toEqual([]);
  });

  it('do not come from git if they differ from what git has', async () => {
    const requests: ApprovalRequest[] = [];
    await using at = await place(asked('allow', requests));
    const result = await at.run('git checkout -q other && for f in .mc*.json .husk*/* .vsc*/*s.json; do echo more >> $f; done');
    expect(requests[0]?.reason).toMatch(/^git brings \.cursor \([^)]*\), which/u);
    expect(result.ok && result.output.match(/moved to quarantine: [^ ]*/gu)).toEqual(
      ['.husky/pre-commit', '.mcp.json', '.vscode'].map((path) => `moved to quarantine: ${path}`),
    );
    expect([at.text('.husky/pre-commit'), at.text('.mcp.json')]).toEqual(['one\n', 'one\n']);
  });

  it.each([
    ['a repository without a work tree', 'HEAD', 'echo'],
    ['a folder .git, which git itself would not make', '.git/HEAD', 'sed -i s,x/ygit/,x/.git/,g .git/index && mv $d/x/ygit $d/x/.git && echo'],
  ])('do not bring orders to git that no question named: %s', async (_, head, finish) => {
    const requests: ApprovalRequest[] = [];
    await using at = await place(asked('allow', requests));
    const folder = head.startsWith('.git') ? 'ygit' : '.';
    at.write(
      `d=.vscode; mkdir -p $d/x/${folder} && cd $d/x/${folder} && mkdir objects refs && touch objects/a refs/a
      echo 'ref: refs/heads/main' > HEAD
      printf '[core]\\n\\trepositoryformatversion = 0\\n\\tfsmonitor = touch run\\n' > config
      cd $OLDPWD; echo two > $d/tasks.json; git add $d; ${finish} done\n`,
      'make.sh',
    );
    await at.run('sh make.sh');
    expect(requests[0]?.reason).toContain('git brings .vscode (');
    expect(at.text('.vscode/tasks.json')).toBe('two\n');
    expect(existsSync(at.file(join('.vscode/x', dirname(head), 'config')))).toBe(false);
  });

  it('are all named, however many there are and whatever else changes', async () => {
    const requests: ApprovalRequest[] = [];
    await using at = await place(asked('deny', requests));
    const numbers = Array.from({ length: 520 }, (__, index) => `a/${index}.txt`);
    mkdirSync(at.file('a'));
    mkdirSync(at.file('z/.vscode'), { recursive: true });
    at.write('one\n', ...numbers, 'z/.vscode/tasks.json');
    at.git('add', '-A');
    at.git('commit', '-qm', 'base');
    at.git('checkout', '-qb', 'many');
    at.write('two\n', ...numbers, '.husky/pre-commit', '.mcp.json', '.cursor/mcp.json', 'z/.vscode/tasks.json');
    at.git('commit', '-qam', 'many');
    at.git('checkout', '-q', 'main');
    await at.run('git checkout -q many');
    expect(requests[0]?.reason).toContain('and 1 more');
    const effect = requests[0]?.changed?.effect;
    const paths = ['.cursor/mcp.json', '.husky/pre-commit', '.mcp.json', 'z/.vscode/tasks.json'];
    expect(effect?.cautions.slice(0, 4)).toEqual(paths.map((path) => expect.stringContaining(`${path} comes from git: `) as string));
    expect(effect?.changes.some(({ path }) => path === 'z/.vscode/tasks.json')).toBe(true);
  });

  it('are applied neither in part nor as a whole if they are too many to name', async () => {
    await using at = await place({ ...asked('allow') });
    const names = Array.from({ length: 101 }, (__, index) => `p${index}/.mcp.json`);
    for (const name of names) mkdirSync(at.file(dirname(name)));
    at.write('one\n', ...names);
    at.git('add', '-A');
    at.git('commit', '-qm', 'base');
    at.git('checkout', '-qb', 'many');
    at.write('two\n', ...names, 'src/a.txt');
    at.git('commit', '-qam', 'many');
    at.git('checkout', '-q', 'main');
    const result = await at.run('git checkout -q many');
    expect(result.ok && result.output).toContain('git brings more than 100 files');
    expect([...at.state(), at.text('src/a.txt')]).toEqual(['main', '', 'one\n']);
    expect(at.hands.pendingChanges()).toHaveLength(1);
  });

  it('are named with what waits for another reason', async () => {
    await using at = await place();
    const controller = new AbortController();
    await at.hands.call(
      'run_command',
      { command: 'git checkout -q other && echo done && exec sleep 1000' },
      { signal: controller.signal, onProgress: ({ output = '' }) => void (output.includes('done') && controller.abort()) },
    );
    const [pending] = at.hands.pendingChanges();
    const shown = await at.hands.showPending(pending?.handle ?? '');
    expect(shown.cautions.join('\n')).toContain('.husky/pre-commit comes from git: ');
  });

  it('are not what they became after the question', async () => {
    const requests: ApprovalRequest[] = [];
    await using at = await place({
      allow: [],
      approver: {
        name: 'test',
        ask: async (request) => {
          requests.push(request);
          if (requests.length > 1) return { verdict: 'allow', scope: 'once' };
          at.git('config', 'core.hooksPath', 'src');
          expect(await at.hands.call('write_file', { path: 'b.txt', content: 'b' })).toMatchObject({ ok: true });
          return { verdict: 'allow', scope: 'once' };
        },
      },
    });
    at.write('three\n', 'src/a.txt');
    at.git('commit', '-qam', 'third');
    const result = await at.run('git reset -q --hard HEAD~1');
    expect(requests.length).toBeGreaterThan(0);
    expect(result.ok && result.output).toContain('moved to quarantine: src/a.txt');
    expect(at.text('src/a.txt')).toBe('three\n');
  });

  it('are not let in by other files that git did check out', async () => {
    await using at = await place(asked('allow'));
    const result = await at.run('git checkout -q other && for f in .husk*/*; do echo more >> $f; done');
    expect(result.ok && result.output.match(/moved to quarantine: [^ ]*/gu)).toEqual(['moved to quarantine: .husky/pre-commit']);
    expect([at.text('.husky/pre-commit'), at.text('.mcp.json')]).toEqual(['one\n', 'two\n']);
  });
});
