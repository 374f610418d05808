import { mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CallEvent } from '@synapse/protocol';
import { describe, expect, it } from 'vitest';
import type { ApprovalRequest } from '../approval/approver.ts';
import { hunksIn } from '../branch/hunks.ts';
import { findBubblewrap } from '../sandbox/find-bubblewrap.ts';
import { SecretStore } from '../secrets/secret-store.ts';
import { git, initRepository } from '../testing/git-repository.ts';
import { createHands } from './create-hands.ts';
import type { HandsOptions } from './hands-options.ts';

// Nothing but the store tells that this is one.
const VALUE = 'correct-horse-battery';
const MASK = '*'.repeat(VALUE.length);

/** A workspace with files, and hands of a user who has a secret. */
async function open(files: Readonly<Record<string, string>>, more: Partial<HandsOptions> = {}) {
  const base = mkdtempSync(join(tmpdir(), 'synapse-shown-'));
  const [workspace, stateFolder, configFolder] = [join(base, 'workspace'), join(base, 'state'), join(base, 'config')];
  mkdirSync(workspace);
  for (const [name, text] of Object.entries(files)) writeFileSync(join(workspace, name), text);
  const place = { scheme: 'https', host: 'api.example', port: 443, as: { kind: 'bearer' } } as const;
  await new SecretStore(stateFolder).add({ name: 'TOKEN', also: [], texts: {}, places: [place], value: VALUE, added: '2026-01-01' });
  const hands = await createHands({ workspace, stateFolder, configFolder, allow: ['exec', 'write'], ...more });
  return { hands, stateFolder, workspace, read: (name: string) => readFileSync(join(workspace, name), 'utf8') };
}

const LINES = Array.from({ length: 30 }, (_, index) => `${index}\n`);
/** Two places that change, each with the secret in it. */
const EDITED = LINES.with(2, `first ${VALUE}\n`).with(20, `second ${VALUE}\n`).join('');

function records(folder: string): string {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return files.map((entry) => readFileSync(join(entry.parentPath, entry.name), 'latin1')).join('\n');
}

it('takes secrets out of the changes of calls, and puts back what was there', async () => {
  const { hands, read } = await open({ a: `key: ${VALUE}\n` });
  await using _hands = hands;
  await hands.call('edit_file', { path: 'a', edits: [{ old_text: `key: ${VALUE}`, new_text: 'key: gone' }] });
  const [change] = await hands.changes();
  expect(change?.diff).toContain(`-key: ${MASK}\n+key: gone`);
  expect((await hands.undo()).ok).toBe(true);
  expect(read('a')).toBe(`key: ${VALUE}\n`);
});

it.each([
  ['write_file', { content: `title: new\nkey: ${MASK}\n` }, 2],
  ['edit_file', { edits: [{ old_text: 'title: old\n', new_text: `key: ${MASK}\ntitle: old\n` }] }, 1],
  ['apply_patch', { patch: `*** Begin Patch\n*** Update File: a\n@@\n title: old\n+key: ${MASK}\n*** End Patch\n` }, 2],
])('%s does not write the mask of a secret that the file has', async (tool, input, line) => {
  const { hands, read } = await open({ a: `title: old\nkey: ${VALUE}\n` });
  await using _hands = hands;
  const result = await hands.call(tool, tool === 'apply_patch' ? input : { path: 'a', ...input });
  expect(result).toMatchObject({
    ok: false,
    error: { code: 'invalid_arguments', message: expect.stringContaining(`Line ${line} of the new text of a has asterisks`) as string },
  });
  expect(read('a')).toBe(`title: old\nkey: ${VALUE}\n`);
  // A text without the mask is written, also with other asterisks.
  expect((await hands.call('write_file', { path: 'a', content: `${'*'.repeat(70)}\ntitle: new\n` })).ok).toBe(true);
  // So it is taken back: nothing that undo puts back is a mask.
  expect((await hands.undo()).ok).toBe(true);
  expect(read('a')).toBe(`title: old\nkey: ${VALUE}\n`);
});

it('says of asterisks in an edit that a secret may be masked there', async () => {
  const { hands, read } = await open({ a: `key: ${VALUE}\n`, b: `key: 1\n// ${MASK}\n` });
  await using _hands = hands;
  const hints = async (path: string) => {
    const result = await hands.call('edit_file', { path, edits: [{ old_text: `key: ${MASK}`, new_text: 'key: 2' }] });
    return result.ok ? '' : result.error.hint;
  };
  expect(await hints('a')).toContain('a secret is masked there: leave that part out');
  expect(await hints('b')).not.toContain('masked');
  expect(read('a')).toBe(`key: ${VALUE}\n`);
});

