import { rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { beforeAll, expect, it, onTestFinished } from 'vitest';
import { openRepository } from '../testing/asked-repository.ts';
import { patientTimeouts } from '../testing/patient-timeouts.ts';

let at: Awaited<ReturnType<typeof openRepository>>;

beforeAll(async () => {
  const patient = patientTimeouts();
  at = await openRepository();
  at.git('branch', '-M', 'main');
  at.git('remote', 'add', 'origin', 'https://github.com/a/b');
  at.git('update-ref', 'refs/remotes/origin/main', 'HEAD');
  at.git('tag', 'v1/a');
  return async () => {
    patient[Symbol.dispose]();
    await at[Symbol.asyncDispose]();
  };
});

const said = async (command: string): Promise<readonly string[]> => {
  const { accesses, verdict } = await at.hands.explain('run_command', { command });
  return [verdict, ...accesses.map(({ access }) => access).slice(-1)];
};

it('a push is asked about without a name where a repository holds links that lead round', async () => {
  expect(await said('git push origin main')).toEqual(['ask', expect.stringContaining('github.com/a/b')]);
  const [head, objects] = [at.at('HEAD'), at.at('objects')];
  onTestFinished(() => [head, objects].forEach((path) => rmSync(path)));
  writeFileSync(head, '');
  symlinkSync('objects', objects);
  expect(await said('git push origin main')).toEqual(['ask', 'talks to a machine that is not named']);
});

it('so it is where the folder of its hooks is such a link', async () => {
  const hooks = at.at('.git/hooks');
  rmSync(hooks, { recursive: true, force: true });
  symlinkSync('hooks', hooks);
  onTestFinished(() => rmSync(hooks));
  expect(await said('git commit -m x && git push origin main')).toEqual(['ask', 'talks to a machine that is not named']);
});

it('a reference below the name of a target is another one', async () => {
  expect(await said('git push origin HEAD:v1')).toEqual(['ask', expect.stringContaining('creates branch v1')]);
});
