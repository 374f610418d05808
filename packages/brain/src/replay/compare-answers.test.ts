import { describe, expect, it } from 'vitest';
import type { CallFacts } from '../sessions/call-facts.ts';
import { compareAnswers, type Answered, type Difference } from './compare-answers.ts';
import { FollowedIds, mapTexts } from './followed-ids.ts';

const SUM = 'a'.repeat(64);
const command: CallFacts = { tool: 'run_command', ok: true, effects: 'exec', changes: [], exit_code: 0, network: 'off', tree: SUM, output: SUM };
const answered = (text: string, facts: Partial<CallFacts> = {}, isError = false): Answered => ({ text, isError, facts: { ...command, ...facts } });
const compare = (one: Answered, other: Answered, input = '{"command":"make"}', hasDeparted = false): Difference | undefined =>
  compareAnswers(one, other, { input, hasDeparted });
const read = { effects: 'read', exit_code: undefined, tree: undefined };

describe('compareAnswers', () => {
  it.each([
    ['the duration of a command', '[exit code 0 · 0.1 s]\nok', '[exit code 0 · 12.4 s]\nok'],
    ['a duration that only the slower one tells', '[exit code 0 · no output]', '[exit code 0 · 12.4 s · no output]'],
    ['the duration in minutes', '[exit code 1 · 61 min. A note.]\nok', '[exit code 1 · 59.1 s. A note.]\nok'],
    ['equal text', 'a\nb', 'a\nb'],
  ])('takes answers for the same: %s', (_, one, other) => {
    expect(compare(answered(one), answered(other))).toBeUndefined();
  });

  it.each([
    ['a duration in the output', 'make', 'ok (12 ms)', 'ok (1.5 s)', ['time']],
    ['a date', 'ls', 'Nov 27 16:03 a', 'Dec  3 09:10 a', ['time']],
    ['seconds since 1970', 'x', '1795795440', '1795795441', ['time']],
    ['a commit', 'git log', '61fd3609e74b first', 'e49bc5552de7 first', ['random']],
    ['a uuid', 'x', '8c9e5f0a-1b2c-4d3e-8f90-0123456789ab', '00000000-1b2c-4d3e-8f90-0123456789ab', ['random']],
    ['a port', 'x', 'http://localhost:4123/', 'http://localhost:51234/', ['random']],
    ['a temporary folder', 'x', 'in /tmp/x-Ab1 now', 'in /tmp/x-Cd2 now', ['random']],
    ['both', 'x', 'ok 61fd3609e74b 12 ms', 'ok e49bc5552de7 13 ms', ['time', 'random']],
    [
      'sizes of folders',
      'ls -la',
      'total 272\ndrwxr-xr-x 2 root root 4096 Nov 27 16:03 a',
      'total 276\ndrwxr-xr-x 2 root root 60 Nov 27 16:03 a',
      ['disk'],
    ],
    [
      'sizes and times',
      'ls -la',
      'total 272\n-rw-r--r-- 1 root root 4 Nov 27 16:03 a',
      'total 276\n-rw-r--r-- 1 root root 4 Nov 28 16:03 a',
      ['time', 'disk'],
    ],
    ['the size of a file', 'ls -la', '-rw-r--r-- 1 root root 4 Nov 27 16:03 a', '-rw-r--r-- 1 root root 5 Nov 27 16:03 a', ['unknown']],
    ['the order of lines', 'x', 'b ok\na ok', 'a ok\nb ok', ['timing']],
    ['a job', 'x', '[exit code 0 · 0.1 s]\nx', '[job-12345678 runs]', ['timing']],
    ['the words of the command', 'echo $RANDOM', '12', '34512', ['random']],
    ['a number by the clock', 'date +%j', '12', '345', ['time']],
    ['a download', 'npm install x', 'added 2 packages in 1s', 'added 3 packages in 2s', ['time', 'network']],
    ['a network that fails', 'x', 'ok', 'getaddrinfo ENOTFOUND a.example\nok', ['network']],
    ['a network that brought nothing', 'curl x', 'ok', 'getaddrinfo ENOTFOUND a.example', ['unknown']],
    ['lines in another order, with durations', 'x', 'b 1 ms\na 2 ms', 'a 7 ms\nb 8 ms', ['time', 'timing']],
    ['tests beside a clock', 'npm test; date', '3 passed', '4 passed', ['unknown']],
    ['nothing known', 'x', 'passed 3', 'passed 4', ['unknown']],
  ])('names the reason of %s', (_, line, one, other, reasons) => {
    expect(compare(answered(one), answered(other), JSON.stringify({ command: line }))).toMatchObject({ reasons, leftOtherFiles: false });
  });

  it('never excuses another end, another error or another version of a file', () => {
    expect(compare(answered('12 ms', { exit_code: 1 }), answered('13 ms'))).toMatchObject({ reasons: ['unknown'] });
    expect(compare(answered('12 ms', {}, true), answered('13 ms'))).toMatchObject({ reasons: ['unknown'] });
    const dated = '{"command":"npm install x && date"}';
    expect(compare(answered('ok 1', { exit_code: 1 }), answered('ok 2'), dated)).toMatchObject({ reasons: ['unknown'] });
    const [one, other] = ['[lines 1-1 of 9; version 2c8b08da5ce60398.]\na', '[lines 1-1 of 9; version 1111111111111a11.]\na'];
    expect(compare(answered(one, read), answered(other, read))).toMatchObject({ reasons: ['files'] });
  });

  it('says that a call saw other files, or that an earlier one left them', () => {
    expect(compare(answered('a', read), answered('b', read))).toMatchObject({ reasons: ['files'], recorded: 'a', again: 'b' });
    expect(compare(answered('a', read), answered('b', read), '{}', true)).toMatchObject({ reasons: ['earlier'] });
    expect(compare(answered('a'), answered('b', { tree: 'b'.repeat(64) }))).toMatchObject({ reasons: ['files'] });
    expect(compare(answered('a'), answered('b'), '{}', true)).toMatchObject({ reasons: ['earlier'] });
  });

  it('compares what a command left, also if its words are the same', () => {
    const left = (...changes: string[]): Answered => answered('done', { changes });
    expect(compare(left('create a 1234567890abcdef'), left('create a 1234567890abcdef'))).toBeUndefined();
    const other = compare(left('create a 1234567890abcdef'), left('create a fedcba0987654321'));
    expect(other).toEqual({ reasons: ['unknown'], recorded: 'create a 1234567890abcdef', again: 'create a fedcba0987654321', leftOtherFiles: true });
    expect(compare(left('create a-0f0f0f0f 1234567890abcdef'), left('create a-1e1e1e1e 1234567890abcdef'))).toMatchObject({ reasons: ['random'] });
    expect(compare(left('create a 1234567890abcdef'), left('create a fedcba0987654321'), '{"command":"date; npm test > a"}')).toMatchObject({
      reasons: ['unknown'],
    });
    expect(compare(left('create a 1234567890abcdef'), left('create a fedcba0987654321'), '{"command":"date > a"}')).toMatchObject({
      reasons: ['time'],
    });
    // A record that does not hold all changes tells nothing about them.
    expect(compare(answered('done', { changes: undefined }), left('create b'))).toBeUndefined();
  });

  it('takes no time in the square of a hostile text', () => {
    const long = [
      'a1'.repeat(100_000),
      '1:'.repeat(100_000),
      '['.repeat(200_000),
      'git '.repeat(50_000),
      '/tmp/'.repeat(40_000),
      '0x'.repeat(100_000),
    ];
    for (const text of long)
      expect(compare(answered(`${text}1`), answered(`${text}2 `), JSON.stringify({ command: text }))?.leftOtherFiles).toBe(false);
  });
});

describe('FollowedIds', () => {
  it('puts the ids of the replay where the recorded ones were', () => {
    const ids = new FollowedIds();
    ids.learn('[job-11111111 runs; spill:aaaaaaaaaaaaaaaaaaaaaaaa]', '[job-22222222 runs; spill:bbbbbbbbbbbbbbbbbbbbbbbb]');
    ids.learn('c-123456 and c-123457', 'c-654321');
    const input = { id: 'job-11111111', more: ['spill:aaaaaaaaaaaaaaaaaaaaaaaa', 1, null], other: 'c-123456' };
    expect(mapTexts(input, (text) => ids.text(text))).toEqual({
      id: 'job-22222222',
      more: ['spill:bbbbbbbbbbbbbbbbbbbbbbbb', 1, null],
      other: 'c-123456',
    });
  });

  it('keeps a field that would set the prototype', () => {
    const mapped = mapTexts(JSON.parse('{"__proto__":{"a":"x"}}'), (text) => `${text}y`);
    expect(JSON.stringify(mapped)).toBe('{"__proto__":{"a":"xy"}}');
  });
});
