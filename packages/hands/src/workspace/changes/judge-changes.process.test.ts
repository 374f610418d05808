import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { isSynapseError } from '@synapse/protocol';
import { HandleConfinement } from '../handle-confinement.ts';
import { judgeFolder } from './judge-changes.ts';
import { temporaryHands } from '../../testing/temporary-hands.ts';

type Call = readonly [tool: string, input: Readonly<Record<string, unknown>>];
type Place = Awaited<ReturnType<typeof temporaryHands>>;

const write = (path: string, content: string): Call => ['write_file', { path, content }];
const folder = (path: string): Call => ['create_directory', { path }];
const move = (from: string, to: string): Call => ['move_path', { from, to }];
const patch = (...lines: string[]): Call => ['apply_patch', { patch: ['*** Begin Patch', ...lines, '*** End Patch'].join('\n') }];

const HEAD = write('x/HEAD', 'ref: refs/heads/main\n');
const CONFIG = write('x/config', '[core]\n\trepositoryformatversion = 0\n\tworktree = ..\n\tfsmonitor = "touch fired; false"\n');
const OBJECTS = folder('x/objects');
const REFS = folder('x/refs');

async function run(place: Place, calls: readonly Call[]): Promise<string[]> {
  const codes: string[] = [];
  for (const [tool, input] of calls) {
    const result = await place.hands.call(tool, input);
    codes.push(result.ok ? 'ok' : result.error.code);
  }
  return codes;
}

/** What a person would do, and whether the program of the repository ran. */
function personLooks(place: Place): boolean {
  try {
    execFileSync('git', ['status'], {
      cwd: place.at('x'),
      stdio: 'ignore',
      env: { PATH: process.env['PATH'], HOME: place.folder, GIT_CONFIG_NOSYSTEM: '1' },
    });
  } catch {
    // It may well fail; what matters is what it ran.
  }
  return existsSync(place.at('fired')) || existsSync(place.at('x/fired'));
}

describe('a repository that is written piece by piece', () => {
  const ORDERS: ReadonlyArray<readonly [string, readonly Call[]]> = [
    ['the settings last', [HEAD, OBJECTS, REFS, CONFIG]],
    ['the settings first', [CONFIG, HEAD, OBJECTS, REFS]],
    ['by files in the folders', [CONFIG, HEAD, write('x/objects/a', ''), write('x/refs/a', '')]],
    ['by a move', [write('x/plain', String(CONFIG[1]['content'])), HEAD, OBJECTS, REFS, move('x/plain', 'x/config')]],
    ['by moving a folder', [CONFIG, HEAD, OBJECTS, folder('y/below'), move('y', 'x/refs')]],
    ['by a patch', [CONFIG, OBJECTS, REFS, patch('*** Add File: x/HEAD', '+ref: refs/heads/main')]],
    ['by a rename in a patch', [CONFIG, OBJECTS, REFS, write('a', 'ref: refs/heads/main\n'), patch('*** Update File: a', '*** Move to: x/HEAD')]],
  ];

  it.each(ORDERS)('is not finished: %s', async (_, calls) => {
    await using place = await temporaryHands();
    const codes = await run(place, calls);
    expect(codes).toEqual([...calls.slice(1).map(() => 'ok'), 'approval_required']);
    expect(personLooks(place)).toBe(false);
  });

  it.each(ORDERS)('and runs a program where a person permitted it: %s', async (_, calls) => {
    await using place = await temporaryHands({}, { allow: ['write', 'protected'] });
    expect(await run(place, calls)).toEqual(calls.map(() => 'ok'));
    expect(personLooks(place)).toBe(true);
  });

  it('is not finished by an undo', async () => {
    await using place = await temporaryHands();
    await run(place, [CONFIG]);
    const deletion = (await place.hands.call('delete_file', { path: 'x/config' })).meta.callId;
    expect(await run(place, [HEAD, OBJECTS, REFS])).toEqual(['ok', 'ok', 'ok']);
    expect(await place.hands.undo({ call: deletion })).toMatchObject({ ok: false, error: { code: 'approval_required' } });
    expect(personLooks(place)).toBe(false);
  });

  it('is built where it says nothing', async () => {
    await using place = await temporaryHands();
    expect(await run(place, [write('x/config', '[core]\n\tbare = true\n'), HEAD, OBJECTS, REFS])).toEqual(['ok', 'ok', 'ok', 'ok']);
  });
});

describe('a place that the configuration of git names', () => {
  it('is not changed', async () => {
    await using place = await temporaryHands({ 'tools/hook.sh': '', 'tools/other.sh': '' });
    execFileSync('git', ['init', '-q', place.folder]);
    execFileSync('git', ['-C', place.folder, 'config', 'filter.x.clean', 'sh tools/hook.sh']);
    const remove = (path: string): Call => ['delete_file', { path }];
    const calls = [
      write('tools/hook.sh', 'x'),
      write('tools/other.sh', 'x'),
      move('tools', 'tools2'),
      move('tools/hook.sh', 'x'),
      remove('tools/hook.sh'),
      remove('tools/other.sh'),
      patch('*** Delete File: tools/hook.sh'),
      ['delete_directory', { path: 'tools', recursive: true }],
    ] as const satisfies readonly Call[];
    const no = 'approval_required';
    expect(await run(place, calls)).toEqual([no, 'ok', no, no, no, 'ok', no, no]);
  });
});

