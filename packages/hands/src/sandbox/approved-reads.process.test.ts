import { describe, expect, it } from 'vitest';
import type { ApprovalRequest, Approver } from '../approval/approver.ts';
import { temporaryHands } from '../testing/temporary-hands.ts';
import { findBubblewrap } from './find-bubblewrap.ts';

const FILES = { '.env': 'KEY=one\n', 'sub/.env': 'KEY=two\n', 'a.txt': 'a\n' };

/** Says yes to everything, and remembers what it saw. */
function agreeing(): Approver & { readonly asked: ApprovalRequest[] } {
  const asked: ApprovalRequest[] = [];
  return { name: 'test', asked, ask: async (request) => (asked.push(request), { verdict: 'allow', scope: 'once' }) };
}

describe.skipIf((await findBubblewrap()) === undefined)('a command that a person let read what is hidden', () => {
  const run = async (command: string, undoCommands: boolean): Promise<{ output: string; asked: readonly ApprovalRequest[] }> => {
    const approver = agreeing();
    await using at = await temporaryHands(FILES, { approver, sandbox: 'required', undoCommands });
    const result = await at.hands.call('run_command', { command });
    return { output: result.ok ? result.output : result.error.message, asked: approver.asked };
  };

  it.each([false, true])('reads that, and no more (undo for commands: %s)', async (undoCommands) => {
    const { output, asked } = await run(
      "cat .env; f=sub/.e; cat sub/* ${f}nv; perl -e 'open F, q(<), q(sub/.env) or print qq(hidden\n)'",
      undoCommands,
    );
    expect(asked).toHaveLength(1);
    expect(asked[0]?.effects.join('\n')).toContain('reads .env');
    expect(output).toContain('KEY=one');
    expect(output).toContain('hidden');
    expect(output).not.toContain('KEY=two');
  });

  it('does not change it', async () => {
    const { output } = await run(
      "cat .env; perl -e 'open F, q(>>), q(.env) or print qq(read-only\n)'; mv -f a.txt .e* 2>&1; rm -f ./.en?; cat .env",
      false,
    );
    expect(output).toContain('read-only');
    expect(output.match(/KEY=one/gu)).toHaveLength(2);
  });

  it('does not see it in the next call, which nobody was asked about', async () => {
    await using at = await temporaryHands(FILES, { approver: agreeing(), sandbox: 'required' });
    await at.hands.call('run_command', { command: 'cat .env' });
    const next = await at.hands.call('run_command', { command: "perl -e 'open F, q(<), q(.env) or print qq(hidden)'" });
    expect(next.ok && next.output).toContain('hidden');
  });

  it('reads what a kept rule lets it read', async () => {
    const approver: Approver = {
      name: 'test',
      ask: async ({ proposals: [proposal] }) => ({ verdict: 'allow', scope: 'session', ...(proposal === undefined ? {} : { proposal }) }),
    };
    await using at = await temporaryHands(FILES, { approver, sandbox: 'required' });
    for (const _ of [1, 2]) {
      const result = await at.hands.call('run_command', { command: 'cat .env' });
      expect(result.ok && result.output).toContain('KEY=one');
    }
  });

  it('reads nothing that a rule denies, even after a yes', async () => {
    await using at = await temporaryHands(FILES, { approver: agreeing(), sandbox: 'required', policy: { deny: ['read(.env)'] } });
    expect(await at.hands.call('run_command', { command: 'cat .env' })).toMatchObject({ ok: false, error: { code: 'denied' } });
    const hidden = await at.hands.call('run_command', { command: 'f=.en; cat ${f}v' });
    expect(JSON.stringify(hidden)).not.toContain('KEY=');
  });
});
