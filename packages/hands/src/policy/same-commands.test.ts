import { describe, expect, it } from 'vitest';
import { decideCommand, testPolicy } from './fixtures/test-policy.ts';
import { openEndedReason } from './interpreters.ts';
import { sameCommands } from './same-commands.ts';

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
  expect(sameCommands(command.split(' ')).map((words) => words.join(' '))).toContain(other);
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
  expect(sameCommands(command.split(' ')).map((words) => words.join(' '))).not.toContain(other);
});

it('knows nothing of words that are not known', () => {
  expect(sameCommands(['npm', undefined])).toEqual([]);
  expect(sameCommands([undefined])).toEqual([]);
  expect(sameCommands([])).toEqual([]);
  // A name of Object.prototype is no subcommand.
  expect(sameCommands(['npm', 'constructor'])).toEqual([]);
  expect(sameCommands(['constructor', 'i'])).toEqual([]);
});

describe('a rule', () => {
  const policy = testPolicy({
    allow: ['run_command(npm install)', 'run_command(cargo build)', 'run_command(cargo t)'],
    deny: ['run_command(npm i *)', 'run_command(docker container run *)', 'run_command(cargo install *)'],
    ask: ['run_command(cargo test *)'],
  });
  it.each([
    ['npm install left-pad', 'deny'],
    ['npm --silent isntall left-pad', 'deny'],
    ['env npm add left-pad', 'deny'],
    ['docker run alpine', 'deny'],
    ['docker --context x run alpine', 'deny'],
    ['cargo +nightly install x', 'deny'],
    ['cargo t', 'ask'],
    ['cargo build', 'allow'],
  ] as const)('that denies or asks is about what is done: %s', (command, verdict) => {
    expect(decideCommand(policy, command).verdict).toBe(verdict);
  });

  it('that allows is about the words', () => {
    const allowing = testPolicy({ allow: ['run_command(npm install)'] });
    expect(decideCommand(allowing, 'npm install').verdict).toBe('allow');
    expect(decideCommand(allowing, 'npm i').verdict).toBe('ask');
  });

  it.each(['npm exe', 'npm innit', 'docker container exec', 'npm exec'])('that allows anything after %s is not loaded', (words) => {
    expect(openEndedReason(words.split(' '))).toBeTypeOf('string');
  });
});
