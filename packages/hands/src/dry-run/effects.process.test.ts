import { mkdirSync, readdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CallResult } from '@synapse/protocol';
import { describe, expect, it } from 'vitest';
import type { ApprovalAnswer, Approver, Trial } from '../approval/approver.ts';
import type { HandsOptions } from '../runtime/hands-options.ts';
import { findBubblewrap } from '../sandbox/find-bubblewrap.ts';
import { readTree } from '../testing/read-tree.ts';
import { temporaryHands, type TemporaryHands } from '../testing/temporary-hands.ts';

const FILES = { 'a.txt': 'one\n', 'b.txt': 'b\n', 'd/x': 'x', 'run.sh': '', '.env': 'KEY=secret\n', 'r/.git/HEAD': 'ref: refs/heads/main\n' };

/** A person who tries it, and answers to what they see. */
function person(answer: (trial: Trial, tryAgain: () => Promise<Trial>) => ApprovalAnswer | Promise<ApprovalAnswer>): Approver {
  return {
    name: 'person',
    async ask({ tryOut }, signal) {
      if (tryOut === undefined) return { verdict: 'deny', reason: 'cannot be tried' };
      return await answer(await tryOut(signal), () => tryOut(signal));
    },
  };
}

const yes = ({ fingerprint }: Trial): ApprovalAnswer => ({ verdict: 'allow', scope: 'once', effect: fingerprint });
const place = (options: Omit<HandsOptions, 'workspace'> = {}): Promise<TemporaryHands> => temporaryHands(FILES, { sandbox: 'required', ...options });
const asking = (approver: Approver): Promise<TemporaryHands> => place({ allow: [], approver });
// Asked before, where it can be tried; by the mode alone a person would be asked about what it changed.
const run = (at: TemporaryHands, command: string, rest: object = {}): Promise<CallResult> =>
  at.hands.call('run_command', { command, ...rest }, { asksFirst: 'all' });
/** What is left of copies. */
const areasOf = (at: TemporaryHands): string[] => {
  const folder = join(at.folder, '../state/transactions');
  return readdirSync(folder).flatMap((id) => readdirSync(join(folder, id)));
};
const failed = (code: string, message: string): object => ({ ok: false, error: { code, message: expect.stringContaining(message) as string } });

