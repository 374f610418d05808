import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { lstatSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, realpathSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { ApprovalAnswer, ApprovalRequest } from '../approval/approver.ts';
import { childEnvironment } from '../process/environment.ts';
import { createHands } from '../runtime/create-hands.ts';
import { findBubblewrap } from '../sandbox/find-bubblewrap.ts';
import { GIT_ROWS } from '../testing/program-matrix/git-rows.ts';
import { JAVASCRIPT_ROWS } from '../testing/program-matrix/javascript-rows.ts';
import { OTHER_ROWS } from '../testing/program-matrix/other-rows.ts';
import { missingProgram, MODULES, type ProgramRow } from '../testing/program-matrix/row.ts';

const START = 1_600_000_000;

/** As text, or where it is none as a sum: a difference is read by a person. */
function contentOf(path: string): string {
  const bytes = readFileSync(path);
  return bytes.includes(0) ? createHash('sha256').update(bytes).digest('hex') : bytes.toString('latin1');
}

/** Everything below a folder: kinds, modes, links, contents, and of the times whether the run changed them. */
function treeOf(folder: string, leftOut: Pick<ProgramRow, 'random' | 'fleeting' | 'links'> = {}, below = ''): Record<string, string> {
  const { random, fleeting, links } = leftOut;
  const entries: Record<string, string> = {};
  for (const name of readdirSync(join(folder, below))) {
    const path = join(below, name);
    if (fleeting?.test(path) === true) continue;
    const stat = lstatSync(join(folder, path), { bigint: true });
    const mode = (stat.mode & 0o7777n).toString(8);
    const time = stat.mtimeNs < BigInt(START + 1000) * 1_000_000_000n ? `at ${stat.mtimeNs}` : 'new';
    if (stat.isDirectory()) Object.assign(entries, { [path]: `folder ${mode} ${time}` }, treeOf(folder, leftOut, path));
    else if (stat.isSymbolicLink()) entries[path] = `link ${readlinkSync(join(folder, path))}`;
    else {
      const names = links === true ? '' : stat.nlink;
      entries[path] = `file ${mode} ${time} ${names} ${random?.test(path) === true ? '' : contentOf(join(folder, path))}`;
    }
  }
  return entries;
}

/** What a command gets from hands, also for the plain run: with `CI` set, test runners and package managers write other files. */
const environment = childEnvironment(process.env);
const EVERYTHING = ['write', 'exec', 'protected'] as const;
const outputOf = (result: { readonly ok: boolean; readonly output?: string }): string => result.output ?? '';

function writeFiles(folder: string, files: ProgramRow['files']): void {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  }
}

describe.skipIf((await findBubblewrap()) === undefined)('the tree after a command is the one after a plain run', () => {
  for (const row of [...GIT_ROWS, ...JAVASCRIPT_ROWS, ...OTHER_ROWS]) {
    const missing = missingProgram(row);
    it.skipIf(missing !== undefined)(`${row.name}${missing === undefined ? '' : ` (no ${missing} here)`}`, { timeout: 180_000 }, async () => {
      const base = realpathSync(mkdtempSync(join(tmpdir(), 'synapse-matrix-')));
      const [workspace, kept] = [join(base, 'workspace'), join(base, 'kept')];
      const sh = (command: string): string =>
        spawnSync('/bin/sh', ['-c', `umask 022; ${command}`], {
          cwd: workspace,
          encoding: 'utf8',
          env: { ...environment, GIT_CONFIG_GLOBAL: '/dev/null', GIT_OPTIONAL_LOCKS: '0' },
        }).stdout;
      const old = `touch -h -d @${START}.123456789`;
      // A copy has other inodes, of which the index would have to be told.
      const settle = (): string => sh(`git update-index -q --refresh 2> /dev/null; test ! -d .git || ${old} .git .git/index 2> /dev/null`);
      // The folder itself stays: hands hold it.
      const restore = (): void => {
        execFileSync('/bin/sh', ['-c', 'find . -mindepth 1 -delete; cp -a "$0/." .', kept], { cwd: workspace });
        settle();
      };
      mkdirSync(workspace);
      writeFiles(workspace, row.files);
      if (row.before !== undefined) sh(row.before);
      sh(`find . -exec ${old} {} +`);
      settle();
      execFileSync('cp', ['-a', workspace, kept]);
      const ran = spawnSync('/bin/sh', ['-c', `umask 022; ${row.command}`], {
        cwd: workspace,
        encoding: 'utf8',
        // Where nothing can be written, git does not refresh its index.
        env: { ...environment, ...(row.reads === true ? { GIT_OPTIONAL_LOCKS: '0' } : {}) },
      });
      expect(ran, ran.stderr + ran.stdout).toMatchObject({ status: 0 });
      const plain = treeOf(workspace, row);
      const tellingNow = (): string => (row.tells === undefined ? '' : sh(row.tells));
      const tells = tellingNow();
      restore();
      const start = withoutFolderTimes(treeOf(workspace));
      // Only they run programs of these folders, which are looked through for hidden files: 50,000 names for each row.
      const places = {
        workspace,
        stateFolder: join(base, 'state'),
        configFolder: join(base, 'config'),
        readable: JAVASCRIPT_ROWS.includes(row) ? [MODULES, ...toolFolders()] : [],
      };
      const allow = row.needsProtected === 'always' ? EVERYTHING : (['write', 'exec'] as const);
      const asked: string[] = [];
      const ask = ({ reason }: ApprovalRequest): Promise<ApprovalAnswer> => {
        asked.push(reason);
        return Promise.resolve({ verdict: 'allow', scope: 'once' });
      };
      await using hands = await createHands({ ...places, allow, sandbox: 'required', approver: { name: 'test', ask } });
      // Undo changes .git as well, so it is a person who does it.
      await using person = await createHands({ ...places, allow: EVERYTHING, sandbox: 'required' });
      const command = `${row.reads === true ? '' : 'umask 022; '}${row.command}`;
      const result = await hands.call('run_command', { command });
      expect(result).toMatchObject({ ok: true, data: { exit_code: 0, stderr: '' }, meta: { ran: row.reads === true ? 'read-only' : 'copy' } });
      expect(treeOf(workspace, row), outputOf(result)).toEqual(plain);
      expect(tellingNow()).toBe(tells);
      // Live it writes what it read to the index, as it does in a plain run without the variable.
      if (row.reads === true) return;
      if (row.tellingWrites !== true) {
        const undone = await person.undo();
        expect(undone, undone.ok ? '' : undone.error.message).toMatchObject({ ok: true });
        expect(withoutFolderTimes(treeOf(workspace))).toEqual(start);
      }
      expect(asked).toEqual([]);
      if (row.hidden === true) return;
      restore();
      const live = await (row.needsProtected === 'live' ? person : hands).call('run_command', { command, live: true });
      expect(live).toMatchObject({ ok: true, data: { exit_code: 0, stderr: '', quarantined: [] }, meta: { ran: 'live' } });
      expect(treeOf(workspace, row), outputOf(live)).toEqual(plain);
      expect(tellingNow()).toBe(tells);
      // What an undo of a live command would have to cover.
      expect(asked).toHaveLength(row.losesLive === true ? 1 : 0);
    });
  }
});

/** That something was in a folder meanwhile is seen at its time. */
function withoutFolderTimes(tree: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(tree).map(([path, entry]) => [path, entry.replace(/^(folder \d+) .*/u, '$1')]));
}

/** What is named on the command line of this test, as a person would. */
function toolFolders(): string[] {
  return (process.env['MATRIX_TOOLS'] ?? '').split(delimiter).filter((folder) => folder !== '');
}
