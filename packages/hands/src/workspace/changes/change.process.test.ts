import { execFileSync } from 'node:child_process';
import { chownSync, existsSync, mkdtempSync, readFileSync, readdirSync, realpathSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { applyChanges } from './change.ts';
import { HandleConfinement } from '../handle-confinement.ts';
import { resolveTarget, type Target } from '../target.ts';

let root: string;
let confinement: HandleConfinement;
let targets: DisposableStack;

const at = (name: string): string => join(root, name);
const target = (path: string): Target => targets.use(resolveTarget(confinement, path.split('/')));
const bytes = (text: string): Uint8Array => Buffer.from(text);

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'synapse-change-')));
  confinement = new HandleConfinement(root);
  targets = new DisposableStack();
});
afterEach(() => {
  targets.dispose();
  confinement[Symbol.dispose]();
});

describe.runIf(HandleConfinement.works())('applyChanges', () => {
  it('takes everything back when the last of several changes fails', () => {
    writeFileSync(at('kept.txt'), 'old');
    writeFileSync(at('deleted.txt'), 'still here');
    const changes = [
      { kind: 'write', target: target('kept.txt'), bytes: bytes('new') },
      { kind: 'delete', target: target('deleted.txt') },
      { kind: 'write', target: target('twice.txt'), bytes: bytes('first') },
      // Both were absent when they were looked at: the second finds its place taken.
      { kind: 'write', target: target('twice.txt'), bytes: bytes('second') },
    ] as const;
    expect(() => applyChanges(changes)).toThrow('EEXIST');
    expect(readdirSync(root).toSorted()).toEqual(['deleted.txt', 'kept.txt']);
    expect(readFileSync(at('kept.txt'), 'utf8')).toBe('old');
    expect(readFileSync(at('deleted.txt'), 'utf8')).toBe('still here');
  });

  it('writes nothing where one of the targets was touched since it was looked at', () => {
    writeFileSync(at('a.txt'), 'a');
    writeFileSync(at('b.txt'), 'b');
    const changes = [
      { kind: 'write', target: target('a.txt'), bytes: bytes('new a') },
      { kind: 'write', target: target('b.txt'), bytes: bytes('new b') },
    ] as const;
    writeFileSync(at('b.txt'), 'touched');
    expect(() => applyChanges(changes)).toThrow('changed by something else');
    expect(readFileSync(at('a.txt'), 'utf8')).toBe('a');
    expect(readdirSync(root)).toHaveLength(2);
  });

  it.each([
    ['a.py', [1, 2, 3]],
    ['a.txt', [0, 0, 0]],
  ])('gives each version of %s the second that those who compile it need', (name, ahead) => {
    const second = Math.floor(Date.now() / 1_000) + 10;
    writeFileSync(at(name), 'first');
    utimesSync(at(name), second, second);
    const seen = ahead.map((_, index) => {
      applyChanges([{ kind: 'write', target: target(name), bytes: bytes(`text ${index}`) }]);
      return Math.max(0, Math.floor(statSync(at(name)).mtimeMs / 1_000) - second);
    });
    expect(seen).toEqual(ahead);
  });

  it('does not keep a time of years ahead', () => {
    writeFileSync(at('a.py'), 'first');
    utimesSync(at('a.py'), 4_000_000_000, 4_000_000_000);
    applyChanges([{ kind: 'write', target: target('a.py'), bytes: bytes('second') }]);
    expect(statSync(at('a.py')).mtimeMs).toBeLessThan(Date.now() + 1_000);
  });

  it('does not replace a file that appeared in the meantime', () => {
    const change = { kind: 'write', target: target('new.txt'), bytes: bytes('mine') } as const;
    writeFileSync(at('new.txt'), 'theirs');
    expect(() => applyChanges([change])).toThrow('changed by something else');
    expect(readFileSync(at('new.txt'), 'utf8')).toBe('theirs');
  });

  it('changes nothing but regular files', () => {
    execFileSync('mkfifo', [at('pipe')]);
    expect(() => applyChanges([{ kind: 'write', target: target('pipe'), bytes: bytes('x') }])).toThrow('named pipe');
    expect(() => applyChanges([{ kind: 'delete', target: target('pipe') }])).toThrow('named pipe');
    expect(readdirSync(root)).toEqual(['pipe']);
  });

  // Only root can change what belongs to others, and what it makes is its own.
  it.runIf(process.geteuid?.() === 0)('leaves a file to its owner', () => {
    writeFileSync(at('a.txt'), 'a', { mode: 0o640 });
    chownSync(at('a.txt'), 12_345, 12_346);
    applyChanges([{ kind: 'write', target: target('a.txt'), bytes: bytes('new') }]);
    const { uid, gid, mode } = statSync(at('a.txt'));
    expect([uid, gid, mode & 0o777, readFileSync(at('a.txt'), 'utf8')]).toEqual([12_345, 12_346, 0o640, 'new']);
  });

  it('leaves nothing beside the files when all goes well', () => {
    writeFileSync(at('a.txt'), 'a');
    applyChanges([
      { kind: 'write', target: target('a.txt'), bytes: bytes('new') },
      { kind: 'write', target: target('sub/deep/b.txt'), bytes: bytes('b') },
    ]);
    expect(readdirSync(root).toSorted()).toEqual(['a.txt', 'sub']);
    expect(readdirSync(at('sub/deep'))).toEqual(['b.txt']);
    expect(existsSync(at('sub/deep/b.txt'))).toBe(true);
  });
});
