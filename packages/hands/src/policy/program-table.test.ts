import { expect, it } from 'vitest';
import { aliasedCommands } from './program-table.ts';

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
