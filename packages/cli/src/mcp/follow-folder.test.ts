import { createHands, type Hands } from '@synapse/hands';
import { defaultStateFolder, Projects } from '@synapse/hands/internal';
import { SynapseError } from '@synapse/protocol';
import { mkdirSync, mkdtempSync, realpathSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { followFolder, type FollowedFolder } from './follow-folder.ts';

let base: string;
let opened: Hands[];

beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'synapse-follow-')));
  opened = [];
  vi.stubEnv('XDG_STATE_HOME', base);
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
});

/** A folder with a file that names it, tracked unless told otherwise. */
function project(name: string, isTracked = true): string {
  const folder = join(base, name);
  mkdirSync(folder);
  writeFileSync(join(folder, 'name'), name);
  using projects = Projects.open(defaultStateFolder());
  if (isTracked) projects.add(folder);
  return folder;
}

async function open(folder: string): Promise<Hands> {
  const hands = await createHands({ workspace: folder, stateFolder: join(base, 'hands') });
  opened.push(hands);
  return hands;
}

/** What a client reads through the server. */
async function nameIn({ served }: FollowedFolder): Promise<string> {
  const result = await served.call('read_file', { path: 'name' });
  return result.ok ? result.data.content : `${result.error.code}: ${result.error.message}`;
}

describe('followFolder', () => {
  it('refuses each call until a folder is known', async () => {
    await using followed = followFolder(open);
    expect(await nameIn(followed)).toBe('denied: The folder is not known yet.');
    expect(() => followed.hands()).toThrow('The folder is not known yet.');
    expect(followed.served.tools().map(({ name }) => name)).toContain('read_file');
  });

  it('opens the first tracked folder, and follows the client to another one', async () => {
    const [one, two, other] = [project('one'), project('two'), project('other', false)];
    await using followed = followFolder(open);
    const changed = vi.fn<() => void>();
    followed.served.onToolsChanged(changed);
    expect(await followed.choose([other, one, two])).toBe(true);
    expect([await nameIn(followed), followed.hands().workspace, changed.mock.calls.length]).toEqual(['one', one, 0]);
    const dialect = followed.served.dialect('synapse');
    expect(dialect.tools()).toBe(dialect.tools());
    expect(await followed.choose([two])).toBe(true);
    // The same server goes on in the other folder, and what it left is closed.
    expect([await nameIn(followed), followed.hands().workspace, changed.mock.calls.length]).toEqual(['two', two, 1]);
    expect(await opened[0]?.call('read_file', { path: 'name' })).toMatchObject({ ok: false });
  });

  it('keeps its hands while the client stays', async () => {
    const one = project('one');
    await using followed = followFolder(open);
    expect([await followed.choose([one]), await followed.choose([one, project('two')])]).toEqual([true, true]);
    expect([opened.length, await nameIn(followed)]).toEqual([1, 'one']);
  });

  it('takes the working directory of a client that has nothing open', async () => {
    const one = project('one');
    vi.spyOn(process, 'cwd').mockReturnValue(one);
    await using followed = followFolder(open);
    expect([await followed.choose(undefined), await nameIn(followed), await followed.choose([])]).toEqual([true, 'one', true]);
  });

  it('says how to track a folder, and which project it is inside of', async () => {
    const inside = join(project('one'), 'in side');
    mkdirSync(inside);
    await using followed = followFolder(open);
    expect(await followed.choose([inside])).toBe(false);
    expect(await followed.served.call('read_file', { path: 'name' })).toMatchObject({
      error: {
        code: 'denied',
        message: `Project not tracked: ${inside}. Only tracked projects can be accessed.`,
        hint: `It is inside of a tracked project, which can be opened in the client instead: ${join(base, 'one')}\nIts owner can add it, in a terminal: synapse projects add '${inside}'\nThen repeat the call.`,
      },
    });
  });

  it('leaves a folder for one that it cannot open, and refuses with the reason', async () => {
    const [one, two] = [project('one'), project('two')];
    await using followed = followFolder(async (folder) => {
      if (folder === two) throw new SynapseError('unavailable', 'Two is busy.');
      return await open(folder);
    });
    await followed.choose([one]);
    const changed = vi.fn<() => void>();
    const forget = followed.served.onToolsChanged(changed);
    expect([await followed.choose([two]), await nameIn(followed), changed.mock.calls.length]).toEqual([false, 'unavailable: Two is busy.', 1]);
    forget();
    expect([await followed.choose([one]), await nameIn(followed), changed.mock.calls.length]).toEqual([true, 'one', 1]);
  });

  it('prepares the hands that it opens as its server asked, before or after', async () => {
    const one = project('one');
    const warmed: unknown[] = [];
    await using followed = followFolder(async (folder) => {
      const hands = await open(folder);
      vi.spyOn(hands, 'warmUp').mockImplementation((options) => void warmed.push([hands.workspace, options]));
      return hands;
    });
    followed.served.warmUp({ programs: true });
    await followed.choose([one]);
    followed.served.warmUp({ programs: false });
    expect(warmed).toEqual([
      [one, { programs: true }],
      [one, { programs: false }],
    ]);
  });
});
