import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import type { ApprovalAnswer, ApprovalRequest, Approver } from '../approval/approver.ts';
import type { HandsOptions } from '../runtime/hands-options.ts';
import { defineTool } from '../tool/tool.ts';
import type { PinnedDirectory } from '../workspace/confinement.ts';
import { temporaryHands } from '../testing/temporary-hands.ts';

const FILES = { 'a.txt': 'A\n', '.gitignore': 'dist/\ncoverage/\nnode_modules/\nnotes/\n', 'package.json': '{}\n', 'node_modules/a/index.js': '' };

/** Somebody who answers as told, and what they were asked. */
function person(
  ...answers: Array<ApprovalAnswer | ((request: ApprovalRequest) => ApprovalAnswer)>
): Approver & { readonly asked: ApprovalRequest[] } {
  const asked: ApprovalRequest[] = [];
  return {
    name: 'person',
    asked,
    ask: async (request) => {
      asked.push(request);
      const answer = answers.shift() ?? { verdict: 'deny', reason: 'asked too often' };
      return typeof answer === 'function' ? answer(request) : answer;
    },
  };
}

async function open(options: Omit<HandsOptions, 'workspace'> = {}) {
  const at = await temporaryHands(FILES, { allow: [], ...options });
  const git = (...words: string[]): string =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...words], { cwd: at.folder, encoding: 'utf8' });
  git('init', '-q');
  git('add', '.');
  git('commit', '-qm', 'first');
  return { ...at, git, run: (command: string) => at.hands.call('run_command', { command }), [Symbol.asyncDispose]: () => at[Symbol.asyncDispose]() };
}

const yes: ApprovalAnswer = { verdict: 'allow', scope: 'once' };

describe('a rule that asks about every command', () => {
  it.each(['exec', '*'])('%s: hides no files from those that a person allows', async (rule) => {
    const approver = person(yes);
    await using at = await open({ approver, policy: { ask: [rule] } });
    expect(await at.run('cat a.txt package.json')).toMatchObject({ ok: true, data: { stdout: 'A\n{}\n', exit_code: 0 } });
    expect(approver.asked).toHaveLength(1);
  });

  it('read_file: does hide them', async () => {
    await using at = await open({ approver: person(yes, yes), policy: { deny: ['read(a.txt)'] } });
    expect(await at.run('cat package.json; ls; cat *.txt')).toMatchObject({ data: { stdout: expect.not.stringContaining('A\n') as string } });
  });
});

