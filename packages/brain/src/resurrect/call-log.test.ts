import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createHands, type Hands } from '@synapse/hands';
import { describe, expect, it } from 'vitest';
import { claim } from './evidence/claim.ts';
import { atCommit, atLine, cite, inAnswer } from './evidence/evidence.ts';
import { say, textOf } from './evidence/safe-text.ts';
import { openCallLog, type Answer } from './call-log.ts';

async function openHands(): Promise<Hands> {
  const [workspace, stateFolder] = await Promise.all([mkdtemp(join(tmpdir(), 'synapse-')), mkdtemp(join(tmpdir(), 'synapse-state-'))]);
  await writeFile(join(workspace, 'a.txt'), 'one\ntwo\n');
  return createHands({ workspace, stateFolder });
}

describe('a call log', () => {
  it('notes calls and the files that were read, and passes the step on', async () => {
    await using hands = await openHands();
    const steps: unknown[] = [];
    hands.subscribe((event) => void (event.type === 'call-end' && steps.push([event.stepId, event.sessionId, event.ok])));
    const callLog = openCallLog(hands, { sessionId: 's' });
    const log = callLog.step('step-02');
    const [found, missing] = await Promise.all([
      log.ask('read_file', { path: 'a.txt' }),
      log.ask('read_file', { path: 'b.txt' }, { essential: true }),
    ]);
    expect(found).toMatchObject({ ok: true, data: { content: 'one\ntwo\n', first_line: 1 } });
    expect(missing).toMatchObject({ ok: false, code: 'not_found' });
    expect([...callLog.filesRead]).toEqual(['a.txt']);
    expect([...callLog.toolCalls]).toEqual([['read_file', 2]]);
    expect(log.calls()).toBe(2);
    // "File not found" is an answer: nothing was left unread.
    expect(callLog.unseen).toEqual([]);
    expect(log.complete()).toBe(true);
    expect(steps).toEqual(
      expect.arrayContaining([
        ['step-02', 's', true],
        ['step-02', 's', false],
      ]),
    );
  });

  it('takes a failed call that is not essential as unseen, and goes on', async () => {
    await using hands = await openHands();
    const callLog = openCallLog(hands, {});
    const log = callLog.step('step-01');
    await log.ask('nonsense' as 'git_status', {});
    expect(callLog.unseen).toMatchObject([{ tool: 'nonsense', code: 'unknown_tool' }]);
    expect(log.complete()).toBe(true);
  });

  it('makes no more calls once it is ended', async () => {
    await using hands = await openHands();
    const callLog = openCallLog(hands, { signal: AbortSignal.abort() });
    const log = callLog.step('step-01');
    expect(await log.ask('read_file', { path: 'a.txt' })).toMatchObject({ ok: false, code: 'cancelled' });
    expect([callLog.toolCalls.size, log.calls(), log.complete()]).toEqual([0, 0, false]);
  });
});

describe('evidence', () => {
  it('comes from an answer and is cited as a place', async () => {
    await using hands = await openHands();
    const answer = await openCallLog(hands, {}).step('x').ask('read_file', { path: 'a.txt' });
    if (!answer.ok) throw new Error('The file of the test could not be read.');
    expect(textOf(cite(atLine(answer, 'a.txt', 2)))).toBe('`a.txt:2`');
    expect(textOf(cite(atLine(answer, 'a.txt', -3)))).toBe('`a.txt`');
    expect(textOf(cite(atCommit(answer, '0123456789abcdef')))).toBe('`012345678`');
    expect(textOf(cite(inAnswer(answer)))).toBe('`read_file`');
    expect(textOf(cite(atLine(answer, 'evil`\n# x.md', 1)))).toBe('`` evil` # x.md:1 ``');
  });

  it('cannot be made up, and no claim can do without it', () => {
    const compileOnly = (answer: Answer<unknown>): void => {
      claim(say`It works.`, inAnswer(answer));
      // @ts-expect-error a claim needs evidence
      claim(say`It works.`);
      // @ts-expect-error a text of the repository cannot become a statement unquoted
      claim('It works.', inAnswer(answer));
      // @ts-expect-error evidence is made from answers only
      claim(say`It works.`, { kind: 'line', path: 'a', line: 1 });
      // @ts-expect-error an answer is made by a call log only
      inAnswer({ ok: true, tool: 'read_file', data: {} });
    };
    expect(compileOnly).toBeTypeOf('function');
  });
});
