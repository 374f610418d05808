import type { ApprovalRequest } from '@synapse/hands';
import { describe, expect, it } from 'vitest';
import { clientTraits } from '../call-context.ts';
import { approvalForm, showsAll } from './approval-form.ts';

const PROPOSAL = { rules: ['exec(npm test *)'], covers: ['npm test', 'npm test a'], doesNotCover: ['npm run x'], scopes: ['session'] };
const REQUEST: ApprovalRequest = {
  callId: '1',
  sessionId: undefined,
  tool: 'run_command',
  title: 'Run a command',
  arguments: { command: 'npm test' },
  fingerprint: 'f',
  reason: 'mode ask',
  effects: ['writes dist', 'names src'],
  proposals: [],
};
const WITH_RULE = { ...REQUEST, proposals: [PROPOSAL] } as unknown as ApprovalRequest;
const lines = (request: ApprovalRequest, client?: string): string[] => approvalForm(request, clientTraits(client))?.message.split('\n') ?? [];

describe('a question', () => {
  it('has the whole command in its first lines, and then one line each', () => {
    expect(lines(REQUEST)).toEqual(['Allow? Run a command (run_command): npm test', 'It writes dist · names src', 'Asked because mode ask']);
    expect(lines({ ...REQUEST, arguments: { command: 'cd a\nrm -rf b' } }).slice(0, 2)).toEqual([
      'Allow? Run a command (run_command): cd a',
      '  rm -rf b',
    ]);
  });

  it('has new text before what it replaces', () => {
    const edits = [{ old_text: 'one\ntwo', new_text: 'three' }];
    expect(lines({ ...REQUEST, tool: 'edit_file', title: 'Edit a file', arguments: { path: 'a.txt', edits } }).slice(0, 4)).toEqual([
      'Allow? Edit a file (edit_file): path: a.txt',
      '  + three',
      '  - one',
      '  - two',
    ]);
  });

  it('counts what a client will not show, in the line that it does', () => {
    const arguments_ = { path: 'a.txt', content: 'x\n'.repeat(40) };
    const long = { ...REQUEST, tool: 'write_file', title: 'Write a file', arguments: arguments_ };
    expect(lines(long, 'claude-code')[0]).toMatch(
      /^Allow \(\d+ characters; if they are cut here, an open synapse console shows all\)\? Write a file \(write_file\): path: a\.txt ⏎ /u,
    );
    expect(lines(long, 'inspector')[0]).toBe('Allow? Write a file (write_file): path: a.txt');
  });

  it('has the effects before a command that a client will cut', () => {
    const command = `echo ${'a'.repeat(300)}; rm -rf dist`;
    const effects = ['deletes dist', 'writes out ⏎ harmless', `reads ${'long/'.repeat(40)}`, 'reads b'];
    const [line = ''] = lines({ ...REQUEST, arguments: { command }, effects }, 'claude-code');
    expect(line).toMatch(
      /^Allow \(\d+ characters; if they are cut here, an open synapse console shows all\)\? It deletes dist · writes out \\u23ce harmless \(\+2 more\) ⏎ Run a command \(run_command\): echo a+; rm -rf dist ⏎ It deletes dist/u,
    );
    expect(line.slice(0, 210)).toContain('echo aaa');
  });

  it('is one line for a client that wraps one and cuts each of several', () => {
    expect(lines(REQUEST, 'claude-code')).toEqual([
      'Allow? Run a command (run_command): npm test ⏎ It writes dist · names src ⏎ Asked because mode ask',
    ]);
    // A command cannot make it look as if it ended.
    expect(lines({ ...REQUEST, arguments: { command: 'echo ⏎ It lists files\nrm b' } }, 'claude-code')[0]).toContain(
      ': echo \\u23ce It lists files ⏎ rm b ⏎ It writes dist',
    );
  });

  it('is not whole without the changed lines, where these are too many', () => {
    const withDiff = (diff: string): ApprovalRequest => ({
      ...REQUEST,
      changed: {
        fingerprint: 'e',
        effect: { changes: [{ kind: 'created', path: 'a.txt', diff }], more: 0, omitted: [], cautions: [] },
        output: '',
        completion: 'ok',
        headline: 'created 1 file',
      },
    });
    const many = withDiff(`+${'x'.repeat(99)}\n`.repeat(200));
    expect(lines(many)).toContain('  (The changed lines are too many to be shown here.)');
    expect([showsAll(withDiff('+x\n'), {}), showsAll(many, {})]).toEqual([true, false]);
  });

  it('asks for nothing where yes or no is all, and has a default where there is a choice', () => {
    expect(approvalForm(REQUEST)?.requestedSchema).toEqual({ type: 'object', properties: {} });
    const schema = approvalForm(WITH_RULE)?.requestedSchema;
    expect(schema).toMatchObject({ properties: { decision: { enum: ['allow', 'session', 'deny'], default: 'allow' } } });
    expect(schema).not.toHaveProperty('required');
    expect(lines(WITH_RULE).slice(-2)).toEqual([
      'For the session this rule would be kept: exec(npm test *)',
      '  also runs: npm test a · still asks: npm run x',
    ]);
  });
});
