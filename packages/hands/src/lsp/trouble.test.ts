import { describe, expect, it } from 'vitest';
import { SERVERS } from './server-table.ts';
import { troubleOf } from './trouble.ts';

const GO = SERVERS.find(({ name }) => name === 'Go') ?? {};
const begin = (title: unknown, message?: unknown): object => ({ kind: 'begin', title, message });

describe('a progress that reports an error', () => {
  it('is the reason in short, and what to do', () => {
    const message =
      'packages.Load error: err: exit status 1: stderr: go: example.com/a@v1.0.0: module lookup disabled by GOPROXY=off go: downloading b v1 in /srv/app/go.mod';
    expect(troubleOf(begin('Error loading workspace', message), GO, '/srv/app')).toEqual({
      reason: 'Error loading workspace: go: example.com/a@v1.0.0: module lookup disabled by GOPROXY=off in go.mod',
      advice: expect.stringContaining('go mod download') as string,
    });
  });

  it('is given once where it is said twice', () => {
    const message = 'go: example.com/a@v1.0.0: module lookup disabled';
    expect(troubleOf(begin('Error', `${message} ${message}`), {}, '/srv/app')).toEqual({ reason: `Error: ${message}` });
  });

  it('has no end, control characters or private advice', () => {
    const found = troubleOf(begin('Error', `a\u001b[31m\u0007${'x'.repeat(10_000)}`), {}, '/srv/app');
    expect(found?.reason).toMatch(/^Error: a[ x]*\S*$/u);
    expect(found?.reason.length).toBeLessThan(300);
    expect(found).not.toHaveProperty('advice');
  });

  it.each([
    ['work', begin('Setting up workspace', 'Loading packages...')],
    ['a later word of a progress', { kind: 'report', message: 'Error' }],
    ['an end', { kind: 'end' }],
    ['no object', 'Error'],
    ['no title', begin(undefined, 'Error')],
    ['a word that begins like it', begin('Errors and warnings')],
  ])('%s is none', (_, value) => expect(troubleOf(value, GO, '/srv/app')).toBeUndefined());
});
