import { execFile, execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { CallResult } from '@synapse/protocol';
import { describe, expect, it } from 'vitest';
import type { ShownChange } from '../journal/show-changes.ts';
import { findBubblewrap } from '../sandbox/find-bubblewrap.ts';
import { readTree } from '../testing/read-tree.ts';
import { otherUsersCache } from '../testing/run-script.ts';
import { CHECKOUT_USERS } from '../testing/sandbox-bench.ts';

const PROGRAM = fileURLToPath(new URL('../testing/command-demonstration.ts', import.meta.url));
const FILES = {
  'a.txt': 'one\n',
  'd/x': 'x',
  'd/e/y': 'y',
  'run.sh': '#!/bin/sh\n',
  '.env': 'KEY=secret\n',
  'r/.git/HEAD': 'ref: refs/heads/main\n',
  'parts/config': '[core]\n\tfsmonitor = ./x\n',
};

/** Everything that a command can change, all at once. */
const EVERYTHING = [
  'echo two >> a.txt',
  'rm -r d',
  'mkdir -p n/m',
  'printf "\\000\\001" > n/m/bin',
  'chmod 755 run.sh',
  'chmod 700 n',
  'ln -s a.txt link',
  'echo said',
  'echo wrong >&2',
  'exit 3',
].join('; ');

/** What is left of copies. */
const areasIn = (state: string): string[] => readdirSync(join(state, 'transactions')).flatMap((id) => readdirSync(join(state, 'transactions', id)));

interface Ran {
  readonly result: CallResult<{ exit_code: number; stdout: string; stderr: string }>;
  readonly changes: readonly ShownChange[];
}

describe.skipIf((await findBubblewrap()) === undefined).each(CHECKOUT_USERS)('what a command changes, as %s', (user) => {
  const asOther = process.getuid?.() === 0 && user === 'user';

  function place(): { readonly folder: string; readonly state: string; readonly run: (how: string, command?: string) => Promise<Ran> } {
    const base = realpathSync(mkdtempSync(join(tmpdir(), 'synapse-effect-')));
    const [folder, state] = [join(base, 'workspace'), join(base, 'state')];
    for (const [path, content] of Object.entries(FILES)) {
      mkdirSync(join(folder, path, '..'), { recursive: true });
      writeFileSync(join(folder, path), content);
    }
    mkdirSync(state);
    chmodSync(base, 0o755);
    if (asOther) execFileSync('chown', ['-R', '65534:65534', base]);
    return {
      folder,
      state,
      async run(how, command = '') {
        const as = asOther ? ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups', '--'] : ['env'];
        const given = [`HOME=${state}`, ...(asOther ? [`NODE_COMPILE_CACHE=${otherUsersCache()}`] : [])];
        const [program, ...rest] = [...as, ...given, process.execPath, '--conditions=synapse-source', PROGRAM, folder, state, how, command];
        const words = asOther ? [...as.slice(1), 'env', ...rest.slice(as.length - 1)] : rest;
        const { stdout } = await promisify(execFile)(program, words, { cwd: base });
        return JSON.parse(stdout) as Ran;
      },
    };
  }

  const ok = ({ result }: Ran): Extract<Ran['result'], { ok: true }> =>
    result.ok ? result : expect.fail(`${result.error.message} ${result.error.hint}`);

  it('is shown by a dry run, and none of it stays', async () => {
    const { folder, state, run } = place();
    const before = readTree(folder);
    const { meta, output, data } = ok(await run('dry', EVERYTHING));
    expect(readTree(folder)).toEqual(before);
    expect(areasIn(state)).toEqual([]);
    expect(existsSync(join(state, 'journal'))).toBe(false);
    expect(data).toMatchObject({ exit_code: 3, stdout: 'said\n', stderr: 'wrong\n' });
    expect(meta).not.toHaveProperty('undo');
    expect(meta.dryRun?.changes.map(({ kind, path, note }) => [kind, path, note ?? ''])).toEqual([
      ['changed', 'a.txt', ''],
      ['deleted', 'd', 'a folder'],
      ['deleted', 'd/e', 'a folder'],
      ['deleted', 'd/e/y', ''],
      ['deleted', 'd/x', ''],
      ['created', 'link', 'a link to a.txt'],
      ['created', 'n', 'a folder'],
      ['created', 'n/m', 'a folder'],
      ['created', 'n/m/bin', 'binary, 2B'],
      ['changed', 'run.sh', 'mode 644 → 755'],
    ]);
    expect(output).toContain('@@ -1,1 +1,2 @@\n one\n+two');
  });

  it.each(['approve', 'undoable'])('is done exactly, can be seen, and can be undone: %s', async (how) => {
    const { folder, run } = place();
    const before = readTree(folder);
    const ran = await run(how, EVERYTHING);
    const { meta, data, output } = ok(ran);
    expect(data).toMatchObject({ exit_code: 3, stdout: 'said\n', stderr: 'wrong\n' });
    expect(output).not.toContain('Dry run');
    expect(meta).toMatchObject({ undo: 'covered', appliedFrom: 'copy', completion: 'failed', sandbox: 'bubblewrap' });
    const after = readTree(folder);
    // The same as the command itself makes of it.
    const plain = place();
    expect(ok(await plain.run('plain', EVERYTHING)).meta).toMatchObject({ undo: 'not covered' });
    expect(after).toEqual(readTree(plain.folder));
    expect(ran.changes.map(({ path }) => path)).toEqual(expect.arrayContaining(['a.txt', 'd', 'link', 'n', 'run.sh']));
    ok(await run('undo'));
    expect(readTree(folder)).toEqual(before);
  });

  it('may be in folders that are closed to their owner, as those of a module cache', async () => {
    const { folder, run } = place();
    const cache = 'mkdir -p m/n m/o m/p; echo 1 > m/n/f; echo 2 > m/o/g; chmod 555 m/n m/o m/p m';
    expect(ok(await run('plain', cache)).data.exit_code).toBe(0);
    const before = readTree(folder);
    const changed =
      'chmod 755 m; chmod u+w m/n m/o; rm -r m/n; echo 3 > m/n; echo 4 > m/o/h; chmod u-w m/o; mkdir m/q; echo 5 > m/q/i; chmod 500 m/q m; chmod 0 .';
    const { data, output } = ok(await run('undoable', changed));
    expect(data).toMatchObject({ exit_code: 0, stderr: '' });
    expect(output).toContain('the permissions of the workspace itself stay as they are');
    const { 'm/n/f': _, ...kept } = before;
    const made = { m: 'folder 500', 'm/n': 'file 644 3\n', 'm/o/h': 'file 644 4\n', 'm/q': 'folder 500', 'm/q/i': 'file 644 5\n' };
    expect(readTree(folder)).toEqual({ ...kept, ...made });
    ok(await run('undo'));
    expect(readTree(folder)).toEqual(before);
  });

  it('leaves out what git would run in a repository under any name', async () => {
    const { folder, run } = place();
    const made = 'git init -q --bare one; git init -q --bare two; git -C two config core.fsmonitor ./x; echo x > one/hooks/update';
    const result = await run('undoable', `${made}; cp -r one/objects one/refs one/HEAD parts; mkdir plain; echo x > plain/config; mkdir plain/hooks`);
    expect(ok(result).data).toMatchObject({ exit_code: 0, stderr: '' });
    for (const path of ['one/HEAD', 'one/config', 'two/HEAD', 'plain/config', 'plain/hooks', 'parts/config'])
      expect(existsSync(join(folder, path)), path).toBe(true);
    expect(readdirSync(join(folder, 'one/hooks')).filter((name) => !name.endsWith('.sample'))).toEqual([]);
    for (const path of ['two/config', 'parts/HEAD']) expect(existsSync(join(folder, path)), path).toBe(false);
  });

  it('keeps the history that git wrote', async () => {
    const { folder, run } = place();
    rmSync(join(folder, 'r'), { recursive: true });
    const git = 'git -c user.name=A -c user.email=a@b.c -c safe.directory=*';
    execFileSync('sh', ['-c', `${git} init -q . && ${git} add a.txt && ${git} commit -qm first && chown -R --reference=. .git`], { cwd: folder });
    const { meta } = ok(await run('undoable', `${git} commit -qam second --allow-empty`));
    expect(meta).toMatchObject({ completion: 'ok', undo: 'covered' });
    expect(execFileSync('git', ['-c', 'safe.directory=*', 'log', '--format=%s'], { cwd: folder }).toString()).toBe('second\nfirst\n');
  });
});
