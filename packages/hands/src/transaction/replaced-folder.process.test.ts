import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { findBubblewrap } from '../sandbox/find-bubblewrap.ts';
import { temporaryHands } from '../testing/temporary-hands.ts';

describe.skipIf((await findBubblewrap()) === undefined)('a folder that a command made anew', () => {
  // As a script: what a command names itself is judged before it runs.
  it.each([
    ['a folder', 'rm -rf kept && mkdir kept && echo new > kept/new'],
    ['a file', 'rm -rf kept && echo new > kept'],
    ['nothing', 'rm -rf kept'],
  ])('stays if a rule denies to delete something in it: %s', async (_, script) => {
    const files = { 'kept/deep/denied': 'old\n', 'kept/other': 'old\n', 'free/other': 'old\n' };
    await using at = await temporaryHands(
      { ...files, script: `${script}; rm -rf free && mkdir free && echo new > free/new\n` },
      { sandbox: 'required', policy: { deny: ['write(kept/deep/denied)'] } },
    );
    const result = await at.hands.call('run_command', { command: 'sh ./script' });
    expect(result).toMatchObject({ ok: true, data: { exit_code: 0 }, meta: { ran: 'copy' } });
    expect(JSON.stringify(result)).toContain('kept/deep/denied');
    expect([readdirSync(at.at('kept')), readFileSync(at.at('kept/deep/denied'), 'utf8')]).toEqual([['deep', 'other'], 'old\n']);
    expect(readdirSync(at.at('free'))).toEqual(['new']);
  });
});
