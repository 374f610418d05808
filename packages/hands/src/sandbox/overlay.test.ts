import { execFile, execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CHECKOUT_USERS } from '../testing/sandbox-bench.ts';
import { findBubblewrap } from './find-bubblewrap.ts';

const PROGRAM = fileURLToPath(new URL('../testing/overlay-demonstration.ts', import.meta.url));
const FILES = { 'a/f.txt': 'f', 'a/g.txt': 'g', 'd/old.txt': 'old', 'x.sh': 'x', '.env': 'secret', 'k, l:m/n': '1' };

describe.skipIf((await findBubblewrap()) === undefined).each(CHECKOUT_USERS)('a dry run as %s', (user) => {
  let base: string;
  beforeEach(() => {
    base = mkdtempSync(join(tmpdir(), 'synapse-overlay-'));
    for (const [path, content] of Object.entries(FILES)) {
      mkdirSync(join(base, 'ws', path, '..'), { recursive: true });
      writeFileSync(join(base, 'ws', path), content);
    }
    mkdirSync(join(base, 'scratch'));
    chmodSync(base, 0o755);
    if (process.getuid?.() === 0 && user === 'user') execFileSync('chown', ['-R', '65534:65534', base]);
  });
  afterEach(() => rmSync(base, { recursive: true, force: true }));

  const listing = (): string => execFileSync('find', [join(base, 'ws'), '-printf', '%P %y %m %T@ %C@\n']).toString();

  async function dryRun(
    command: string,
  ): Promise<{ output: string; complete: boolean; exitCode: number; changes: Array<Partial<Record<string, string | number>>> }> {
    const as = process.getuid?.() === 0 && user === 'user' ? ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups', '--'] : ['env'];
    const [program, ...rest] = [...as, process.execPath, '--conditions=synapse-source', PROGRAM, join(base, 'ws'), join(base, 'scratch'), command];
    const { stdout } = await promisify(execFile)(program, rest, { cwd: base });
    return JSON.parse(stdout);
  }

  it('tells what would change, changes nothing, and cleans up', async () => {
    const before = listing();
    const result = await dryRun(
      'id -u; pwd; printf new > n.txt; printf G > a/g.txt; rm a/f.txt; rm -r d; mkdir d; printf y > d/new.txt; chmod 755 x.sh; touch "k, l:m/n"; ln -s a link; mkdir -p p/q; printf z > p/q/z; cat .env; mv "k, l:m" moved',
    );
    expect(listing()).toBe(before);
    expect(readdirSync(join(base, 'scratch'))).toEqual([]);
    expect(result.output).toContain(`${user === 'user' && process.getuid?.() === 0 ? 65_534 : process.getuid?.()}\n${join(base, 'ws')}\n`);
    expect(result.output).not.toContain('secret');
    expect(result.complete).toBe(true);
    const shown = result.changes.map(({ kind, path, type, content, target }) =>
      [kind, path, type, content ?? target].filter((part) => part !== undefined).join(' '),
    );
    expect(shown.toSorted()).toEqual(
      [
        'added d/new.txt file y',
        'added link link a',
        'added moved directory',
        'added moved/n file 1',
        'added n.txt file new',
        'added p directory',
        'added p/q directory',
        'added p/q/z file z',
        'changed a/g.txt file G',
        'changed x.sh file x',
        'deleted a/f.txt file',
        'deleted d/old.txt file',
        'deleted k, l:m directory',
      ].toSorted(),
    );
    expect(result.changes.find(({ path }) => path === 'x.sh')).toMatchObject({ mode: 0o755, modeBefore: 0o644 });
  });

  it('of a command that only looks is empty', async () => {
    expect(await dryRun('cat a/f.txt; touch a/g.txt; exit 4')).toMatchObject({ output: 'f', exitCode: 4, changes: [], complete: true });
  });

  it('reads what it can of folders that the command closed, and still cleans up', async () => {
    const result = await dryRun('mkdir -p c/d; echo 1 > c/d/e; chmod 0 c/d; echo 2 > f; exit 0');
    expect(result.changes).toContainEqual(expect.objectContaining({ kind: 'added', path: 'f' }));
    expect(result.complete).toBe(user === 'root');
    expect(readdirSync(join(base, 'scratch'))).toEqual([]);
  });

  it('has no network, and leaves nothing elsewhere', async () => {
    const result = await dryRun(`grep -c : /proc/net/dev; echo x > ${base}/scratch/y; echo x > /tmp/stays-${user}; true`);
    expect(result.output).toMatch(/^1\n/u);
    expect(readdirSync(join(base, 'scratch'))).toEqual([]);
    expect(readdirSync(tmpdir())).not.toContain(`stays-${user}`);
  });
});