describe('a move', () => {
  it.each([
    ['opens what may not be read', move('secrets', 'pub')],
    ['takes what may not be changed', move('kept', 'pub')],
    ['takes it from further below', move('outer', 'pub')],
    ['brings something where nothing may be written', move('plain', 'kept/plain')],
    ['brings an agent its tools', move('plain', '.github')],
  ])('is refused where it %s', async (_, call) => {
    await using place = await temporaryHands(
      { 'secrets/a': '', 'kept/a': '', 'plain/agents/x.agent.md': '', 'outer/secrets/a': '' },
      { policy: { deny: ['read(secrets/**)', 'read(outer/secrets/**)', 'write(kept/**)'] } },
    );
    const before = execFileSync('find', ['.'], { cwd: place.folder, encoding: 'utf8' });
    expect(await run(place, [call])).toEqual(['denied']);
    expect(execFileSync('find', ['.'], { cwd: place.folder, encoding: 'utf8' })).toBe(before);
  });

  it('goes where nothing changes by it', async () => {
    await using place = await temporaryHands({ 'app/.env': '', 'app/.vscode/settings.json': '', 'app/a/b.ts': '' });
    execFileSync('git', ['init', '-q', place.at('app/sub')]);
    writeFileSync(place.at('app/sub/.git/hooks/pre-commit'), '');
    expect(await run(place, [move('app', 'other')])).toEqual(['ok']);
    expect(existsSync(place.at('other/sub/.git/hooks/pre-commit'))).toBe(true);
  });

  it('does not make a folder the hooks of a repository, nor a link the settings of cargo', async () => {
    await using place = await temporaryHands({ 'd/pre-commit': '', 'c/config.toml': '' });
    execFileSync('git', ['init', '-q', '--bare', place.at('x')]);
    execFileSync('rm', ['-r', place.at('x/hooks')]);
    symlinkSync('c', place.at('link'));
    expect(await run(place, [move('d', 'x/hooks'), move('link', '.cargo')])).toEqual(['approval_required', 'approval_required']);
  });

  it.each([
    ['there is something else', [write('y/run', 'touch fired'), move('a/x', 'x')], false],
    ['there is nothing', [move('a/x', 'x')], true],
    ['it moves along', [write('b', ''), move('a', 'y')], true],
  ])('takes a repository with it that names a place beside it, where %s', async (_, calls, isMoved) => {
    const open = async (allow: Array<'write' | 'protected'>): Promise<Place> => {
      const place = await temporaryHands({ 'a/run': '' }, { allow });
      execFileSync('git', ['init', '-q', place.at('a/x')]);
      // In `x`, this is what is beside the repository: `y/run`.
      execFileSync('git', ['-C', place.at('a/x'), 'config', 'core.fsmonitor', 'sh ../y/run']);
      return place;
    };
    await using place = await open(['write']);
    expect((await run(place, calls)).at(-1)).toBe(isMoved ? 'ok' : 'approval_required');
    expect(personLooks(place)).toBe(false);
    await using permitted = await open(['write', 'protected']);
    expect((await run(permitted, calls)).at(-1)).toBe('ok');
    expect(personLooks(permitted)).toBe(!isMoved);
  });

  it('is refused where not all can be looked at', async () => {
    await using place = await temporaryHands();
    for (let index = 0; index <= 20; index += 1) {
      mkdirSync(place.at(`many/${index}`), { recursive: true });
      for (let file = 0; file < 1_000; file += 1) writeFileSync(place.at(`many/${index}/${file}`), '');
    }
    expect(await run(place, [move('many', 'other'), move('many/1', 'one')])).toEqual(['too_large', 'ok']);
  });
});

describe('where not all repositories of the workspace are known', () => {
  it.each([
    ['too_large', false],
    [undefined, true],
  ])('a change is refused with %s where a person permitted it: %s', async (code, isPermitted) => {
    await using place = await temporaryHands();
    using confinement = new HandleConfinement(place.folder);
    const judgement = {
      guards: { opens: () => isPermitted, approved: () => false, moves: () => () => {}, hides: () => false },
      confinement,
      elsewhere: { places: [], problem: 'not everything could be read: sub (EACCES)', hadFolder: () => false },
      signal: new AbortController().signal,
    };
    const judge = (): string | undefined => {
      try {
        judgeFolder(judgement, ['new']);
        return undefined;
      } catch (error) {
        return isSynapseError(error) ? error.code : 'unknown';
      }
    };
    expect(judge()).toBe(code);
  });
});
