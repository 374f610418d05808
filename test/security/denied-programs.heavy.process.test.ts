import { spawnSync } from 'node:child_process';
import { copyFileSync, linkSync, mkdirSync, mkdtempSync, realpathSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { createHands, type Hands } from '@synapse/hands';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';

const has = (program: string): boolean => spawnSync(program, ['--version'], { stdio: 'ignore' }).status === 0;
const hasSandbox = spawnSync('bwrap', ['--ro-bind', '/', '/', 'true']).status === 0;

/** Not where it is one file with other programs, as in busybox: then no rule can keep it from commands. */
const isOwnFile = basename(realpathSync('/usr/bin/seq')) === 'seq';

/** What `seq 41 41` prints, which no text of a command contains. */
const RAN = /^41$/mu;

/** Ways to start a program, of which no rule can see all. */
const WAYS: ReadonlyArray<readonly [command: string, needs?: string]> = [
  ['seq 41 41'],
  ['sh ./run.sh'],
  ['X="s"; sh -c "${X}eq 41 41"'],
  ['$(printf "\\163eq") 41 41'],
  ['printf "seq 41 41\\n" | sh'],
  ['echo 41 41 | xargs seq'],
  ['/usr/bin/seq 41 41'],
  ['PATH=/bin:/usr/bin env seq 41 41'],
  ['cp "$(command -v seq || echo /usr/bin/seq)" ./mine; ./mine 41 41'],
  ['ln -s /usr/bin/seq linked; ./linked 41 41'],
  ['cat /usr/bin/seq > copied; chmod +x copied; ./copied 41 41'],
  ['find . -maxdepth 0 -exec seq 41 41 ";"'],
  ['make -s run', 'make'],
  ['perl -e \'exec("seq", "41", "41")\'', 'perl'],
  ['awk \'BEGIN { system("seq 41 41") }\'', 'awk'],
  ['python3 -c \'import os; os.execvp("seq", ["seq", "41", "41"])\'', 'python3'],
];

describe.skipIf(!hasSandbox || !isOwnFile)('a program that a rule denies', () => {
  const opened: Record<string, Hands> = {};
  let base: string;

  beforeAll(async () => {
    base = realpathSync(mkdtempSync(join(tmpdir(), 'synapse-denied-')));
    for (const [name, deny] of Object.entries({ denied: ['exec(seq *)'], control: [], some: ['exec(seq -w *)'] })) {
      const workspace = join(base, name);
      mkdirSync(workspace);
      writeFileSync(join(workspace, 'run.sh'), 'seq 41 41\n');
      writeFileSync(join(workspace, 'Makefile'), 'run:\n\tseq 41 41\n');
      opened[name] = await createHands({
        workspace,
        stateFolder: join(base, 'state'),
        configFolder: join(base, 'config'),
        allow: ['write', 'exec'],
        policy: { deny },
        sandbox: 'required',
        // A person who says yes to what hides it.
        approver: { name: 'test', ask: () => Promise.resolve({ verdict: 'allow', scope: 'once' }) },
      });
    }
  });
  afterAll(async () => {
    for (const hands of Object.values(opened)) await hands[Symbol.asyncDispose]();
  });

  const output = async (name: string, command: string, further: object = {}): Promise<string> => {
    const result = await opened[name]?.call('run_command', { command, ...further });
    return result?.ok === true ? result.output : (result?.error.message ?? '');
  };

  for (const [command, needs] of WAYS) {
    it.skipIf(needs !== undefined && !has(needs) && needs !== 'awk')(`does not start: ${command}`, async () => {
      expect(await output('denied', command)).not.toMatch(RAN);
      expect(await output('control', command)).toMatch(RAN);
    });
  }

  it('does not start in live commands and jobs, and the answer says why', async () => {
    expect(await output('denied', 'sh ./run.sh')).toContain('a rule denies seq');
    for (const further of [{ live: true }, { background: true, wait_pattern: 'denied|41' }]) {
      expect(await output('denied', 'sh ./run.sh', further)).not.toMatch(RAN);
      expect(await output('control', 'sh ./run.sh', further)).toMatch(RAN);
    }
  });

  it('does not start from a folder that a person shows, also under another name of its file', async () => {
    const tools = join(base, 'tools');
    mkdirSync(tools);
    copyFileSync('/usr/bin/seq', join(tools, 'myseq'));
    linkSync(join(tools, 'myseq'), join(tools, 'myseq-2.0'));
    const run = async (deny: readonly string[], script: string): Promise<string> => {
      const workspace = mkdtempSync(join(base, 'shown-'));
      writeFileSync(join(workspace, 'run.sh'), script);
      vi.stubEnv('PATH', `${tools}:${process.env['PATH'] ?? ''}`);
      try {
        await using hands = await createHands({
          workspace,
          stateFolder: join(base, 'state'),
          configFolder: join(base, 'config'),
          allow: ['write', 'exec'],
          readable: [tools],
          policy: { deny },
          sandbox: 'required',
        });
        const result = await hands.call('run_command', { command: 'sh ./run.sh' });
        return result.ok ? result.output : result.error.message;
      } finally {
        vi.unstubAllEnvs();
      }
    };
    for (const script of ['myseq 41 41', 'myseq-2.0 41 41', `${tools}/myseq 41 41`]) {
      expect(await run(['exec(myseq *)'], script), script).not.toMatch(RAN);
      expect(await run([], script), script).toMatch(RAN);
    }
  });

  it('starts with other arguments than those that a rule denies, and other programs start', async () => {
    expect(await output('some', 'sh ./run.sh')).toMatch(RAN);
    expect(await output('denied', 'echo $((40 + 1))')).toMatch(RAN);
  });
});