describe('a person is asked about what a command changed', () => {
  it('and the answer names what a command wrote to a place that is gone with it', async () => {
    await using at = await open({ allow: ['exec', 'write'], approver: person(yes, yes) });
    const [outside, inside] = [await at.run('echo lab > ../lab.txt && cat ../lab.txt'), await at.run('echo lab > lab.txt && cat lab.txt')];
    expect(outside).toMatchObject({
      ok: true,
      data: { stdout: 'lab\n' },
      output: expect.stringContaining('../lab.txt: outside the workspace') as string,
    });
    expect(existsSync(at.at('../lab.txt'))).toBe(false);
    expect(inside).toMatchObject({ ok: true, data: { stdout: 'lab\n' }, output: expect.not.stringContaining('outside the workspace') as string });
    expect(existsSync(at.at('lab.txt'))).toBe(true);
  });

  it('and two commands that are harmless alone leave no repository together', async () => {
    const parts = ["printf '[core]\\n\\tfsmonitor = ./run\\n' > x/config", "mkdir -p x/objects x/refs; echo 'ref: refs/heads/main' > x/HEAD"];
    const both = Promise.withResolvers<void>();
    let waiting = 0;
    const ask = async (): Promise<ApprovalAnswer> => {
      if ((waiting += 1) === parts.length) both.resolve();
      await both.promise;
      return yes;
    };
    await using at = await open({ approver: { name: 'person', ask } });
    execFileSync('sh', ['-c', 'mkdir x; echo 1 > x/kept'], { cwd: at.folder });
    const results = await Promise.all(parts.map((command) => at.run(command)));
    const left = ['config', 'HEAD'].filter((name) => existsSync(at.at(`x/${name}`)));
    expect(left).toHaveLength(1);
    expect(results.filter((result) => result.ok && result.output.includes('moved to quarantine'))).toHaveLength(1);
  });

  it('and a yes applies exactly that', async () => {
    const approver = person(yes);
    await using at = await open({ approver });
    const result = await at.run('echo B >> a.txt; echo done; touch new.txt');
    expect(result).toMatchObject({ ok: true, data: { stdout: 'done\n' }, meta: { ran: 'copy', appliedFrom: 'copy', undo: 'covered' } });
    expect(readFileSync(at.at('a.txt'), 'utf8')).toBe('A\nB\n');
    expect(approver.asked).toHaveLength(1);
    const [{ changed, effects } = {}] = approver.asked;
    expect(changed).toMatchObject({ headline: 'changed 2 files', output: 'done\n', completion: 'ok' });
    expect(changed?.effect.changes.map(({ kind, path }) => `${kind} ${path}`).toSorted()).toEqual(['changed a.txt', 'created new.txt']);
    expect(changed?.effect.changes.find(({ path }) => path === 'a.txt')?.diff).toContain('+B');
    expect(effects).toEqual([]);
  });

  it('for as long as that takes: a command that has ended becomes no job', async () => {
    const yieldMs = 3_000;
    const startedAt = performance.now();
    let askedAfter = Number.POSITIVE_INFINITY;
    const ask = async (): Promise<ApprovalAnswer> => {
      askedAfter = performance.now() - startedAt;
      await delay(yieldMs + 500 - askedAfter);
      return yes;
    };
    await using at = await open({ approver: { name: 'slow', ask } });
    const result = await at.hands.call('run_command', { command: 'echo B > b.txt', yield_ms: yieldMs }, { sessionId: 'one' });
    // On a very slow machine the command itself takes longer.
    if (askedAfter < yieldMs) expect(result).toMatchObject({ data: { exit_code: 0, job: null }, meta: { appliedFrom: 'copy' } });
    await expect.poll(() => existsSync(at.at('b.txt'))).toBe(true);
  });

  it('and a no drops it, while the model reads the output', async () => {
    await using at = await open({ approver: person({ verdict: 'deny', reason: 'not like that' }) });
    const result = await at.run('echo B >> a.txt; echo done');
    expect(result).toMatchObject({ ok: true, data: { stdout: 'done\n', exit_code: 0 } });
    expect(result.ok && result.output).toContain('The workspace is unchanged: what it changed was dropped, as a person said: not like that.');
    expect(readFileSync(at.at('a.txt'), 'utf8')).toBe('A\n');
  });

  it('and an answer to other changes applies nothing', async () => {
    await using at = await open({ approver: person({ verdict: 'allow', scope: 'once', effect: 'another' }) });
    const result = await at.run('echo B >> a.txt');
    expect(result.ok && result.output).toContain('the answer was to other changes');
    expect(readFileSync(at.at('a.txt'), 'utf8')).toBe('A\n');
  });

  it('and a rule that is kept with the yes asks no more', async () => {
    const approver = person(({ proposals: [proposal] }) => ({ verdict: 'allow', scope: 'session', ...(proposal === undefined ? {} : { proposal }) }));
    await using at = await open({ approver });
    for (const _ of [1, 2]) expect(await at.run('sh -c "date +%N >> a.txt"')).toMatchObject({ meta: { appliedFrom: 'copy' } });
    expect(approver.asked).toHaveLength(1);
    expect(approver.asked[0]?.proposals.flatMap(({ rules }) => rules)).not.toHaveLength(0);
  });

  it('about a commit too, and its time stands still meanwhile', async () => {
    const approver = person(yes);
    const slow: Approver = {
      name: 'slow',
      ask: async (...asked) => (await new Promise((resolve) => setTimeout(resolve, 2_600)), await approver.ask(...asked)),
    };
    await using at = await open({ approver: slow });
    const command = 'echo B >> a.txt && git -c user.name=a -c user.email=a@b commit -qam second';
    expect(await at.hands.call('run_command', { command, timeout_ms: 2_500 })).toMatchObject({ ok: true, data: { exit_code: 0, timed_out: false } });
    expect(at.git('log', '--format=%s')).toBe('second\nfirst\n');
    expect(at.git('status', '--porcelain')).toBe('');
  });
});

