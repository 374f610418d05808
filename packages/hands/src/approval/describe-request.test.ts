import { describe, expect, it } from 'vitest';
import type { ApprovalRequest } from './approver.ts';
import { describeRequest } from './describe-request.ts';
import { visibleLines } from './visible-span.ts';

function request(given: Record<string, unknown>): ApprovalRequest {
  return {
    callId: '1',
    sessionId: undefined,
    tool: 'tool',
    title: 'Tool',
    arguments: given,
    fingerprint: '',
    reason: 'because',
    effects: [],
    proposals: [],
  };
}

const body = (given: Record<string, unknown>): string[] => describeRequest(request(given)).body.map(({ text }) => text);

describe('visibleLines', () => {
  it.each([
    ['npm  test', ['npm  test']],
    [`a${' '.repeat(5_000)}; rm -rf ~`, ['a⟨5,000 spaces⟩; rm -rf ~']],
    [`a${'\t'.repeat(50)}b`, ['a⟨50 tabs⟩b']],
    [`a${'\n'.repeat(201)}b`, ['a', '⟨200 empty lines⟩', 'b']],
    [`a${' \n'.repeat(10)}b`, ['a·', '⟨9 empty lines⟩', ' b'.trim()]],
    ['ends  ', ['ends··']],
    ['a\u001b[2Jb\rc\u0000', ['a<U+001B>[2Jb<U+000D>c<U+0000>']],
    ['a\u202e\u2066\u200b\u00a0\u3164\u{e0041}b', ['a<U+202E><U+2066><U+200B><U+00A0><U+3164><U+E0041>b']],
    ['a\u2028b\u000bc', ['a<U+2028>b<U+000B>c']],
    ['e\u0301\u0301\u0301\u0301', ['e\u0301\u0301<U+0301><U+0301>']],
    ['über 日本 👍', ['über 日本 👍']],
  ])('%j', (text, lines) => {
    expect(visibleLines(text)).toEqual(lines);
  });
});

describe('a question', () => {
  it('says of a rule for one call that it covers nothing else', () => {
    const proposal = { kind: 'exact' as const, rules: ['exec(= npm test)'], covers: ['npm test'], doesNotCover: ['npm'] };
    const [told] = describeRequest({ ...request({}), proposals: [proposal] }).proposals;
    expect(told).toEqual({ rules: ['exec(= npm test)'], covers: 'nothing else', doesNotCover: 'npm' });
  });

  it('shows examples of a long command where they differ from it', () => {
    const command = `npm run build --silent && ${'rm -rf dist && '.repeat(4)}git push`;
    const others = [' --verbose', ' > .git/config', 'x'].map((end) => `${command}${end}`);
    const proposal = { kind: 'exact' as const, rules: [`exec(= ${command})`], covers: [command], doesNotCover: others };
    const [told] = describeRequest({ ...request({}), proposals: [proposal] }).proposals;
    expect(told?.doesNotCover).toBe('… --verbose | … > .git/config | …x');
  });

  it('shows every argument, changes as a diff', () => {
    expect(body({ path: 'a', edits: [{ old_text: 'x\ny\n', new_text: 'z', replace_all: true }] })).toEqual([
      'path: a',
      '- x',
      '- y',
      '+ z',
      'and the line end after it changes',
      'replace_all: true',
    ]);
    expect(body({ command: 'ls\nid', cwd: 'b', timeout_ms: 5 })).toEqual(['ls', 'id', 'cwd: b · timeout_ms: 5']);
    expect(body({ unknown: { deep: ['\u202e'] } })).toEqual(['unknown: {"deep":["<U+202E>"]}']);
  });

  it('says in one line what is merely named', () => {
    const effects = ['runs tar c a b', 'names a', 'names b', 'writes c', 'writes c'];
    expect(describeRequest({ ...request({}), effects }).effects).toEqual(['runs tar c a b', 'writes c', 'names a, b']);
  });

  it('names letters that may look like others', () => {
    expect(describeRequest(request({ command: '\u0430pt install' })).effects).toEqual(['holds characters that are not ASCII: а U+0430']);
  });
});

it('shows names of arguments so that nothing in them acts or hides', () => {
  expect(body({ 'a\u001B[2J\nok': 'x', b: 'y'.repeat(40) })).toContain('a<U+001B>[2J⏎ok: x');
});
