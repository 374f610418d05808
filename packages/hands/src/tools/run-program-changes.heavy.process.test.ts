import { existsSync, globSync, mkdtempSync, readdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CallResult, DryRun } from '@synapse/protocol';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import type { ApprovalAnswer, ApprovalRequest, Approver } from '../approval/approver.ts';
import { AuditRecord } from '../audit/audit-record.ts';
import { findBubblewrap } from '../sandbox/find-bubblewrap.ts';
import { git } from '../testing/git-repository.ts';
import { temporaryHands } from '../testing/temporary-hands.ts';
import { defineTool } from '../tool/tool.ts';

const works = (await findBubblewrap()) !== undefined;

/** An approver that gives one answer, and what it was asked. */
function answering(answer: ApprovalAnswer): Approver & { readonly asked: ApprovalRequest[] } {
  const asked: ApprovalRequest[] = [];
  return {
    name: 'test',
    asked,
    async ask(request) {
      asked.push(request);
      return answer;
    },
  };
}

const YES: ApprovalAnswer = { verdict: 'allow', scope: 'once' };

/** The records of the log of a workspace, by the calls that they are about. */
function recordsIn(stateFolder: string): Array<z.infer<typeof AuditRecord>> {
  const files = readdirSync(join(stateFolder, 'audit'), { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.jsonl'));
  return files.flatMap((file) =>
    readFileSync(join(stateFolder, 'audit', file), 'utf8')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => AuditRecord.parse(JSON.parse(line))),
  );
}

describe.skipIf(!works)('run_program that changes files', { timeout: 120_000 }, () => {
  it('is one question with its whole effect, one change, and one undo', async () => {
    const approver = answering(YES);
    await using bench = await temporaryHands({ a: 'old\n', b: 'b\n' }, { allow: [], approver });
    const { hands, at } = bench;
    const code = `
      await hands.edit_file({ path: 'a', edits: [{ old_text: 'old', new_text: 'new' }] });
      await hands.write_file({ path: 'c', content: 'c' });
      await hands.run_command({ command: 'rm b; echo d > d' });
      return [(await hands.read_file({ path: 'a' })).content, (await hands.run_command({ command: 'cat c d' })).output];`;
    const result = await hands.call('run_program', { code });
    expect(result).toMatchObject({ ok: true, data: { returned: ['new\n', 'cd\n'], changes: 'applied', changed: 4 }, meta: { undo: 'covered' } });
    expect(approver.asked.map(({ tool }) => tool)).toEqual(['run_program']);
    const changes = approver.asked[0]?.changed?.effect.changes.map(({ kind, path }) => `${kind} ${path}`).toSorted();
    expect(changes).toEqual(['changed a', 'created c', 'created d', 'deleted b']);
    expect([readFileSync(at('a'), 'utf8'), existsSync(at('b')), existsSync(at('c')), existsSync(at('d'))]).toEqual(['new\n', false, true, true]);
    expect(hands.branches()).toEqual([]);
    expect(await hands.undo({ call: result.meta.callId })).toMatchObject({ ok: true });
    expect([readFileSync(at('a'), 'utf8'), existsSync(at('b')), existsSync(at('c')), existsSync(at('d'))]).toEqual(['old\n', true, false, false]);
  });

  it.each<readonly [name: string, answer: ApprovalAnswer, code: string, changes: string]>([
    ['fails', YES, 'await hands.write_file({ path: "c", content: "" }); throw new Error("no")', 'none'],
    ['is refused', { verdict: 'deny', reason: 'not now' }, 'await hands.write_file({ path: "c", content: "" })', 'dropped'],
  ])('leaves nothing behind if it %s', async (_, answer, code, changes) => {
    const approver = answering(answer);
    await using bench = await temporaryHands({ a: 'a' }, { allow: [], approver });
    expect(await bench.hands.call('run_program', { code })).toMatchObject({ ok: true, data: { changes } });
    expect([existsSync(bench.at('c')), bench.hands.branches()]).toEqual([false, []]);
  });

  it('applies exactly what was shown', async () => {
    const folders: string[] = [];
    const approver: Approver = {
      name: 'test',
      async ask() {
        // Something else works in its branch while a person looks.
        for (const upper of globSync(join(folders[0] ?? '', 'branches/*/program-*/upper'))) writeFileSync(join(upper, 'unseen'), '');
        return YES;
      },
    };
    await using bench = await temporaryHands({ a: 'a' }, { allow: [], approver });
    folders.push(join(bench.folder, '../state'));
    const result = await bench.hands.call('run_program', { code: 'await hands.write_file({ path: "c", content: "" })' });
    expect(result).toMatchObject({ ok: true, data: { changes: 'waiting' } });
    expect([existsSync(bench.at('c')), existsSync(bench.at('unseen'))]).toEqual([false, false]);
    expect(bench.hands.branches()).toHaveLength(1);
  });

  it.each<readonly [when: string, method: 'showBranch' | 'dropBranch', isApplied: boolean]>([
    ['before its changes are applied', 'showBranch', false],
    ['once they are applied', 'dropBranch', true],
  ])('says what is true of the workspace if it is cancelled %s', async (_, method, isApplied) => {
    await using bench = await temporaryHands({ a: 'a' }, { policy: { mode: 'auto-edit' } });
    const { hands } = bench;
    const cancelled = new AbortController();
    const real = hands[method];
    Object.defineProperty(hands, method, { configurable: true, get: () => (cancelled.abort(), real) });
    const result = await hands.call('run_program', { code: 'await hands.write_file({ path: "c", content: "" })' }, { signal: cancelled.signal });
    expect([existsSync(bench.at('c')), hands.branches()]).toEqual([isApplied, []]);
    const hint = isApplied ? 'It had ended by then: applied: create c.' : 'The workspace is unchanged.';
    expect(result).toMatchObject({ ok: false, error: { code: 'cancelled', hint } });
    if (isApplied) expect(await hands.undo({ call: result.meta.callId })).toMatchObject({ ok: true });
    expect(existsSync(bench.at('c'))).toBe(false);
  });

  it('asks nothing where the mode allows its changes', async () => {
    const approver = answering({ verdict: 'deny' });
    await using bench = await temporaryHands({ a: 'a' }, { allow: [], policy: { mode: 'auto-edit' }, approver });
    const result = await bench.hands.call('run_program', { code: 'await hands.write_file({ path: "c", content: "" })' });
    expect(result).toMatchObject({ ok: true, data: { changes: 'applied', changed: 1 } });
    expect([existsSync(bench.at('c')), approver.asked]).toEqual([true, []]);
  });

  it('names the folder of many changes of one kind, and each of few', async () => {
    await using bench = await temporaryHands({ 'src/old': '', a: 'a' });
    const code = `for (let i = 0; i < 30; i += 1) await hands.write_file({ path: 'src/f' + i, content: 'f' });
      for (const path of ['a', 'b']) await hands.write_file({ path, content: 'new' });
      await hands.delete_file({ path: 'src/old' });`;
    const result = await bench.hands.call('run_program', { code });
    expect(result).toMatchObject({ ok: true, data: { changes: 'applied', changed: 33 } });
    const told = result.ok ? result.output : '';
    expect(told).toMatch(/^\[33 calls; applied: [^\n]*\]$/u);
    for (const one of ['change a', 'create b', 'create 30 entries of src/', 'delete src/old']) expect(told.split(/[:,\]] ?/u)).toContain(one);
    expect(told).not.toContain('src/f');
  });

  it.each([
    {
      what: 'a commit, a tag and files',
      command: 'git add -A && git commit -qm "Add b" && git tag v1 && echo c > c',
      says: /^\[2 calls; applied: create b, create c, git: branch main moves from [\da-f]{7} to [\da-f]{7}, 1 commit: [\da-f]{7} Add b, git: tag v1 is new, at [\da-f]{7}\]$/u,
      changed: 4,
    },
    {
      what: 'several commits',
      command: 'git add b; for i in 1 2 3 4 5; do git commit -qm "Step $i" --allow-empty; done',
      says: /, git: branch main moves from \w+ to \w+, 5 commits: \w+ Step 5, \w+ Step 4, \w+ Step 3, …\]$/u,
      changed: 2,
    },
    { what: 'what is staged', command: 'git add -A', says: /^\[2 calls; applied: create b, git: 2 files of its own data\]$/u, changed: 2 },
    {
      what: 'a package',
      command: `mkdir -p node_modules/p; echo '{"version":"1.0.0"}' > node_modules/p/package.json; touch node_modules/p/{1..9}`,
      says: /^\[2 calls; applied: create b, node_modules\/: 1 package, 10 files, \d+B\]$/u,
      changed: 11,
    },
  ])('tells what became of repositories in place of their files: $what', async ({ command, says, changed }) => {
    await using bench = await temporaryHands({ a: 'a', '.gitignore': 'node_modules\n' });
    for (const words of ['init -qb main', 'config user.name Ada', 'config user.email ada@example.com', 'add -A', 'commit -qm First'])
      git(bench.folder, ...words.split(' '));
    const code = `await hands.write_file({ path: 'b', content: 'b' }); await hands.run_command({ command: ${JSON.stringify(command)} })`;
    const result = await bench.hands.call('run_program', { code });
    expect(result.ok && result.output).toMatch(says);
    expect(result).toMatchObject({ ok: true, data: { changes: 'applied', changed } });
    // Where it has no branch, what it did to references is not known.
    await using branch = await bench.hands.branch('one');
    const live = await branch.call('run_program', { code: code.replaceAll("'b'", "'d'").replaceAll('b', 'd') });
    expect(live).toMatchObject({ ok: true, data: { changes: 'applied' } });
    expect(live.ok && live.output).not.toContain('.git/');
  });

  it('waits in a branch where there is no person, and is applied from there', async () => {
    await using bench = await temporaryHands({ a: 'a' }, { allow: [] });
    const result = await bench.hands.call('run_program', { code: 'await hands.write_file({ path: "c", content: "" })' });
    expect(result).toMatchObject({
      ok: true,
      data: { changes: 'waiting' },
      content: [{ text: expect.stringContaining('synapse branch diff program-') as unknown }, {}],
    });
    const [branch] = bench.hands.branches();
    expect(existsSync(bench.at('c'))).toBe(false);
    expect(await bench.hands.applyBranch(branch?.name ?? '')).toMatchObject({ ok: true, data: { applied: 1 } });
    expect(existsSync(bench.at('c'))).toBe(true);
  });

  it('asks at once about what a rule of Synapse protects, and about what cannot be taken back', async () => {
    const approver = answering({ verdict: 'deny' });
    await using bench = await temporaryHands({ a: 'a' }, { allow: [], policy: { mode: 'auto-edit' }, approver });
    const result = await bench.hands.call('run_program', { code: 'await hands.write_file({ path: ".git/hooks/pre-commit", content: "x" })' });
    expect(result).toMatchObject({ ok: true, meta: { completion: 'failed' }, data: { changes: 'none' } });
    expect(approver.asked.map(({ tool }) => tool)).toEqual(['write_file']);
  });

  it('is on record with its calls, which name it', async () => {
    const stateFolder = realpathSync(mkdtempSync(join(tmpdir(), 'synapse-program-')));
    await using bench = await temporaryHands({ a: 'a' }, { policy: { mode: 'auto-edit' }, stateFolder });
    const { hands } = bench;
    const { meta } = await hands.call('run_program', {
      code: 'await hands.read_file({ path: "a" }); await hands.write_file({ path: "c", content: "" })',
    });
    const ends = recordsIn(stateFolder).flatMap((record) => (record.type === 'end' && record.parent === meta.callId ? [record] : []));
    expect(ends.map(({ tool, ok }) => `${tool} ${ok}`).toSorted()).toEqual(['read_file true', 'write_file true']);
  });

  it('leaves receipts of the commands that it ran', async () => {
    await using bench = await temporaryHands({ a: 'a' });
    const { meta } = await bench.hands.call('run_program', { code: 'await hands.run_command({ command: "test -f a && echo found" })' });
    expect(await bench.hands.receipts()).toMatchObject([{ command: 'test -f a && echo found', exit_code: 0 }]);
    expect(meta.completion).toBe('ok');
  });

  it('deletes what a program left that was killed', async () => {
    await using bench = await temporaryHands({ a: 'a' }, { policy: { mode: 'auto-edit' } });
    const { hands } = bench;
    await hands.createBranch('program-00000000');
    await hands.createBranch('mine');
    // Of a process that has ended: none has this number.
    const [folder = ''] = globSync(join(bench.folder, '..', 'state/branches/*/program-00000000'));
    writeFileSync(join(folder, 'program'), '4194304 1');
    expect(await hands.call('run_program', { code: 'await hands.write_file({ path: "c", content: "" })' })).toMatchObject({ ok: true });
    expect(hands.branches().map(({ name }) => name)).toEqual(['mine']);
  });

  it('changes the workspace call by call where it has no branches, and takes that back if it fails', async () => {
    await using bench = await temporaryHands({ a: 'old\n' }, { policy: { mode: 'auto-edit' } });
    await using branch = await bench.hands.branch('one');
    const edit = 'await hands.edit_file({ path: "a", edits: [{ old_text: "old", new_text: "new" }] });';
    const failed = await branch.call('run_program', { code: `${edit} await hands.write_file({ path: "c", content: "" }); throw new Error("no")` });
    expect(failed).toMatchObject({ ok: true, meta: { completion: 'failed' } });
    expect(await branch.changes()).toEqual([]);
    const done = await branch.call('run_program', { code: `${edit} return 1` });
    expect(done).toMatchObject({ ok: true, data: { returned: 1, changes: 'applied', changed: 1 } });
    expect(await branch.call('read_file', { path: 'a' })).toMatchObject({ data: { content: 'new\n' } });
    expect(await branch.undo({ call: done.meta.callId })).toMatchObject({ ok: true });
    expect(await branch.call('read_file', { path: 'a' })).toMatchObject({ data: { content: 'old\n' } });
  });
});