describe('a place of which other programs execute the content', () => {
  it.each([
    ['a hook', 'echo x > .git/hooks/pre-commit', '.git/hooks/pre-commit'],
    ['a file of an editor', 'mkdir -p .vscode && echo x > .vscode/tasks.json', '.vscode/tasks.json'],
    ['all files of an editor', 'cp -r d .vscode', '.vscode/tasks.json'],
  ])('gets what a person allowed by its name: %s', async (_, command, path) => {
    const approver = person(yes, yes);
    await using at = await open({ approver, policy: { allow: ['exec(mkdir *)', 'exec(cp *)'] } });
    execFileSync('sh', ['-c', 'mkdir d; echo x > d/tasks.json'], { cwd: at.folder });
    expect(await at.run(command)).toMatchObject({ ok: true, meta: { appliedFrom: 'copy' } });
    expect(approver.asked).toHaveLength(1);
    expect(approver.asked[0]?.effects.join()).toContain(path.split('/')[0]);
    expect(readFileSync(at.at(path), 'utf8')).toBe('x\n');
  });

  it.each(['.git/hooks/pre-commit', '.vscode/tasks.json', '.git/config'])('gets it from a file tool too: %s', async (path) => {
    await using at = await open({ approver: person(yes) });
    const content = '[core]\n\tfsmonitor = ./x\n';
    expect(await at.hands.call('write_file', { path, content })).toMatchObject({ ok: true });
    expect(readFileSync(at.at(path), 'utf8')).toBe(content);
  });

  it('is deleted, if a person allowed that by its name', async () => {
    await using at = await open({ approver: person(yes) });
    execFileSync('sh', ['-c', 'mkdir .vscode; echo x > .vscode/tasks.json'], { cwd: at.folder });
    expect(await at.run('rm -rf .vscode')).toMatchObject({ ok: true, meta: { appliedFrom: 'copy' } });
    expect(existsSync(at.at('.vscode'))).toBe(false);
  });

  it.each([
    ['no place', 'd=hooks; echo x > .git/$d/pre-commit; touch b', '.git/hooks/pre-commit'],
    ['another place', 'echo x > .git/hooks/pre-push; d=hooks; echo x > .git/$d/pre-commit; touch b', '.git/hooks/pre-commit'],
    ['all of the workspace', 'git apply p.patch; touch b', '.vscode'],
    ['a file in it, by a link in its place', 'v=vscode; ln -s d .$v; echo x > .vscode/tasks.json; touch b', '.vscode'],
  ])('gets nothing from a command that names %s, and the answer says so', async (_, command, path) => {
    await using at = await open({ approver: person(yes, yes) });
    const patch =
      'diff --git a/.vscode/tasks.json b/.vscode/tasks.json\nnew file mode 100644\n--- /dev/null\n+++ b/.vscode/tasks.json\n@@ -0,0 +1 @@\n+x\n';
    await writeFile(at.at('p.patch'), patch);
    execFileSync('mkdir', ['d'], { cwd: at.folder });
    const result = await at.hands.call('run_command', { command }, { asksFirst: 'all' });
    expect(result).toMatchObject({ ok: true, output: expect.stringContaining(`moved to quarantine: ${path}`) as string });
    expect([existsSync(at.at('b')), existsSync(at.at(path))]).toEqual([true, false]);
  });
});

