import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { findBubblewrap } from './find-bubblewrap.ts';
import { temporaryHands, type TemporaryHands } from '../testing/temporary-hands.ts';

const FILES = {
  'scripts/hard': '#!/bin/sh\n',
  'scripts/soft': '#!/bin/sh\n',
  'locked/a': 'l\n',
  '.vscode/tasks.json': '{}\n',
  'agents/settings.json': '{}\n',
  'p/a': 'p\n',
};
/** What a person made: second names of hooks, settings and what a rule locks, and of a file that means nothing. */
const NAMES = [
  'git init -q .; chmod +x scripts/*',
  'ln scripts/hard .git/hooks/pre-commit',
  'ln -s ../../scripts/soft .git/hooks/post-commit',
  'ln -s ../agents/settings.json .vscode/settings.json',
  'ln -s agents .claude',
  'ln locked/a second; ln .vscode/tasks.json tasks; ln .git/config settings; ln p/a p/b',
].join('\n');
const PROTECTED = ['.git/hooks/pre-commit', '.git/hooks/post-commit', 'locked/a', '.vscode/tasks.json', '.git/config', '.claude/settings.json'];

async function place(): Promise<TemporaryHands> {
  const at = await temporaryHands(FILES, { sandbox: 'required', policy: { deny: ['write(locked/**)'] } });
  execFileSync('/bin/sh', ['-c', NAMES], { cwd: at.folder });
  return at;
}
const contents = (at: TemporaryHands): string[] => PROTECTED.map((path) => readFileSync(at.at(path), 'utf8'));

const ATTEMPTS = [
  'echo evil >> scripts/hard',
  'echo evil >> scripts/soft',
  'echo evil >> second',
  'echo evil >> tasks',
  'echo evil >> settings',
  'echo evil >> agents/settings.json',
  'mv scripts/hard moved; echo evil >> moved',
  'mv scripts other; mkdir scripts; printf "#!/bin/sh\\nevil\\n" > scripts/soft; chmod +x scripts/soft',
  'rm -rf agents; mkdir agents; echo evil > agents/settings.json',
];

describe.skipIf((await findBubblewrap()) === undefined)('a second name of what another program executes', () => {
  it.each([false, true])('is not written through, live: %s', { timeout: 60_000 }, async (live) => {
    for (const command of ATTEMPTS) {
      await using at = await place();
      const before = contents(at);
      const result = await at.hands.call('run_command', { command, live });
      expect(result).toMatchObject({ ok: true });
      const after = PROTECTED.map((path) => {
        try {
          return readFileSync(at.at(path), 'utf8');
        } catch {
          // Taken away with what a link led to: nothing is executed.
          return 'gone';
        }
      });
      for (const [index, text] of after.entries()) expect([command, text === 'gone' || text === before[index]]).toEqual([command, true]);
      expect(JSON.stringify(after), command).not.toContain('evil');
    }
  });

  it.each([false, true])('keeps no other file from being written, live: %s', async (live) => {
    await using at = await place();
    expect(await at.hands.call('run_command', { command: 'echo more >> p/a && echo x > scripts/new', live })).toMatchObject({
      ok: true,
      data: { exit_code: 0, quarantined: [] },
    });
    expect([readFileSync(at.at('p/a'), 'utf8'), readFileSync(at.at('scripts/new'), 'utf8')]).toEqual(['p\nmore\n', 'x\n']);
    // On a copy the names part.
    expect(readFileSync(at.at('p/b'), 'utf8')).toBe(live ? 'p\nmore\n' : 'p\n');
  });

  it('is known to the file tools, and a person permits it', async () => {
    await using at = await place();
    const refused = await at.hands.call('write_file', { path: 'scripts/soft', content: 'evil' });
    expect(refused).toMatchObject({ ok: false, error: { message: expect.stringContaining('the link .git/hooks/post-commit names it') as string } });
    await using open = await temporaryHands(FILES, { sandbox: 'required', allow: ['write', 'exec', 'protected'] });
    execFileSync('/bin/sh', ['-c', NAMES], { cwd: open.folder });
    expect(await open.hands.call('write_file', { path: 'scripts/soft', content: 'mine' })).toMatchObject({ ok: true });
    expect(await open.hands.call('run_command', { command: 'echo mine > scripts/soft' })).toMatchObject({ ok: true, data: { quarantined: [] } });
    // The control: without the protection the hook is another one.
    expect(readFileSync(open.at('.git/hooks/post-commit'), 'utf8')).toBe('mine\n');
  });
});