it('takes secrets out of questions, of which no rule with one is offered', async () => {
  const asked: ApprovalRequest[] = [];
  const { hands, read, stateFolder } = await open(
    { a: `key: ${VALUE}\n` },
    {
      allow: [],
      approver: {
        name: 'test',
        async ask(request) {
          asked.push(request);
          const [proposal] = request.proposals;
          return { verdict: 'allow', scope: 'session', ...(proposal === undefined ? {} : { proposal }) };
        },
      },
    },
  );
  await using _hands = hands;
  const edit = { path: 'a', edits: [{ old_text: `key: ${VALUE}`, new_text: `other: ${VALUE}` }] };
  const results = [await hands.call('edit_file', edit), await hands.call('run_command', { command: `node -e 0 ${VALUE} && touch other` })];
  expect(results.map(({ ok }) => ok)).toEqual([true, true]);
  expect(asked.map(({ tool }) => tool)).toEqual(['edit_file', 'run_command']);
  expect(JSON.stringify(asked)).toContain(MASK);
  expect(JSON.stringify(asked)).not.toContain(VALUE);
  // What runs is what was asked for.
  expect(read('a')).toBe(`other: ${VALUE}\n`);
  expect(JSON.stringify(hands.policy())).not.toContain(VALUE);
  expect(records(join(stateFolder, 'audit'))).not.toContain(VALUE);
});

it('takes secrets out of the events and the record of the very first call', async () => {
  const { hands, stateFolder } = await open({});
  const events: CallEvent[] = [];
  hands.subscribe((event) => events.push(event));
  await hands.call('write_file', { path: 'a', content: VALUE });
  await hands.dialect('synapse').call('no_such_tool', { text: VALUE });
  await hands.call('no_such_tool', { text: VALUE });
  await hands[Symbol.asyncDispose]();
  expect(events.filter(({ type }) => type === 'call-start')).toHaveLength(3);
  expect(JSON.stringify(events)).not.toContain(VALUE);
  expect(records(join(stateFolder, 'audit'))).not.toContain(VALUE);
});

describe.skipIf((await findBubblewrap()) === undefined || !process.features.typescript)('what commands changed', () => {
  it('is shown without secrets in the subjects of commits that a branch has', async () => {
    const { hands, workspace } = await open({ a: 'a\n' });
    await using _hands = hands;
    initRepository(workspace, { a: 'a\n' });
    await hands.createBranch('one');
    await using branch = await hands.branch('one');
    const commit = `git -c user.name=a -c user.email=a@b commit -q --allow-empty -m 'about ${VALUE}'`;
    expect(await branch.call('run_command', { command: commit })).toMatchObject({ ok: true, data: { exit_code: 0 } });
    // What the workspace commits meanwhile holds the repository of the branch.
    git(workspace, 'commit', '-q', '--allow-empty', '-m', 'meanwhile');
    const { held } = await hands.showBranch('one');
    expect(held).toMatchObject([{ repository: '.git', commits: [{ subject: `about ${MASK}` }] }]);
  });

  it('is asked about, shown while it waits, and applied as it is', async () => {
    const asked: ApprovalRequest[] = [];
    const later: HandsOptions['approver'] = {
      name: 'test',
      async ask(request) {
        asked.push(request);
        return { verdict: 'later' };
      },
    };
    const { hands, read } = await open({ a: LINES.join(''), new: EDITED }, { allow: [], approver: later });
    await using _hands = hands;
    const result = await hands.call('run_command', { command: `cp new a # ${VALUE}` });
    expect(JSON.stringify(asked.map(({ changed }) => changed?.effect.changes))).toContain(`+first ${MASK}`);
    expect(JSON.stringify([asked, result, hands.pendingChanges()])).not.toContain(VALUE);
    const [pending] = hands.pendingChanges();
    const shown = await hands.showPending(pending?.handle ?? '');
    expect(shown.changes[0]?.diff).toContain(`+first ${MASK}`);
    expect(JSON.stringify(shown)).not.toContain(VALUE);
    expect((await hands.applyPending(pending?.handle ?? '')).ok).toBe(true);
    expect(read('a')).toBe(EDITED);
  });

  it('is shown, compared, and applied by hunk from branches', async () => {
    const { hands, read } = await open({ a: LINES.join(''), new: EDITED });
    await using _hands = hands;
    for (const name of ['one', 'two']) {
      await using branch = await hands.branch(name);
      if (name === 'one') expect((await branch.call('run_command', { command: 'cp new a' })).ok).toBe(true);
      expect(JSON.stringify(await branch.changes())).not.toContain(VALUE);
    }
    const shown = await hands.showBranch('one');
    const compared = await hands.compareBranches('two', 'one');
    for (const { changes } of [shown, compared]) expect(changes[0]?.diff).toContain(`+first ${MASK}`);
    expect(JSON.stringify([shown, compared])).not.toContain(VALUE);
    const hunks = hunksIn(shown.changes[0]?.diff ?? '').map(({ text }) => text);
    expect(hunks).toHaveLength(2);
    const stale = await hands.applyBranch('one', { paths: ['a'], hunks: [{ path: 'a', take: [2], seen: [hunks[0] ?? ''] }] });
    expect(stale.ok ? undefined : stale.error.code).toBe('conflict');
    const applied = await hands.applyBranch('one', { paths: ['a'], hunks: [{ path: 'a', take: [2], seen: [hunks[1] ?? ''] }] });
    expect(applied.ok ? '' : applied.error.message).toBe('');
    expect(read('a')).toBe(LINES.with(20, `second ${VALUE}\n`).join(''));
  });
});