describe('does not ask', () => {
  it.each([
    ['where nothing changed', 'sh -c "echo hi"'],
    ['about a rewrite of the same', 'cp a.txt b && mv b a.txt'],
    ['about git looking at its files', 'touch a.txt; git status --short'],
    ['about output of a build that is ignored', 'mkdir -p dist/js coverage && echo 1 > dist/js/a.js && echo 1 > coverage/x'],
    ['about a cache that ignores itself', "mkdir -p .pytest_cache/v && echo '*' > .pytest_cache/.gitignore && echo 1 > .pytest_cache/v/x"],
    ['about caches beside packages', 'mkdir -p node_modules/.vite && echo 1 > node_modules/.vite/x'],
  ])('%s', async (_, command) => {
    const approver = person();
    await using at = await open({ approver });
    expect(await at.run(command)).toMatchObject({ ok: true, data: { exit_code: 0 }, meta: { ran: 'copy' } });
    expect(approver.asked).toEqual([]);
  });

  it('about a file that was written as it was, as git does with its configuration, but about what else changed', async () => {
    const approver = person({ verdict: 'deny' }, yes);
    await using at = await open({ approver });
    at.git('branch', 'x');
    const ran = await at.run('git branch -d x');
    const reasons = approver.asked.map(({ reason, changed }) => [reason, changed?.headline]);
    expect(reasons).toEqual([['commits, branches and the index need approval', expect.stringContaining('deleted ')]]);
    expect(ran).toMatchObject({ ok: true });
    await at.run('g=git; cp .$g/config c && mv c .$g/config && mkdir dist && touch dist/x');
    expect(approver.asked).toHaveLength(1);
    await at.run('g=git; cp .$g/config c && printf "[user]\\n\\tname = b\\n" >> c && mv c .$g/config');
    expect(approver.asked[1]?.reason).toBe('changes to .git/config need approval');
  });

  // The control: these look alike, and are more.
  it.each([
    ['output that the repository does not ignore', 'mkdir -p build && echo 1 > build/x'],
    ['packages, though they are ignored', 'mkdir -p node_modules/b && echo 1 > node_modules/b/index.js'],
    ['what is ignored and no output', 'mkdir -p notes && echo 1 > notes/x'],
    ['output and a file', 'mkdir -p dist && echo 1 > dist/x && echo 1 > x'],
    ['programs in new output', 'mkdir -p dist/.venv/bin && echo 1 > dist/.venv/bin/activate'],
    ['what a shell obeys in new output', 'mkdir -p dist/x && echo 1 > dist/x/.envrc'],
    ['a link in new output, which a build would write through', 'mkdir -p dist/x && ln -s ../../a.txt dist/x/l'],
    ['a link in output', 'mkdir -p coverage && ln -s /etc coverage/l'],
    ['a deleted file', 'rm a.txt'],
    ['permissions', 'chmod +x a.txt'],
  ])('but about %s', async (_, command) => {
    const approver = person(yes);
    await using at = await open({ approver });
    expect(await at.run(command)).toMatchObject({ ok: true, data: { exit_code: 0 } });
    expect(approver.asked).toHaveLength(1);
  });

  // A cache that fits its source by time and size is run in its place: the program that a person reads is not the one that runs.
  it('about Python, which then keeps no compiled code, but about compiled code', async () => {
    const approver = person();
    await using at = await open({ approver });
    await writeFile(`${at.folder}/m.py`, 'print("source")\n');
    await writeFile(`${at.folder}/.gitignore`, '__pycache__/\n');
    expect(await at.run('python3 -c "import m"')).toMatchObject({ data: { stdout: 'source\n', exit_code: 0 } });
    expect([approver.asked, existsSync(`${at.folder}/__pycache__`)]).toEqual([[], false]);
    await at.run('python3 -m compileall -q m.py');
    expect(approver.asked).toMatchObject([{ changed: { headline: 'changed 1 file' } }]);
  });

  it('by what was there before first, which no number of new files hides', async () => {
    const approver = person();
    await using at = await open({ approver });
    await at.run('mkdir -p a && seq 600 | (cd a && xargs touch) && seq 600 | xargs touch && echo B > a.txt && rm package.json');
    const shown = approver.asked[0]?.changed?.effect;
    expect(shown?.changes.slice(0, 3).map(({ kind, path }) => `${kind} ${path}`)).toEqual(['changed a.txt', 'deleted package.json', 'created 1']);
    expect(shown?.changes).toHaveLength(500);
    expect(shown?.more).toBeGreaterThan(700);
    await at.run('mkdir -p a && seq 600 | (cd a && xargs touch) && echo 1 > b');
    expect(approver.asked[1]?.changed?.effect.changes.map(({ path }) => path)).toEqual(expect.arrayContaining(['a', 'b']));
  });

  it('where a rule allows what changed, and where one narrows it they are', async () => {
    const approver = person(yes);
    await using at = await open({ approver, policy: { allow: ['write(/notes/**)'], ask: ['write(/dist/**)'] } });
    await at.run('mkdir -p notes && echo 1 > notes/x');
    expect(approver.asked).toEqual([]);
    await at.run('mkdir -p dist && echo 1 > dist/x');
    expect(approver.asked).toHaveLength(1);
  });

  it('where the command itself is allowed, or the mode trusts', async () => {
    for (const options of [{ allow: ['exec' as const] }, { policy: { mode: 'trusted' as const } }, { policy: { allow: ['exec(touch b)'] } }]) {
      const approver = person();
      await using at = await open({ ...options, approver });
      expect(await at.run('touch b')).toMatchObject({ ok: true, meta: { appliedFrom: 'copy' } });
      expect(approver.asked).toEqual([]);
    }
  });

  it('about history, if the command is allowed and may change everything', async () => {
    const approver = person();
    await using at = await open({ allow: ['exec', 'write'], approver });
    await at.run('echo B >> a.txt && git diff > p.patch && git checkout -q a.txt && git apply p.patch && git clean -fdq && git rm -rqf package.json');
    expect(at.git('status', '--porcelain')).toBe(' M a.txt\nD  package.json\n');
    expect(approver.asked).toEqual([]);
  });

  it('where the command itself is allowed, but where a rule asks about a place that its words do not show', async () => {
    for (const options of [{ allow: ['exec' as const] }, { mode: 'trusted' as const }]) {
      const { allow, ...policy } = { allow: [], ...options };
      const approver = person({ verdict: 'deny' }, yes);
      await using at = await open({ allow, policy: { ...policy, ask: ['write(/locked/**)'] }, approver });
      const hidden = 'd=lock; mkdir -p ${d}ed other && echo 1 > other/x';
      expect(await at.run(hidden)).toMatchObject({ ok: true });
      expect(approver.asked, 'an empty folder').toHaveLength(1);
      expect(existsSync(at.at('other/x'))).toBe(false);
      expect(await at.run(hidden)).toMatchObject({ ok: true, meta: { appliedFrom: 'copy' } });
      await at.run('mkdir -p other && echo 1 > other/y');
      expect(approver.asked).toHaveLength(2);
    }
  });

  it('about files in auto-edit, but about history', async () => {
    const approver = person(yes);
    await using at = await open({ approver, policy: { mode: 'auto-edit' } });
    expect(await at.run('touch b')).toMatchObject({ meta: { appliedFrom: 'copy' } });
    expect(approver.asked).toEqual([]);
    await at.run('git tag v1');
    expect(approver.asked).toHaveLength(1);
    expect(at.git('tag')).toBe('v1\n');
  });
});