describe.skipIf(!works)('a dry run of run_program', { timeout: 120_000 }, () => {
  const report = (result: CallResult): DryRun => (result.ok ? result.meta.dryRun : undefined) ?? expect.fail(`No dry run: ${JSON.stringify(result)}`);

  it('shows the whole diff, answers as the program would, and applies nothing', async () => {
    const approver = answering({ verdict: 'deny' });
    await using bench = await temporaryHands({ a: 'old\n', b: 'b\n' }, { allow: [], approver });
    const { hands, at } = bench;
    const code = `
      await hands.edit_file({ path: 'a', edits: [{ old_text: 'old', new_text: 'new' }] });
      await hands.edit_file({ path: 'a', edits: [{ old_text: 'new', new_text: 'newer' }] });
      await hands.run_command({ command: 'cat a > c; rm b' });
      return (await hands.read_file({ path: 'c' })).content;`;
    const result = await hands.call('run_program', { code }, { dryRun: true });
    expect(result).toMatchObject({ ok: true, data: { returned: 'newer\n', changes: 'tried', changed: 3 } });
    const { changes } = report(result);
    expect(changes.map(({ kind, path }) => `${kind} ${path}`).toSorted()).toEqual(['changed a', 'created c', 'deleted b']);
    expect(changes.find(({ path }) => path === 'a')?.diff).toContain('-old\n+newer\n');
    expect(result).toMatchObject({ output: expect.stringMatching(/^Dry run: nothing was changed\.[^]*\+newer\n/u) as unknown });
    expect([readFileSync(at('a'), 'utf8'), existsSync(at('b')), existsSync(at('c'))]).toEqual(['old\n', true, false]);
    expect([approver.asked, hands.branches(), await hands.changes({ call: result.meta.callId })]).toEqual([[], [], []]);
  });

  it('is on record as a dry run, and so are its calls', async () => {
    const stateFolder = realpathSync(mkdtempSync(join(tmpdir(), 'synapse-program-')));
    await using bench = await temporaryHands({ a: 'a' }, { policy: { mode: 'auto-edit' }, stateFolder });
    const code = 'await hands.read_file({ path: "a" }); await hands.write_file({ path: "c", content: "" })';
    await bench.hands.call('run_program', { code }, { dryRun: true });
    const starts = recordsIn(stateFolder).flatMap((record) => (record.type === 'start' ? [`${record.tool} ${record.dry_run}`] : []));
    expect(starts.toSorted()).toEqual(['read_file true', 'run_program true', 'write_file true']);
  });

  it('leaves no receipts: what was only tried proves nothing', async () => {
    await using bench = await temporaryHands({ a: 'a' });
    const result = await bench.hands.call(
      'run_program',
      { code: 'return (await hands.run_command({ command: "echo b > a" })).exit_code' },
      { dryRun: true },
    );
    expect(result).toMatchObject({ ok: true, data: { returned: 0, changes: 'tried' } });
    expect(await bench.hands.receipts()).toEqual([]);
  });

  it('reaches nothing outside: no server, no network, no workspace of its own', async () => {
    let calls = 0;
    const sent = defineTool({
      name: 'send',
      description: 'Send a message.',
      effects: 'exec',
      outside: true,
      input: z.strictObject({}),
      execute: async () => {
        calls += 1;
        return 'sent';
      },
    });
    await using server = createServer((socket) => {
      calls += 1;
      socket.destroy();
    });
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    const address = server.address();
    const port = address === null || typeof address === 'string' ? expect.fail('no port') : address.port;
    await using bench = await temporaryHands(
      { a: 'a' },
      { allow: ['write', 'exec', 'fetch'], approver: answering(YES), tools: [sent], network: 'on' },
    );
    const attempt = (call: string): string => `try { await ${call}; tried.push('done') } catch (error) { tried.push(error.code) }`;
    const code = `
      const tried = [];
      await hands.write_file({ path: 'c', content: '' });
      ${attempt('hands.send({})')}
      ${attempt(`hands.fetch_url({ url: 'http://127.0.0.1:${port}/' })`)}
      ${attempt(`hands.run_command({ command: 'touch d', live: true })`)}
      const { exit_code: code } = await hands.run_command({ command: 'exec 3<>/dev/tcp/127.0.0.1/${port}' });
      return [...tried, code === 0];`;
    const result = await bench.hands.call('run_program', { code }, { dryRun: true });
    expect(result).toMatchObject({ ok: true, data: { returned: ['unavailable', 'unavailable', 'unavailable', false] } });
    expect([calls, existsSync(bench.at('c')), existsSync(bench.at('d'))]).toEqual([0, false, false]);
    // The control: for real, each of them is reached.
    const real = await bench.hands.call('run_program', { code });
    expect(real).toMatchObject({ ok: true, data: { returned: ['done', expect.anything(), 'done', true] } });
    expect(calls).toBe(2);
  });

  it('runs no command for an agent that the policy would ask about', async () => {
    await using bench = await temporaryHands({ a: 'secret\n' }, { allow: [], approver: answering({ verdict: 'deny', reason: 'No.' }) });
    const code = 'await hands.write_file({ path: "c", content: "" }); return (await hands.run_command({ command: "cat a" })).output;';
    const asAgent = await bench.hands.call('run_program', { code }, { dryRun: true, dryRunFor: 'agent', asksFirst: 'all' });
    expect(asAgent).toMatchObject({ ok: true, data: { returned: null, error: { message: expect.stringContaining('No.') as unknown } } });
    const asPerson = await bench.hands.call('run_program', { code }, { dryRun: true, asksFirst: 'all' });
    expect(asPerson).toMatchObject({ ok: true, data: { returned: 'secret\n', changes: 'tried' } });
  });

  it('says what failed, and shows no changes', async () => {
    await using bench = await temporaryHands({ a: 'a' });
    const code = 'await hands.write_file({ path: "c", content: "" }); throw new Error("no")';
    const result = await bench.hands.call('run_program', { code }, { dryRun: true });
    expect(result).toMatchObject({ ok: true, data: { error: { message: 'no' }, changes: 'none' }, meta: { completion: 'failed' } });
    expect([report(result).changes, bench.hands.branches()]).toEqual([[], []]);
  });

  it('is refused where it has no branches and would change something', async () => {
    await using bench = await temporaryHands({ a: 'a' });
    await using branch = await bench.hands.branch('one');
    const read = await branch.call('run_program', { code: 'return (await hands.read_file({ path: "a" })).content' }, { dryRun: true });
    expect(read).toMatchObject({ ok: true, data: { returned: 'a' } });
    const code = 'await hands.write_file({ path: "c", content: "" })';
    const result = await branch.call('run_program', { code }, { dryRun: true });
    expect(result).toMatchObject({ ok: true, data: { error: { message: expect.stringContaining('needs a branch') as unknown } } });
    expect(await branch.changes()).toEqual([]);
  });
});
