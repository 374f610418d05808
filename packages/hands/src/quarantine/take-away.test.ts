import { existsSync, mkdirSync, mkdtempSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { HandleConfinement } from '../workspace/handle-confinement.ts';
import { type Leftover, takeAway } from './take-away.ts';

/** On another file system than the workspace, where there is one. */
const MEMORY = '/dev/shm';
const folders = [tmpdir(), ...(existsSync(MEMORY) && statSync(MEMORY).dev !== statSync(tmpdir()).dev ? [MEMORY] : [])];

describe.each(folders)('with the quarantine below %s', (base) => {
  let root: string;
  let kept: string;
  let confinement: HandleConfinement;
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'synapse-quarantine-'));
    kept = mkdtempSync(join(base, 'synapse-kept-'));
    confinement = new HandleConfinement(root);
    mkdirSync(join(root, 'hooks'));
  });
  afterEach(() => {
    confinement[Symbol.dispose]();
  });
  const hook = (path: string, remove = true): Leftover => ({ path, reason: 'git-hook', detail: 'd', remove });

  it('keeps a file, and takes it away', () => {
    writeFileSync(join(root, 'hooks/x'), 'evil', { mode: 0o755 });
    const [result] = takeAway(confinement, join(kept, 'new'), [hook('hooks/x')]);
    expect(result).toMatchObject({ path: 'hooks/x', action: 'moved' });
    expect(statSync(join(kept, 'new')).mode & 0o777).toBe(0o700);
    expect(readFileSync(result?.keptAs ?? '', 'utf8')).toBe('evil');
    expect(existsSync(join(root, 'hooks/x'))).toBe(false);
  });

  it('takes a link away, and not what it leads to', () => {
    writeFileSync(join(root, 'target'), 'mine');
    symlinkSync(join(root, 'target'), join(root, 'hooks/x'));
    takeAway(confinement, kept, [hook('hooks/x')]);
    expect(existsSync(join(root, 'hooks/x'))).toBe(false);
    expect(readFileSync(join(root, 'target'), 'utf8')).toBe('mine');
  });

  it('only tells of what may stay, and of what is gone', () => {
    writeFileSync(join(root, 'hooks/x'), '');
    expect(takeAway(confinement, kept, [hook('hooks/x', false), hook('hooks/y')]).map(({ action }) => action)).toEqual(['reported', 'deleted']);
    expect(existsSync(join(root, 'hooks/x'))).toBe(true);
  });

  it('does not leave the workspace by a link in the path', () => {
    writeFileSync(join(kept, 'x'), 'outside');
    symlinkSync(kept, join(root, 'away'));
    expect(takeAway(confinement, kept, [hook('away/x')])).toMatchObject([{ action: 'reported' }]);
    expect(readFileSync(join(kept, 'x'), 'utf8')).toBe('outside');
  });
});