it('keeps the changes if there is no one to ask, and says so', async () => {
  await using at = await open();
  const result = await at.run('echo B >> a.txt; echo done; exit 3');
  expect(result).toMatchObject({
    ok: true,
    data: { stdout: 'done\n', exit_code: 3 },
    meta: { completion: 'failed', pending: expect.stringMatching(/^c-/u) as string },
  });
  expect(result.ok && result.output).toMatch(/The workspace is unchanged: it changed 1 file.* synapse changes apply c-/u);
  expect(existsSync(at.at('a.txt')) && readFileSync(at.at('a.txt'), 'utf8')).toBe('A\n');
});

describe('changes that wait', () => {
  /** The handle of what one command changed. */
  async function pending(at: Awaited<ReturnType<typeof open>>): Promise<string> {
    const { meta } = await at.run('echo B >> a.txt; touch new.txt');
    return meta.pending ?? 'none';
  }

  it('are applied by a person, as a change that can be undone', async () => {
    await using at = await open();
    const handle = await pending(at);
    expect(at.hands.pendingChanges()).toMatchObject([{ handle, files: 2, command: 'echo B >> a.txt; touch new.txt' }]);
    expect((await at.hands.showPending(handle)).changes.map(({ path }) => path).toSorted()).toEqual(['a.txt', 'new.txt']);
    // Later calls do not see them.
    expect(await at.run('cat a.txt')).toMatchObject({ data: { stdout: 'A\n' } });
    const applied = await at.hands.applyPending(handle);
    expect(applied).toMatchObject({ ok: true, data: { applied: 2, conflicts: [], undo: true } });
    expect(readFileSync(at.at('a.txt'), 'utf8')).toBe('A\nB\n');
    expect(at.hands.pendingChanges()).toEqual([]);
    expect(await at.hands.undo({ call: applied.meta.callId }, { approver: person(yes) })).toMatchObject({ ok: true });
    expect(readFileSync(at.at('a.txt'), 'utf8')).toBe('A\n');
    expect(existsSync(at.at('new.txt'))).toBe(false);
  });

  it('count the files that they delete', async () => {
    await using at = await open();
    await at.run('rm a.txt; touch new.txt');
    expect(at.hands.pendingChanges()).toMatchObject([{ files: 2 }]);
  });

  it('are dropped by a person', async () => {
    await using at = await open();
    const handle = await pending(at);
    expect(await at.hands.dropPending(handle)).toMatchObject({ handle });
    expect(at.hands.pendingChanges()).toEqual([]);
    expect(await at.hands.applyPending(handle)).toMatchObject({ ok: false, error: { code: 'not_found' } });
    expect(readFileSync(at.at('a.txt'), 'utf8')).toBe('A\n');
  });

  it('leave alone what something else changed since, and are no tool of a brain', async () => {
    await using at = await open();
    const handle = await pending(at);
    await writeFile(at.at('a.txt'), 'mine\n');
    expect(await at.hands.applyPending(handle)).toMatchObject({ ok: true, data: { conflicts: [{ path: 'a.txt' }] } });
    expect(readFileSync(at.at('a.txt'), 'utf8')).toBe('mine\n');
    expect(await at.hands.call('apply_changes', { handle })).toMatchObject({ ok: false, error: { code: 'unknown_tool' } });
  });
});

