import { spawnSync } from 'node:child_process';
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findBubblewrap } from '../sandbox/find-bubblewrap.ts';
import { temporaryHands, type TemporaryHands } from '../testing/temporary-hands.ts';

/** A repository whose settings name a place, and commands after which something else would be found there. */
interface Case {
  readonly name: string;
  readonly setup: string;
  /** `RUN` stands for a script that a person's git must not run. */
  readonly commands: readonly string[];
}

const WHO = '-c user.name=a -c user.email=a@b.c';
const HOOK = "printf '#!/bin/sh\\nRUN\\n' > pre-commit; chmod +x pre-commit";
const CASES: readonly Case[] = [
  {
    name: 'a folder on the way to hooks becomes a link',
    setup: 'git init -q; mkdir -p tools/hooks; echo 1 > tools/hooks/README; git config core.hooksPath tools/hooks',
    commands: [`mkdir -p other/hooks; cd other/hooks; ${HOOK}`, 'mv tools gone; ln -s other tools'],
  },
  {
    name: 'a missing folder on the way becomes a link',
    setup: 'git init -q; git config core.hooksPath tools/hooks',
    commands: [`mkdir -p other/hooks; cd other/hooks; ${HOOK}`, 'ln -s other tools'],
  },
  {
    name: 'hooks behind a link that was there',
    setup: 'git init -q; mkdir -p real; echo 1 > real/README; ln -s real hooks; git config core.hooksPath hooks',
    commands: [`cd real; ${HOOK}`],
  },
  {
    name: 'settings behind a link that was there',
    setup: 'git init -q; mkdir -p real; echo "[core]" > real/inc; ln -s real/inc inc; git config include.path ../inc',
    commands: ["printf '[core]\\n\\tfsmonitor = RUN\\n' > real/inc"],
  },
  {
    name: 'the folder behind the link of a hook becomes a link',
    setup: 'git init -q; mkdir s; echo "#!/bin/sh" > s/pre-commit; chmod +x s/pre-commit; ln -s ../../s/pre-commit .git/hooks/pre-commit',
    commands: [`mkdir t; cd t; ${HOOK}`, 'mv s gone; ln -s t s'],
  },
  {
    name: 'a script without a path, first deleted with its folder',
    setup: 'git init -q; mkdir tools; echo 1 > tools/run; git config core.fsmonitor "cd tools; sh run;:"',
    commands: ['rm -rf tools', 'mkdir -p tools; echo "RUN" > tools/run'],
  },
  {
    name: 'a repository below the workspace names hooks beside it',
    setup: 'git init -q sub; mkdir hooks; echo 1 > hooks/README; git -C sub config core.hooksPath ../hooks',
    commands: [`cd hooks; ${HOOK}`],
  },
  {
    name: 'a folder with a linked hook first gets what looks like a second repository',
    setup: 'git init -q sub; cd sub; mkdir s; echo "#!/bin/sh" > s/pre-commit; chmod +x s/pre-commit; ln -s ../../s/pre-commit .git/hooks/pre-commit',
    commands: ['cd sub; mkdir objects refs; echo "ref: refs/heads/main" > HEAD', `cd sub/s; ${HOOK}`],
  },
  {
    name: 'the workspace itself becomes a repository',
    setup: 'true',
    commands: [
      `mkdir objects refs; echo "ref: refs/heads/main" > HEAD; printf '[core]\n\trepositoryformatversion = 0\n\tbare = false\n\tworktree = .\n\tfsmonitor = RUN #\n' > config`,
    ],
  },
  {
    name: 'a cherry-pick in progress names a program in the working tree',
    setup: `git init -q; git ${WHO} commit -q --allow-empty -m 1; git checkout -q -b b; echo 1 > b; git add b; git ${WHO} commit -q -m 2; git checkout -q -`,
    commands: [
      `mkdir -p git-merge-x .git/sequencer; printf '#!/bin/sh\nRUN\n' > git-merge-x/evil; chmod +x git-merge-x/evil; git rev-parse HEAD > .git/sequencer/head; for n in 1 2; do echo "pick $(git rev-parse b) $n"; done > .git/sequencer/todo; printf '[options]\n\tstrategy = x/evil\n' > .git/sequencer/opts`,
    ],
  },
];

const sh = (at: TemporaryHands, command: string): void => void spawnSync('/bin/sh', ['-c', command], { cwd: at.folder, stdio: 'ignore' });

/** Works with git as a person does; returns whether that ran what a command left. */
function isRun(at: TemporaryHands, mark: string): boolean {
  rmSync(mark, { force: true });
  for (const folder of ['.', 'sub']) sh(at, `cd ${folder} && git ${WHO} cherry-pick --continue; git status && git ${WHO} commit --allow-empty -m 1`);
  return existsSync(mark);
}

describe.skipIf((await findBubblewrap()) === undefined).each(['a person', 'on a copy', 'live'] as const)('changed by %s', (how) => {
  it.each(CASES)('$name', async ({ setup, commands }) => {
    await using at = await temporaryHands({ 'a.txt': 'a' }, { sandbox: 'required', allow: ['write', 'exec'] });
    const mark = join(at.outside, 'mark');
    sh(at, setup);
    expect(isRun(at, mark)).toBe(false);
    for (const command of commands.map((text) => text.replaceAll('RUN', `touch ${mark}`))) {
      if (how === 'a person') {
        sh(at, command);
        continue;
      }
      // As a script: what a command names itself is asked about before it runs.
      writeFileSync(at.at('script'), command);
      expect(await at.hands.call('run_command', { command: 'sh ./script', live: how === 'live' })).toMatchObject({ ok: true });
    }
    expect(isRun(at, mark)).toBe(how === 'a person');
  });
});
