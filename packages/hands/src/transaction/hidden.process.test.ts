import { chmodSync, existsSync, linkSync, lstatSync, mkdirSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import type { CallResult } from '@synapse/protocol';
import { describe, expect, it } from 'vitest';
import type { HandsOptions } from '../runtime/hands-options.ts';
import type { PermissionSettings } from '../policy/policy.ts';
import { findBubblewrap } from '../sandbox/find-bubblewrap.ts';
import { readTree } from '../testing/read-tree.ts';
import { temporaryHands, type TemporaryHands } from '../testing/temporary-hands.ts';

const SECRET = 'key-of-the-house';
const FILES = {
  'node_modules/pkg/.env': `${SECRET}\n`,
  'node_modules/pkg/index.js': 'module.exports = 1;\n',
  'dir/.env': `${SECRET}\n`,
  'dir/open.txt': 'open\n',
  'vault/deep/key': `${SECRET}\n`,
  'a.txt': 'a\n',
};
const VAULT = { deny: ['read(vault/**)'] };
const open = (rules: PermissionSettings = VAULT, allow: HandsOptions['allow'] = ['write', 'exec']): Promise<TemporaryHands> =>
  temporaryHands(FILES, { sandbox: 'required', policy: rules, ...(allow === undefined ? {} : { allow }) });

/** As a script: what a command names itself is asked about before it runs. */
async function run(at: TemporaryHands, script: string): Promise<CallResult> {
  writeFileSync(at.at('script'), script);
  const result = await at.hands.call('run_command', { command: 'sh ./script' });
  rmSync(at.at('script'));
  return result;
}
const text = (result: CallResult): string => (result.ok ? result.output : expect.fail(result.error.message));
const read = (at: TemporaryHands, path: string): string => readFileSync(at.at(path), 'utf8');

describe.skipIf((await findBubblewrap()) === undefined)('what is hidden from a command on a copy', () => {
  it('goes with its folder when that is deleted, and comes back with an undo', async () => {
    await using at = await open();
    const before = readTree(at.folder);
    const result = await run(at, 'rm -rf node_modules dir vault && ls -A');
    expect(result).toMatchObject({ ok: true, output: expect.stringContaining('a.txt') as string, data: { exit_code: 0 }, meta: { ran: 'copy' } });
    expect(readdirSync(at.folder)).toEqual(['a.txt']);
    expect(await at.hands.undo()).toMatchObject({ ok: true });
    expect(readTree(at.folder)).toEqual(before);
  });

  it.each([
    'cat dir/.env',
    'cp dir/.env x; cat x',
    'ln dir/.env x && cat x',
    'mv dir other; cat other/.env',
    'mv dir/.env x; cat x; chmod 644 x; cat x',
    'chmod -R u+rwX dir node_modules vault; cat dir/.env node_modules/pkg/.env vault/deep/key',
    'cp -a dir x; cat x/.env; tar cf - dir vault; grep -rs . .',
    'rm dir/.env; ln -s ../node_modules/pkg/.env dir/.env; cat dir/.env',
    'mv vault/deep x; cat x/key; mv vault y; cat y/deep/key; rmdir vault/deep; mkdir -p vault/deep; cat vault/deep/key',
    'cat .. ../lower/dir/.env ../../lower/dir/.env; cat /proc/1/root/$PWD/dir/.env; cd /proc/self/cwd && cat dir/.env',
    'cat second; mv second x; cat x; cp second y; cat y',
    'perl -e \'syscall(2, "dir/.env", 0); for $f (3..20) { open(F, "<&=$f") && print <F> }; open(F, "<", "/proc/self/fd/3") && print <F>\'',
  ])('is not read: %s', async (command) => {
    await using at = await open();
    linkSync(at.at('node_modules/pkg/.env'), at.at('second'));
    expect(text(await run(at, command))).not.toContain(SECRET);
    // Nor by a later command, after what this one left.
    expect(text(await run(at, 'find . -type f -exec cat {} +; cat x y dir other/.env x/key y/deep/key'))).not.toContain(SECRET);
    await using shown = await open({ allow: ['read(**/.env)', 'read(second)'] });
    linkSync(shown.at('node_modules/pkg/.env'), shown.at('second'));
    if (!command.startsWith('cat ..') && !command.startsWith('perl')) expect(text(await run(shown, command))).toContain(SECRET);
  });

  it('moves along with its folder where it is hidden as well', async () => {
    await using at = await open();
    chmodSync(at.at('dir/.env'), 0o640);
    const time = lstatSync(at.at('dir/.env')).mtimeMs;
    expect(await run(at, 'mv dir other')).toMatchObject({ ok: true, data: { exit_code: 0 } });
    expect(existsSync(at.at('dir'))).toBe(false);
    expect([read(at, 'other/.env'), read(at, 'other/open.txt')]).toEqual([`${SECRET}\n`, 'open\n']);
    expect([lstatSync(at.at('other/.env')).mode & 0o777, Math.round(lstatSync(at.at('other/.env')).mtimeMs)]).toEqual([0o640, Math.round(time)]);
    expect(await run(at, 'cp -r other again && rm -rf other')).toMatchObject({ ok: true, data: { exit_code: 0 } });
    expect(read(at, 'again/.env')).toBe(`${SECRET}\n`);
    expect(await at.hands.undo({ last: 2 })).toMatchObject({ ok: true });
    expect(read(at, 'dir/.env')).toBe(`${SECRET}\n`);
  });

  it('moves along where a rule denies reading it under both names', async () => {
    await using at = await open({ deny: ['read(**/.env)'] });
    const before = readTree(at.folder);
    expect(text(await run(at, 'mv dir other; mkdir new; echo made > new/.env'))).toContain('new/.env');
    // What the command itself made under such a name is withheld, as before.
    expect([existsSync(at.at('dir')), read(at, 'other/.env'), existsSync(at.at('new/.env'))]).toEqual([false, `${SECRET}\n`, false]);
    expect(await at.hands.undo()).toMatchObject({ ok: true });
    expect(readTree(at.folder)).toEqual(before);
    await using asked = await open({ deny: ['read(**/.env)'] }, []);
    const waiting = await run(asked, 'mv dir other');
    expect(await asked.hands.applyPending((waiting.ok ? waiting.meta.pending : undefined) ?? '')).toMatchObject({ ok: true });
    expect([existsSync(asked.at('dir')), read(asked, 'other/.env')]).toEqual([false, `${SECRET}\n`]);
    await using fixed = await open({ deny: ['read(**/.env)', 'write(other/**)'] });
    text(await run(fixed, 'mv dir other'));
    expect(read(fixed, 'dir/.env')).toBe(`${SECRET}\n`);
  });

  it('keeps its content where times do not tell files apart', async () => {
    await using at = await open();
    const far = new Date('2300-01-01');
    const names = Array.from({ length: 8 }, (_, index) => `${index}/.env`);
    for (const name of names) {
      mkdirSync(at.at(`dir/${name.slice(0, 1)}`));
      writeFileSync(at.at(`dir/${name}`), name);
      utimesSync(at.at(`dir/${name}`), far, far);
    }
    text(await run(at, 'mv dir moved'));
    // Hidden by mounts instead, which do not move.
    expect(names.map((name) => read(at, `${existsSync(at.at(`moved/${name}`)) ? 'moved' : 'dir'}/${name}`))).toEqual(names);
  });

  it('is not shown under the name that it moves to', async () => {
    await using at = await open();
    writeFileSync(at.at('script'), 'mv dir other');
    const shown = JSON.stringify(await at.hands.call('run_command', { command: 'sh ./script' }, { dryRun: true }));
    expect(shown).toContain('other/.env');
    expect(shown).not.toContain(SECRET);
    await using asked = await open(VAULT, []);
    const result = await run(asked, 'mv dir other');
    const waiting = await asked.hands.showPending((result.ok ? result.meta.pending : undefined) ?? '');
    expect(waiting.changes).toContainEqual({ kind: 'created', path: 'other/.env', note: 'not shown, as reading it is not allowed' });
    expect(JSON.stringify([result, waiting])).not.toContain(SECRET);
  });

  it('stays where its new name would show it', async () => {
    await using at = await open();
    expect(text(await run(at, 'mv dir/.env dir/notes.txt; mv vault safe; echo new > dir/made'))).toMatch(
      /Not kept of what it did: dir\/\.env \(dir\/\.env is hidden from commands, and would not be as dir\/notes\.txt\)/u,
    );
    expect([read(at, 'dir/.env'), read(at, 'vault/deep/key'), read(at, 'dir/made')]).toEqual([`${SECRET}\n`, `${SECRET}\n`, 'new\n']);
    expect(existsSync(at.at('dir/notes.txt')) || existsSync(at.at('safe/deep/key'))).toBe(false);
  });

  it('is not copied, and says so', async () => {
    await using at = await open();
    expect(text(await run(at, 'cp -a dir copy'))).toContain('copy/.env (dir/.env is hidden from commands, so they cannot copy it)');
    expect(readdirSync(at.at('copy'))).toEqual(['open.txt']);
    expect(read(at, 'dir/.env')).toBe(`${SECRET}\n`);
  });

  it.each([
    ['a folder around a hidden one', 'mv vault other', false, '**/deep'],
    ['a hidden one, from beside it', 'cd vault; mv deep ../other', false, '**/deep'],
    ['a hidden one', 'mv vault/deep other', true, '**/deep'],
    ['a folder around one that is hidden there', 'mv vault other', false, 'vault/deep'],
    ['a folder around one that is hidden there', 'mv vault other', true, 'vault/deep'],
  ])('is not moved, and says what to do: %s (%s, live: %s, %s)', async (_, script, live, place) => {
    await using at = await open({ deny: [`read(${place})`, `read(${place}/**)`] });
    writeFileSync(at.at('script'), script);
    const said = text(await at.hands.call('run_command', { command: 'sh ./script', live }));
    expect(said).toMatch(/vault\/deep(?:\/key)? is hidden from commands, so they cannot move it.*move_path moves the folder/u);
    expect(read(at, 'vault/deep/key')).toBe(`${SECRET}\n`);
    expect(JSON.stringify(readTree(at.folder)).split(SECRET)).toHaveLength(4);
    if (place === 'vault/deep') return;
    // The advice works: it moves, and stays hidden.
    rmSync(at.at('other'), { recursive: true, force: true });
    expect(await at.hands.call('move_path', { from: 'vault', to: 'elsewhere' })).toMatchObject({ ok: true });
    expect(read(at, 'elsewhere/deep/key')).toBe(`${SECRET}\n`);
    expect(text(await run(at, 'cat elsewhere/deep/key || true'))).not.toContain(SECRET);
  });

  it('keeps what it is where a command only touches it', async () => {
    await using at = await open();
    text(await run(at, 'chmod -R a+rwX .; touch dir/.env; ln dir/.env x; echo more > dir/more'));
    expect([read(at, 'dir/.env'), lstatSync(at.at('dir/.env')).mode & 0o777]).toEqual([`${SECRET}\n`, 0o644]);
    expect(read(at, 'dir/more')).toBe('more\n');
    expect(existsSync(at.at('x'))).toBe(false);
  });

  it('is replaced as the rules for changes say', async () => {
    await using at = await open();
    text(await run(at, 'rm dir/.env; echo NEW=1 > dir/.env; rm -rf vault; mkdir -p vault/deep; echo 1 > vault/deep/key'));
    expect(read(at, 'dir/.env')).toBe('NEW=1\n');
    expect(read(at, 'vault/deep/key')).toBe(`${SECRET}\n`);
    expect(await at.hands.undo()).toMatchObject({ ok: true });
    expect(read(at, 'dir/.env')).toBe(`${SECRET}\n`);
  });

  it('is not deleted where a rule denies changing it, nor is its folder', async () => {
    await using at = await open({ deny: ['read(**/.env)', 'write(**/.env)'] });
    const before = readTree(at.folder);
    expect(text(await run(at, 'rm -rf node_modules; rm dir/.env'))).toMatch(/Not kept of what it did: node_modules/u);
    expect(readTree(at.folder)).toEqual(before);
    await using only = await open({ deny: ['read(**/.env)'] });
    text(await run(only, 'rm -rf node_modules'));
    expect(existsSync(only.at('node_modules'))).toBe(false);
  });

  it('waits with its folder until a person decides', async () => {
    await using at = await open(VAULT, []);
    const result = await run(at, 'mv dir other; rm -rf node_modules');
    const handle = result.ok ? result.meta.pending : undefined;
    expect(handle).toBeDefined();
    expect(readdirSync(at.folder)).toContain('dir');
    expect(await at.hands.applyPending(handle ?? '')).toMatchObject({ ok: true });
    expect([existsSync(at.at('node_modules')), read(at, 'other/.env')]).toEqual([false, `${SECRET}\n`]);
  });

  it('is hidden below closed folders and odd names', async () => {
    await using at = await open();
    mkdirSync(Buffer.concat([Buffer.from(at.at('dir/')), Buffer.from([0xff])]));
    writeFileSync(Buffer.concat([Buffer.from(at.at('dir/')), Buffer.from([0xff]), Buffer.from('/.env')]), SECRET);
    chmodSync(at.at('dir'), 0o500);
    expect(text(await run(at, 'ls -A dir/*; cat dir/*/.env; chmod 700 dir; rm -rf dir'))).toMatch(/\.env\n.*Permission denied/u);
    expect(existsSync(at.at('dir'))).toBe(false);
  });
});