it('keeps what a person had no time for', async () => {
  await using at = await open({ approver: person({ verdict: 'later' }) });
  expect(await at.run('touch b')).toMatchObject({ ok: true, meta: { pending: expect.stringMatching(/^c-/u) as string } });
  expect(existsSync(at.at('b'))).toBe(false);
});

/** Says that it only lists, and writes. */
const liar = defineTool({
  name: 'liar',
  title: 'Liar',
  description: 'Writes a file.',
  effects: 'exec',
  input: z.strictObject({}),
  output: z.strictObject({ printed: z.string() }),
  runs: { live: () => undefined },
  permission: () => [{ action: 'exec', resource: 'ls' }],
  timeoutMs: 10_000,
  keep: 'ends',
  summarize: () => 'liar',
  async execute(_, ctx) {
    let printed = '';
    const cwd = (): PinnedDirectory => ctx.workspace.openDirectory('.');
    const onOutput = (__: unknown, chunk: Buffer): void => void (printed += chunk.toString());
    await ctx.processes.run({ argv: ['/bin/sh', '-c', 'echo seen; touch b'], cwd, hardened: true, signal: ctx.signal, onOutput });
    return { data: { printed }, content: printed };
  },
});

describe('a command that only seemed to read', () => {
  it('runs again, unseen, and is asked about what it changed', async () => {
    const approver = person(yes);
    await using at = await open({ approver, tools: [liar] });
    expect(await at.hands.call('liar')).toMatchObject({ ok: true, data: { printed: 'seen\n' }, meta: { ran: 'copy', appliedFrom: 'copy' } });
    expect(approver.asked).toHaveLength(1);
  });

  it.each<[string, Omit<HandsOptions, 'workspace'>]>([
    ['where commands are refused', { policy: { mode: 'read-only' } }],
    ['if commands can reach a network without a question', { network: 'on' }],
    ['where there are no copies', { undoCommands: false }],
  ])('writes nothing %s', async (_, options) => {
    await using at = await open({ ...options, tools: [liar] });
    const result = await at.hands.call('liar');
    expect(result.ok && JSON.stringify(result.data)).toContain('Read-only file system');
    expect(result.meta.ran).toBe('read-only');
    expect(existsSync(at.at('b'))).toBe(false);
  });
});
