import { mkdirSync, mkdtempSync, readdirSync, readlinkSync, realpathSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import { cursorAt } from './tree-cursor.ts';

let base: string;
beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'synapse-cursor-')));
  mkdirSync(join(base, 'a/b'), { recursive: true });
});

/** The folders below a folder that this process holds open. */
function held(top = base): string[] {
  return readdirSync('/proc/self/fd').flatMap((fd) => {
    try {
      const path = readlinkSync(`/proc/self/fd/${fd}`);
      return path.startsWith(top) ? [path.slice(top.length)] : [];
    } catch {
      // Another thread closed it.
      return [];
    }
  });
}

it('is opened in a folder below another', () => {
  {
    using cursor = cursorAt(base, ['a', 'b']);
    expect([cursor.location, held()]).toEqual([['a', 'b'], ['/a/b']]);
  }
  expect(held()).toEqual([]);
});

it.each([false, true])('holds nothing if a folder on the way is gone (owned: %s)', (owned) => {
  expect(() => cursorAt(base, ['a', 'gone'], { owned })).toThrow(expect.objectContaining({ code: 'ENOENT' }));
  expect(held()).toEqual([]);
});

it('holds nothing if the permissions of a folder cannot be changed', () => {
  // The kernel refuses it there, also to root.
  expect(() => cursorAt('/proc/sys', ['kernel'], { owned: true })).toThrow(expect.objectContaining({ syscall: 'chmod' }));
  expect(held('/proc/sys')).toEqual([]);
});
