import { expect, it } from 'vitest';
import { aliasedCommands, irreversible } from './program-table.ts';

it.each([
  ['npm i left-pad', 'npm install left-pad'],
  ['npm install left-pad', 'npm add left-pad'],
  ['npm publ --tag x', 'npm publish --tag x'],
  ['npm installTest', 'npm install-test'],
  ['/opt/node/bin/npm un x', '/opt/node/bin/npm remove x'],
  ['docker container run -it x', 'docker run -it x'],
  ['docker run x', 'docker container run x'],
  ['docker image rm x', 'docker rmi x'],
  ['docker container rm x', 'docker container remove x'],
  ['docker buildx build .', 'docker image build .'],
  ['cargo r', 'cargo run'],
  ['gem inst x', 'gem install x'],
  ['hg pus', 'hg push'],
])('%s is %s', (command, other) => {
  expect(aliasedCommands(command.split(' ')).map((words) => words.join(' '))).toContain(other);
});

it.each([
  ['npm start', 'npm star'],
  ['npm test', 'npm team'],
  ['npm stage', 'npm star'],
  ['cargo rust', 'cargo run'],
  ['npmx i', 'npmx install'],
  ['docker compose run x', 'docker run x'],
  ['docker containers run', 'docker run'],
])('%s is not %s', (command, other) => {
  expect(aliasedCommands(command.split(' ')).map((words) => words.join(' '))).not.toContain(other);
});

it('knows nothing of words that are not known', () => {
  expect(aliasedCommands(['npm', undefined])).toEqual([]);
  expect(aliasedCommands([undefined])).toEqual([]);
  expect(aliasedCommands([])).toEqual([]);
  // A name of Object.prototype is no subcommand.
  expect(aliasedCommands(['npm', 'constructor'])).toEqual([]);
  expect(aliasedCommands(['constructor', 'i'])).toEqual([]);
});

const loss = (command: string, covered?: boolean): string | undefined => irreversible(command.split(' '), covered);

it.each([
  'git push --force',
  'git push -f origin main',
  'git push -uf origin main',
  'git push --force-with-lease',
  'git push --forc',
  'git push origin +main',
  'git push origin :main',
  'git push --delete origin topic',
  'git reset --hard HEAD~3',
  'git clean -fdx',
  'git checkout -- .',
  'git checkout .',
  'git restore .',
  'git branch -D topic',
  'git tag -d v1',
  'git stash drop',
  'git reflog expire --expire=now --all',
  'git gc --prune=now',
  'git rebase main',
  'git commit --amend',
  'git filter-branch --all',
  'git update-ref -d refs/heads/a',
])('%s is for good', (command) => {
  expect(loss(command)).toEqual(expect.any(String));
});

it.each([
  'git push',
  'git push origin main',
  'git reset HEAD a',
  'git reset --soft HEAD~1',
  'git commit -m x',
  'git branch topic',
  'git stash',
  'git checkout main',
  'git clean -n',
  'git status',
  'git gc',
  'git fetch',
])('%s is not', (command) => {
  expect(loss(command)).toBeUndefined();
});

it('is covered by an undo here, and never on another machine', () => {
  expect(loss('git reset --hard', true)).toBeUndefined();
  expect(loss('git push --force', true)).toEqual(expect.any(String));
});
