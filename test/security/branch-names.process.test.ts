import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BranchStore, FileLocks, holdBranch, workspaceId, type HeldBranch } from '@synapse/hands/internal';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findBubblewrap } from '../../packages/hands/src/sandbox/find-bubblewrap.ts';
import { openBranch, type Door } from './doors.ts';

const works = (await findBubblewrap()) !== undefined;

/** A folder of Synapse, or of what holds a branch, and a file below it that is not one of the workspace as the branch sees it. */
interface Way {
  readonly name: string;
  readonly folder: string;
  readonly file: string;
  /** Whether the folder is the workspace as the branch sees it, which may be changed. */
  readonly isOwn?: boolean;
}

let base: string;
let root: string;
let stateFolder: string;
let held: HeldBranch;
let door: Door;
let ways: Way[];
const secret = `SECRET-${randomBytes(12).toString('hex')}`;

type Calls = ReadonlyArray<readonly [tool: string, input: unknown]>;

/** All that a process in the branch could call what it must not reach. */
function waysTo(pid: string): Way[] {
  const branches = join(stateFolder, 'branches', workspaceId(root));
  const other = join(branches, 'other', 'upper');
  const seen = (at: string): Way[] => [
    { name: 'the workspace below', folder: join(at, stateFolder, 'base'), file: 'below.txt' },
    { name: 'what the policy denies below', folder: join(at, stateFolder, 'base'), file: '.env' },
    { name: 'what is denied in the branch', folder: join(at, root), file: '.env', isOwn: true },
    { name: 'the real state', folder: join(at, stateFolder, 'main'), file: 'kept.txt' },
    { name: 'the state of the branch', folder: join(at, stateFolder), file: 'mine.txt' },
    { name: 'another branch', folder: join(at, other), file: 'theirs.txt' },
    {
      name: 'another branch, by the real state',
      folder: join(at, stateFolder, 'main', 'branches', workspaceId(root), 'other', 'upper'),
      file: 'theirs.txt',
    },
    { name: 'the layer of the branch', folder: join(at, branches, 'attacked', 'upper'), file: '.env' },
    { name: 'the workspace by the link of the branch', folder: join(at, branches, 'attacked', 'lower'), file: '.env', isOwn: true },
  ];
  return [
    ...seen('/'),
    ...seen(`/proc/${pid}/root`).map((way) => ({ ...way, name: `${way.name}, by the process that holds the branch` })),
    { name: 'the real workspace, by the process of the tests', folder: `/proc/${process.pid}/root${root}`, file: 'below.txt' },
    { name: 'the folder of the holder', folder: `/proc/${pid}/cwd/upper`, file: '.env' },
  ];
}

describe.skipIf(!works)('in a branch', () => {
  beforeAll(async () => {
    base = realpathSync(mkdtempSync(join(tmpdir(), 'synapse-branch-names-')));
    const state = join(base, 'state');
    [root, stateFolder] = [join(base, 'workspace'), join(state, 'synapse')];
    for (const folder of [root, stateFolder]) mkdirSync(folder, { recursive: true });
    writeFileSync(join(root, 'ok.txt'), 'fine\n');
    for (const name of ['.env', 'below.txt']) writeFileSync(join(root, name), `TOKEN=${secret}\n`);
    writeFileSync(join(stateFolder, 'kept.txt'), `${secret}\n`);
    const store = new BranchStore(stateFolder, root);
    const other = await store.create('other');
    writeFileSync(join(other.folder.upper, 'theirs.txt'), `${secret}\n`);
    door = await openBranch({ root, state }, '--readable', '/');
    const { folder, record } = store.get('attacked');
    held = await holdBranch(folder, record, { stateFolder, locks: new FileLocks(join(stateFolder, 'locks')), signal: new AbortController().signal });
    // Deleted in the branch.
    execFileSync(...asCommand(`rm below.txt; printf 'MORE=1\\n' >> .env; printf '%s\\n' ${secret} > '${stateFolder}/mine.txt'`));
    const [pid = ''] = readFileSync(folder.holder, 'utf8').split(' ');
    ways = waysTo(pid);
    for (const [index, way] of ways.entries()) {
      symlinkSync(way.folder, join(held.path(root), `folder${index}`));
      symlinkSync(join(way.folder, way.file), join(held.path(root), `file${index}`));
    }
  }, 60_000);
  afterAll(async () => {
    if (!works) return;
    held[Symbol.dispose]();
    await door[Symbol.asyncDispose]();
  });

  const asCommand = (script: string): [string, string[]] => {
    const [program, ...words] = held.enter(['/bin/sh', '-c', script], root);
    return [program, words];
  };

  /** What a program without a sandbox reads there. */
  const readAsPerson = (): string[] => {
    const said = execFileSync(...asCommand(ways.map(({ folder, file }) => `cat '${join(folder, file)}'`).join('; ')), { encoding: 'utf8' });
    return said.split('\n').filter((line) => line.includes(secret));
  };

  it('exists what is attacked: a program without a sandbox reads it', () => {
    expect(readAsPerson()).toHaveLength(ways.length);
  });

  it('no tool reads, lists, searches or writes it, by its name or by a link', async () => {
    for (const [index, { name, folder, file, isOwn = false }] of ways.entries()) {
      for (const [at, whole] of [
        [folder, join(folder, file)],
        [`folder${index}`, `folder${index}/${file}`],
        [`folder${index}`, `file${index}`],
      ] as const) {
        const reading: Calls = [
          ['read_file', { path: whole }],
          ['search_text', { pattern: 'SECRET', path: at, hidden: true }],
          ['find_files', { glob: '**', path: at, hidden: true }],
          // Of a link itself, these tell where it leads, and move it.
          ...(whole === `file${index}`
            ? []
            : ([
                ['move_path', { from: whole, to: 'stolen.txt' }],
                ['file_info', { path: whole }],
              ] as const)),
        ];
        const writing: Calls = [
          ['write_file', { path: whole, content: 'x' }],
          ['edit_file', { path: whole, edits: [{ old_text: secret, new_text: 'x' }] }],
          ['create_directory', { path: `${at}/made` }],
        ];
        const calls = isOwn ? reading : [...reading, ...writing];
        for (const [tool, input] of calls) {
          const answer = await door.call(tool, input);
          expect(answer.text, `${tool}: ${name}`).not.toContain(secret);
          if (!isOwn) expect(answer.ok, `${tool}: ${name}: ${answer.text}`).toBe(false);
        }
      }
    }
    expect(readFileSync(join(root, 'below.txt'), 'utf8')).toContain(secret);
    expect(readdirSync(root).toSorted()).toEqual(['.env', 'below.txt', 'ok.txt']);
  });

  it('no command in the sandbox reads or changes it', async () => {
    for (const { name, folder, file } of ways) {
      const whole = join(folder, file);
      const read = `cat '${whole}'; python3 -c 'import sys; print(open(sys.argv[1]).read())' '${whole}'`;
      const write = `ls -la '${folder}'; touch '${folder}/touched'; ln '${whole}' linked; cat linked`;
      const other = `for root in /proc/[0-9]*/root; do cat "$root${whole}"; done`;
      const answer = await door.call('run_command', { command: `${read}; ${write}; ${other}` });
      expect(answer.text, name).not.toContain(secret);
    }
    expect(readFileSync(join(root, 'below.txt'), 'utf8')).toContain(secret);
    expect(readdirSync(root).toSorted()).toEqual(['.env', 'below.txt', 'ok.txt']);
    // Still there, so nothing above was refused for being gone.
    expect(readAsPerson()).toHaveLength(ways.length);
  });
});