describe.skipIf((await findBubblewrap()) === undefined)('the effect of a command', () => {
  // Names are put together by the shell: named in full they are refused before anything runs.
  it.each<[string, string, string, RegExp, RegExp]>([
    ['a pipe', 'mkfifo p', 'p', /a pipe, a socket or a device/u, /Not kept of what it did: p \(a pipe/u],
    [
      'orders to an agent',
      'f=.mcp; echo {} > $f.json',
      '.mcp.json',
      /an agent reads its tools/u,
      /moved to quarantine: \.mcp\.json \(protected: an agent reads its tools/u,
    ],
    [
      'a hook',
      'g=git; mkdir -p r/.$g/hooks; echo x > r/.$g/hooks/pre-commit',
      'r/.git/hooks/pre-commit',
      /git runs it/u,
      /r\/\.git\/hooks\/pre-commit \(git-hook: /u,
    ],
    ['settings of git', 'g=git; echo x > r/.$g/config', 'r/.git/config', /unreadable/u, /r\/\.git\/config \(git-config: /u],
    [
      "Synapse's own folder",
      's=syn; mkdir .${s}apse; echo {} > .${s}apse/config.jsonc',
      '.synapse',
      /never written by a call/u,
      /\.synapse \(denied: /u,
    ],
    ['what a rule denies', 'w=lock; echo x > ${w}ed.txt', 'locked.txt', /rule "deny write\(locked\.txt\)"/u, /locked\.txt \(denied: /u],
  ])('leaves out %s, and says so', async (_, command, path, reason, told) => {
    await using at = await place({ policy: { deny: ['write(locked.txt)'] }, sandbox: 'required' });
    const before = readTree(at.folder);
    const wanted = `mkdir n; ${command}; echo kept > kept`;
    const tried = await at.hands.call('run_command', { command: wanted }, { dryRun: true });
    expect(tried.meta.dryRun?.omitted[0]).toEqual({ path, reason: expect.stringMatching(reason) as string });
    expect(await run(at, wanted)).toMatchObject({ ok: true, output: expect.stringMatching(told) as string });
    const { kept, n, 'r/.git/hooks': hooks, ...rest } = readTree(at.folder);
    expect(hooks ?? 'folder 755').toBe('folder 755');
    expect(kept).toMatch(/ kept\n$/u);
    expect(n).toMatch(/^folder/u);
    expect(rest).toEqual(before);
  });

  it('reports links that lead out', async () => {
    await using at = await place();
    const result = await run(at, `ln -s /etc/passwd l; mkdir n; perl -e 'symlink "../../x", "n/l"'`);
    for (const part of ['l is a link that leads out of the workspace, to /etc/passwd', 'n/l is a link that leads out'])
      expect(result.ok && result.output).toContain(part);
  });

  it('hands on no rights', async () => {
    await using at = await place();
    const result = await run(at, 'chmod 4755 run.sh');
    expect(result.ok && result.output).toContain('run.sh does not get');
    expect(readTree(at.folder)['run.sh']).toMatch(/^file 755 /u);
  });

  it('has read nothing that is secret, and had no network, whatever the policy gives', async () => {
    await using at = await place({ network: { domains: ['example.com'] } });
    const command = 'cat .env; grep -c : /proc/net/dev; env | grep -ci _proxy=; ls /tmp/.synapse-bridge';
    const result = await at.hands.call('run_command', { command }, { dryRun: true });
    expect(result.ok && result.data.stdout).toBe('1\n0\n');
    expect(result.ok && result.data.stderr).toMatch(/denied[^]*No such file/u);
  });

  it('has the network of the policy where it is kept, and not where it is tried', async () => {
    await using at = await place({ network: 'on', undoCommands: true });
    const input = { command: 'test $(grep -c : /proc/net/dev) -gt 1 && echo network' };
    const kept = await at.hands.call('run_command', input);
    const tried = await at.hands.call('run_command', input, { dryRun: true });
    expect([kept.ok && kept.data.stdout, tried.ok && tried.data.stdout]).toEqual(['network\n', '']);
  });

  it('is nothing where the command is ended in the middle', async () => {
    await using at = await place({ undoCommands: true });
    const before = readTree(at.folder);
    const result = await run(at, 'echo x > a.txt; sleep 60', { timeout_ms: 1_500 });
    expect(result).toMatchObject({ ok: true, output: expect.stringContaining('The workspace is as it was') as string, data: { timed_out: true } });
    expect(readTree(at.folder)).toEqual(before);
  });

  it('can be what turns files into folders and back', async () => {
    await using at = await place({ undoCommands: true });
    const before = readTree(at.folder);
    expect(await run(at, 'rm a.txt; mkdir a.txt; echo 1 > a.txt/in; rm -r d; echo 2 > d; rm b.txt; ln -s d b.txt; chmod 711 r')).toMatchObject({
      ok: true,
    });
    expect(readTree(at.folder)).toMatchObject({ 'a.txt/in': 'file 644 1\n', d: 'file 644 2\n', 'b.txt': 'link d', r: 'folder 711' });
    expect(await at.hands.undo()).toMatchObject({ ok: true });
    expect(readTree(at.folder)).toEqual(before);
  });

  it('shows what comes in the place of something else, and what may be run', async () => {
    await using at = await place();
    symlinkSync('a.txt', at.at('l'));
    writeFileSync(at.at('bin'), Buffer.from([0, 1, 2]));
    const command =
      'rm l; echo evil > l; chmod 755 l; rm -r d; echo worse > d; echo worst > bin; rm b.txt; mkdir b.txt; ln -sf x run.sh; echo \\#! > go; chmod 755 go';
    const { meta } = await at.hands.call('run_command', { command }, { dryRun: true });
    expect(meta.dryRun?.changes).toMatchObject([
      { path: 'b.txt', note: 'a file, 2B → a folder; mode 644 → 755', diff: expect.stringContaining('-b') as string },
      { path: 'bin', note: 'binary, 3B → a file, 6B', diff: expect.stringContaining('+worst') as string },
      { path: 'd', note: 'a folder → a file, 6B; mode 755 → 644', diff: expect.stringContaining('+worse') as string },
      { path: 'd/x' },
      { path: 'go', note: 'mode 755', diff: expect.stringContaining('+#!') as string },
      { path: 'l', note: 'a link to a.txt → a file, 5B; mode 755', diff: expect.stringContaining('+evil') as string },
      { path: 'run.sh', note: 'a file, 0B → a link to x' },
    ]);
  });

  it('shows each of two names that could be taken for one another', async () => {
    await using at = await place();
    for (const name of ['f\ng', 'f\\x0ag']) writeFileSync(at.at(name), name);
    const { meta } = await at.hands.call('run_command', { command: 'for f in f*; do echo evil > "$f"; done' }, { dryRun: true });
    expect(meta.dryRun?.changes.map(({ path }) => path)).toEqual(['f\\x0ag', 'f\\x5cx0ag']);
  });

  it('says that it is not in the audit log if that cannot be written', async () => {
    await using at = await place({ undoCommands: true });
    const audit = join(at.folder, '..', 'state', 'audit');
    const onProgress = (): void => {
      rmSync(audit, { recursive: true, force: true });
      writeFileSync(audit, '');
    };
    const result = await at.hands.call('run_command', { command: 'mkfifo p; echo ready; sleep 1' }, { onProgress });
    for (const part of ['Not kept of what it did: p', 'is not in the audit log']) expect(result.ok && result.output).toContain(part);
  });
});

describe.skipIf((await findBubblewrap()) === undefined)('a person who tries a command', () => {
  it('says yes to exactly what they saw; the command does not run again', async () => {
    const seen: string[] = [];
    await using at = await asking(
      person((trial) => {
        seen.push(...trial.effect.changes.map(({ kind, path }) => `${kind} ${path}`));
        expect(trial).toMatchObject({ output: 'said\n', completion: 'failed' });
        return yes(trial);
      }),
    );
    const result = await run(at, 'echo said; cat /proc/sys/kernel/random/uuid > id; exit 3');
    expect(seen).toEqual(['created id']);
    expect(result).toMatchObject({ ok: true, data: { exit_code: 3, stdout: 'said\n' }, meta: { appliedFrom: 'copy', undo: 'covered' } });
    const [change] = await at.hands.changes();
    expect(change).toMatchObject({ kind: 'created', path: 'id', current: true });
  });

  it('changes nothing by a no', async () => {
    await using at = await asking(person(() => ({ verdict: 'deny', reason: 'not that' })));
    const before = readTree(at.folder);
    expect(await run(at, 'rm -r d')).toMatchObject({ ok: false, error: { code: 'denied', hint: 'They said: not that' } });
    expect(readTree(at.folder)).toEqual(before);
    expect(areasOf(at)).toEqual([]);
  });

  it.each<[string, (trial: Trial, tryAgain: () => Promise<Trial>) => ApprovalAnswer | Promise<ApprovalAnswer>]>([
    ['another effect', () => ({ verdict: 'allow', scope: 'once', effect: '0'.repeat(64) })],
    [
      'one that came out otherwise when it was tried again',
      async (trial, tryAgain) => {
        expect((await tryAgain()).fingerprint).not.toBe(trial.fingerprint);
        return yes(trial);
      },
    ],
  ])('is not taken at their word for %s', async (_, answer) => {
    await using at = await asking(person(answer));
    expect(await run(at, 'cat /proc/sys/kernel/random/uuid > id')).toMatchObject({ ok: false, error: { code: 'denied' } });
    expect(readdirSync(at.folder)).not.toContain('id');
  });

  it('waits for nothing when the call is cancelled meanwhile, and nothing goes on', async () => {
    const controller = new AbortController();
    await using at = await asking(
      person(() => {
        throw new Error('must not be shown');
      }),
    );
    at.hands.subscribe((event) => {
      if (event.type === 'call-progress') controller.abort();
    });
    const result = await at.hands.call('run_command', { command: 'echo begun; sleep 60' }, { signal: controller.signal, asksFirst: 'all' });
    expect(result).toMatchObject({ ok: false, error: { code: 'cancelled' } });
    expect(areasOf(at)).toEqual([]);
  });

  it('may let it run as it is after all', async () => {
    await using at = await asking(person(() => ({ verdict: 'allow', scope: 'once' })));
    const result = await run(at, 'echo x > a.txt');
    expect(result).toMatchObject({ ok: true, meta: { undo: 'covered' } });
  });

  it.each<[string, (at: TemporaryHands) => void, string]>([
    ['a file was changed', (at) => writeFileSync(at.at('d/x'), 'theirs'), 'd/x was changed by something else meanwhile'],
    ['a file is gone', (at) => rmSync(at.at('d/x')), 'd/x was changed by something else meanwhile'],
    ['a name is taken', (at) => writeFileSync(at.at('new.txt'), 'theirs'), 'new.txt was changed by something else meanwhile'],
    ['permissions were changed', (at) => rmSync(at.at('a.txt')), 'a.txt was changed by something else meanwhile'],
    [
      'a folder is a link by now',
      (at) => {
        renameSync(at.at('d'), at.at('elsewhere'));
        symlinkSync('elsewhere', at.at('d'));
      },
      'd/x was changed by something else meanwhile',
    ],
    [
      'a folder leads out by now',
      (at) => {
        mkdirSync(join(at.outside, 'd'));
        writeFileSync(join(at.outside, 'd/x'), 'x');
        renameSync(at.at('d'), at.at('elsewhere'));
        symlinkSync(join(at.outside, 'd'), at.at('d'));
      },
      'd',
    ],
  ])('gets all of it or nothing: %s in between', async (_, meddle, problem) => {
    let between: Record<string, string> = {};
    const at: TemporaryHands = await asking(
      person((trial) => {
        meddle(at);
        between = readTree(at.folder);
        return yes(trial);
      }),
    );
    await using _at = at;
    const result = await run(at, 'echo 1 >> a.txt; echo 2 >> d/x; echo 3 > new.txt; echo 4 >> b.txt');
    expect(result).toMatchObject({ ok: false, error: { message: expect.stringContaining(problem) as string } });
    expect(readTree(at.folder)).toEqual(between);
    await expect(at.hands.undo()).rejects.toThrow('Nothing to undo');
  });

  it('sees why it cannot be applied, and then it is not', async () => {
    await using at = await asking(
      person((trial) => {
        expect(trial.effect.blocked).toContain('ended before it was done');
        return yes(trial);
      }),
    );
    const result = await run(at, 'echo x > big; sleep 60', { timeout_ms: 1_500 });
    expect(result).toMatchObject(failed('conflict', 'What was tried was not applied'));
    expect(readdirSync(at.folder)).not.toContain('big');
    expect(areasOf(at)).toEqual([]);
  });

  it('is not offered to try what is no command, or has no sandbox', async () => {
    const approver = person(yes);
    await using at = await asking(approver);
    expect(await at.hands.call('write_file', { path: 'a', content: '' })).toMatchObject({ error: { hint: 'They said: cannot be tried' } });
    await using bare = await place({ allow: [], approver, sandbox: 'none' });
    expect(await run(bare, 'id')).toMatchObject({ error: { hint: 'They said: cannot be tried' } });
  });
});

describe('where commands cannot run on a copy', () => {
  it('a dry run says so, and nothing runs for real', async () => {
    await using at = await place({ sandbox: 'none' });
    const result = await at.hands.call('run_command', { command: 'echo x > ran' }, { dryRun: true });
    expect(result).toMatchObject(failed('unavailable', 'It was not run'));
    expect(readdirSync(at.folder)).not.toContain('ran');
  });

  it('commands run as usual, and the records say that undo does not cover them', async () => {
    await using at = await place({ sandbox: 'none', undoCommands: true });
    expect(await run(at, 'echo x > ran')).toMatchObject({
      ok: true,
      meta: { undo: 'not covered' },
    });
    expect(readdirSync(at.folder)).toContain('ran');
  });
});
