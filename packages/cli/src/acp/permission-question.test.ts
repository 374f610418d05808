import type { ApprovalRequest } from '@synapse/hands';
import { describe, expect, it } from 'vitest';
import { permissionQuestion, readChoice } from './permission-question.ts';

const PROPOSAL = { kind: 'exact' as const, rules: ['exec(npm test)'], covers: ['npm test'], doesNotCover: ['npm run x'] };
const REQUEST: ApprovalRequest = {
  callId: 'c',
  sessionId: undefined,
  tool: 'run_command',
  title: 'Run a command',
  arguments: { command: 'npm test' },
  fingerprint: 'f',
  reason: 'mode ask',
  effects: ['writes dist'],
  proposals: [PROPOSAL],
};
const KNOWN = { title: 'Run a command', effects: 'exec' } as const;
const asked = (more: Partial<ApprovalRequest> = {}) => {
  const question = permissionQuestion({ ...REQUEST, ...more }, KNOWN, '/ws');
  if (question === undefined) throw new Error('The question was not shown.');
  return question;
};
const textOf = (question: ReturnType<typeof asked>): string => JSON.stringify(question.text);

describe('a question', () => {
  it('shows the call, its effects, the reason and what "always" means', () => {
    const question = asked();
    expect(question.call).toMatchObject({ callId: 'c', kind: 'execute', title: 'Run a command (run_command): npm test' });
    for (const part of ['npm test', 'writes dist', 'mode ask', 'exec(npm test)', 'npm run x']) expect(textOf(question)).toContain(part);
    expect(question.options.map(({ name }) => name)).toEqual([
      'Allow once',
      'Always in this session: exec(npm test)',
      'Always here, for 30 days: exec(npm test)',
      'Reject',
    ]);
  });

  it('shows the parts of an edit as a diff', () => {
    const edits = [{ old_text: 'two\n+ not added', new_text: 'zwei' }];
    const text = textOf(asked({ tool: 'edit_file', title: 'Edit a file', arguments: { path: 'a.txt', edits } }));
    expect(text).toContain(String.raw`  path: a.txt\n- two\n- + not added\n+ zwei\n`);
  });

  it('hides nothing in Markdown or control characters', () => {
    const command = 'echo a\n```\n<!--\nrm -rf b\n-->\u202E';
    const shown = asked({ arguments: { command } }).text;
    // The fence is longer than any in the command, so that all of it is literal.
    expect(shown).toMatch(/^`{4}diff\n[\s\S]*rm -rf b[\s\S]*\n`{4}\n/u);
    expect(shown).not.toContain('\u202E');
  });

  it('offers no rule that its option cannot show in full', () => {
    const long = { ...PROPOSAL, rules: [`exec(${'x'.repeat(300)})`] };
    expect(asked({ proposals: [long] }).options.map(({ optionId }) => optionId)).toEqual(['once', 'reject']);
  });

  it('that is too long to read is not asked', () => {
    expect(permissionQuestion({ ...REQUEST, arguments: { command: 'x'.repeat(100_000) } }, KNOWN, '/ws')).toBeUndefined();
  });
});

it.each([
  ['once', { verdict: 'allow', scope: 'once' }],
  ['session-0', { verdict: 'allow', scope: 'session', proposal: PROPOSAL }],
  ['project-0', { verdict: 'allow', scope: 'project', proposal: PROPOSAL }],
  ['reject', { verdict: 'deny' }],
  ['session-1', { verdict: 'deny', reason: expect.any(String) as string }],
  ['__proto__', { verdict: 'deny', reason: expect.any(String) as string }],
  [undefined, { verdict: 'deny', reason: expect.any(String) as string }],
] as const)('the answer %o is %o', (choice, expected) => expect(readChoice(choice, asked())).toEqual(expected));
