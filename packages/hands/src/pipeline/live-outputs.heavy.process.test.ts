import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findBubblewrap } from '../sandbox/find-bubblewrap.ts';
import type { Approver } from '../approval/approver.ts';
import { openRepository, yes } from '../testing/asked-repository.ts';

/** Live commands and jobs are asked about, and this person allows all of them. */
const approver: Approver = { name: 'person', ask: async () => yes };
type At = Awaited<ReturnType<typeof openRepository>>;

async function live({ hands }: At, command: string): Promise<string> {
  const result = await hands.call('run_command', { command, live: true });
  return result.ok ? result.output : result.error.message;
}

/** Runs a job to its end, and returns what it said. */
async function job({ hands }: At, command: string): Promise<string> {
  const started = await hands.call('run_command', { command, background: true, wait_pattern: '^done' });
  if (!started.ok) return started.error.message;
  if (started.data.job !== null) await hands.call('job', { action: 'wait', id: started.data.job.id });
  return started.output;
}

describe.skipIf((await findBubblewrap()) === undefined)('build output that is kept apart, for commands on the workspace itself', () => {
  it('is seen by live commands and jobs, and what they add is kept apart as well', async () => {
    await using at = await openRepository({ approver });
    await at.run('mkdir -p dist/sub && echo built > dist/a.js && echo b > dist/sub/b.js');
    const said = await live(at, 'cat dist/a.js; echo live > dist/live.js; rm dist/sub/b.js; echo in > a.txt');
    expect(said).toMatch(/^built$/mu);
    expect(said).toContain('sees the build output');
    expect(await job(at, 'cat dist/a.js dist/live.js; ls dist/sub; echo job > dist/job.js; echo done')).toMatch(/built\nlive\ndone/u);
    expect(await at.run('cat dist/a.js dist/live.js dist/job.js; ls dist/sub')).toMatchObject({ ok: true, data: { stdout: 'built\nlive\njob\n' } });
    // The folder of the person: an empty place for the mount, and what was written live outside of it.
    expect([readdirSync(at.at('dist')), readFileSync(at.at('a.txt'), 'utf8')]).toEqual([[], 'in\n']);
    await at.hands.applyPending(at.hands.pendingChanges()[0]?.handle ?? '');
    expect(readdirSync(at.at('dist')).toSorted()).toEqual(['a.js', 'job.js', 'live.js', 'sub']);
    expect(at.hands.pendingChanges()).toEqual([]);
  });

  it('is above what a person built, which stays as it is', async () => {
    await using at = await openRepository({ approver });
    mkdirSync(at.at('dist'));
    writeFileSync(at.at('dist/a.js'), 'person\n');
    writeFileSync(at.at('dist/b.js'), 'person\n');
    await at.run('echo built > dist/a.js');
    expect(await live(at, 'cat dist/a.js dist/b.js; echo live > dist/b.js')).toMatch(/built\nperson/u);
    expect([readFileSync(at.at('dist/a.js'), 'utf8'), readFileSync(at.at('dist/b.js'), 'utf8')]).toEqual(['person\n', 'person\n']);
    expect(await at.run('cat dist/a.js dist/b.js')).toMatchObject({ ok: true, data: { stdout: 'built\nlive\n' } });
  });

  it.each([true, false])(
    'that a command deleted as a whole is not shown, and what is written there is not lost: above a folder: %s',
    async (isAbove) => {
      await using at = await openRepository({ approver });
      if (isAbove) mkdirSync(at.at('dist'));
      if (isAbove) writeFileSync(at.at('dist/a.js'), 'person\n');
      await at.run('mkdir -p dist; echo built > dist/a.js');
      await at.run('rm -rf dist');
      const said = await live(at, 'mkdir -p dist; echo live > dist/b.js; ls -m dist');
      expect(said).toContain(isAbove ? 'a.js, b.js' : 'b.js');
      expect(said).not.toContain('sees the build output');
      expect(readFileSync(at.at('dist/b.js'), 'utf8')).toBe('live\n');
      // What changed in the folder of the person counts.
      expect(await at.run('cat dist/b.js')).toMatchObject({ ok: true, data: { stdout: 'live\n' } });
    },
  );

  it('of a folder that a person builds meanwhile is not kept, and the result says so', async () => {
    await using at = await openRepository({ approver });
    await at.run('mkdir dist && echo built > dist/a.js');
    const started = await at.hands.call('run_command', {
      command: 'echo done; read -r x; echo job > dist/job.js',
      background: true,
      wait_pattern: 'done',
    });
    const id = (started.ok ? started.data.job?.id : undefined) ?? '';
    writeFileSync(at.at('dist/person.js'), 'person\n');
    const said = [await at.hands.call('job', { action: 'input', id, text: 'go\n' }), await at.hands.call('job', { action: 'wait', id })];
    expect(said.map((answer) => (answer.ok ? answer.output : '')).join()).toContain('Build output was not kept: dist');
    expect(readdirSync(at.at('dist'))).toEqual(['person.js']);
  });

  it('is not shown in a folder with a hidden file, which stays hidden, and the result says so', async () => {
    await using at = await openRepository({ approver });
    mkdirSync(at.at('dist'));
    writeFileSync(at.at('dist/.env'), 'TOKEN=secret\n');
    await at.run('echo built > dist/a.js');
    const said = await live(at, 'grep -rh TOKEN .; cat dist/a.js');
    expect(said).toContain('does not see the build output');
    expect(said).not.toContain('secret');
  });

  it.each(['ln -s /etc dist/etc', 'ln -s ../../../../etc dist/etc'])('does not lead elsewhere: %s', async (link) => {
    await using at = await openRepository({ approver });
    await at.run(`mkdir dist && echo built > dist/a.js; ${link}`);
    expect(await live(at, 'echo poison > dist/etc/synapse-test; cat dist/a.js')).toContain('built');
    expect(existsSync('/etc/synapse-test')).toBe(false);
    expect(existsSync(join(at.folder, 'dist/etc'))).toBe(false);
  });
});
