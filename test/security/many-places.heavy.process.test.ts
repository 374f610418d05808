import { execFileSync } from 'node:child_process';
import fs, { appendFileSync, existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createHands } from '@synapse/hands';
import { afterAll, beforeAll, expect, it } from 'vitest';

/**
 * What a change may look at on the disk, however much a clone leads elsewhere. For all other folders of a workspace together, 100,000
 * looks are the limit, and what is found missing is looked at twice.
 */
const MAX_LOOKS = 250_000;
/** What a change may look at when nothing that leads elsewhere has changed since the last one. */
const MAX_LOOKS_AGAIN = 500;

/** What settings of the workspace's own repository may cost each second: as settings outside of the workspace can, they are read by name. */
const SETTINGS_AGAIN = 15_000;

const COUNTED = ['lstatSync', 'statSync', 'openSync', 'readlinkSync', 'readdirSync'] as const;
const ORIGINAL = Object.fromEntries(COUNTED.map((name) => [name, fs[name]]));
let looks = 0;

// Steps are counted, not time: a loaded machine must not fail these rows.
beforeAll(() => {
  for (const name of COUNTED) {
    const original = fs[name] as (...given: unknown[]) => unknown;
    Object.assign(fs, { [name]: (...given: unknown[]) => ((looks += 1), original(...given)) });
  }
  syncBuiltinESMExports();
});
afterAll(() => {
  Object.assign(fs, ORIGINAL);
  syncBuiltinESMExports();
});

const git = (cwd: string, ...rest: string[]): void => {
  const identity = ['-c', 'user.name=T', '-c', 'user.email=t@example.com', '-c', 'init.defaultBranch=main'];
  execFileSync('git', [...identity, ...rest], { cwd, stdio: 'ignore' });
};

function links(folder: string, count: number, target: (index: number) => string): void {
  mkdirSync(folder, { recursive: true });
  for (let index = 0; index < count; index += 1) symlinkSync(target(index), join(folder, `l${index}`));
}

const aliases = (count: number): string =>
  `[alias]\n${Array.from({ length: count }, (_, index) => `\ta${index} = !./scripts/x${index} src/y lib some more words\n`).join('')}`;

interface Row {
  /** Fills what is cloned. */
  readonly cloned?: (root: string) => void;
  /** Changes the clone, as what came with an archive does. */
  readonly then?: (root: string) => void;
  /** What a change may look at when nothing has changed. Default: {@link MAX_LOOKS_AGAIN}. */
  readonly again?: number;
  /** Whether the change waits for a person. */
  readonly waits: boolean;
}

const ROWS: Readonly<Record<string, Row>> = {
  'nothing that leads elsewhere': { waits: false },
  '2,000 links as git clone brings them': { cloned: (root) => links(join(root, '.vscode'), 2_000, (index) => `../lib/t${index}`), waits: false },
  'a chain of 2,000 links': { then: (root) => links(join(root, '.vscode'), 2_000, (index) => `l${index + 1}`), waits: false },
  '10,000 links': { then: (root) => links(join(root, '.vscode'), 10_000, (index) => `../lib/t${index}`), waits: true },
  '100 aliases': { then: (root) => appendFileSync(join(root, '.git/config'), aliases(100)), again: SETTINGS_AGAIN, waits: false },
  '325 kB of aliases': { then: (root) => appendFileSync(join(root, '.git/config'), aliases(6_500)), again: SETTINGS_AGAIN, waits: true },
  '325 kB of aliases in each of ten other repositories': {
    then: (root) => {
      for (let index = 0; index < 10; index += 1) {
        mkdirSync(join(root, `r${index}`));
        git(join(root, `r${index}`), 'init', '-q');
        appendFileSync(join(root, `r${index}/.git/config`), aliases(6_500));
      }
    },
    waits: true,
  },
};

it.each(Object.entries(ROWS))('a change is judged in a bounded number of looks: %s', { timeout: 120_000 }, async (_, row) => {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'synapse-places-')));
  try {
    const [source, root] = [join(base, 'source'), join(base, 'w')];
    mkdirSync(join(source, 'src'), { recursive: true });
    writeFileSync(join(source, 'src/b.txt'), 'b\n');
    row.cloned?.(source);
    git(source, 'init', '-q');
    git(source, 'add', '-A');
    git(source, 'commit', '-qm', 'first');
    git(base, 'clone', '-q', source, root);
    row.then?.(root);
    await using hands = await createHands({
      workspace: root,
      stateFolder: join(base, 'state'),
      configFolder: join(base, 'config'),
      allow: ['write'],
    });
    const [path, { waits }] = ['src/a.txt', row];
    const change = async (content: string): Promise<number> => {
      looks = 0;
      const result = await hands.call('write_file', { path, content });
      // A loaded machine can need longer than the tool's deadline; what was looked at by then is known.
      if (!result.ok && result.error.code === 'timeout') return await change(content);
      expect(result).toMatchObject(
        waits ? { ok: false, error: { code: expect.stringMatching(/^(?:approval_required|too_large)$/u) as string } } : { ok: true },
      );
      if (!result.ok) expect(result.error.message).toContain('too many');
      return looks;
    };
    // What leads elsewhere is read in the first call, and again in the second, which begins to watch the workspace.
    expect(Math.max(await change('1'), await change('2'))).toBeLessThan(MAX_LOOKS);
    // Once a minute all is read again, so one of these may be more.
    const again = [await change('3'), await change('4')];
    expect(Math.min(...again)).toBeLessThan(row.again ?? MAX_LOOKS_AGAIN);
    expect(existsSync(join(root, path))).toBe(!waits);
  } finally {
    rmSync(base, { recursive: true });
  }
});

it('what one of 2,000 links leads to is protected all the same', async () => {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'synapse-places-')));
  try {
    const root = join(base, 'w');
    links(join(root, '.vscode'), 2_000, (index) => `../lib/t${index}`);
    mkdirSync(join(root, 'lib'));
    await using hands = await createHands({
      workspace: root,
      stateFolder: join(base, 'state'),
      configFolder: join(base, 'config'),
      allow: ['write'],
    });
    const write = async (path: string): Promise<boolean> => (await hands.call('write_file', { path, content: 'x' })).ok;
    for (const _ of [1, 2, 3]) expect([await write('lib/t1999'), await write('lib/other')]).toEqual([false, true]);
    // A link that is made later counts from then on.
    symlinkSync('../lib/other', join(root, '.vscode/later'));
    expect(await write('lib/other')).toBe(false);
  } finally {
    rmSync(base, { recursive: true });
  }
});
