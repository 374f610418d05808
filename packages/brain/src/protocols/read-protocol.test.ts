import { expect, it } from 'vitest';
import { readProtocol } from './read-protocol.ts';

const GOOD = `---
id: check-release
title: Release Check
description: Looks whether a release can be made.
---

Words before the first step are for people.

## Read the changelog
Read CHANGELOG.md and name what is new.
Required output: The entries since the last tag.
Signals: read_file(CHANGELOG|HISTORY), git_log

## Run the tests (optional)
Run them.
Required output: Which fail.
`;

it('reads steps with their instruction, output and signals', () => {
  expect(readProtocol(GOOD, 'p.md')).toEqual({
    id: 'check-release',
    title: 'Release Check',
    description: 'Looks whether a release can be made.',
    steps: [
      {
        id: 'step-01-read-the-changelog',
        title: 'Read the changelog',
        instruction: 'Read CHANGELOG.md and name what is new.',
        requiredOutput: 'The entries since the last tag.',
        optional: false,
        signals: [{ tool: 'read_file', input: ['CHANGELOG', 'HISTORY'] }, { tool: 'git_log' }],
      },
      { id: 'step-02-run-the-tests', title: 'Run the tests', instruction: 'Run them.', requiredOutput: 'Which fail.', optional: true, signals: [] },
    ],
  });
});

it.each([
  ['no front matter', '## A\nx\nRequired output: y\n', 'p.md:1: Front matter missing'],
  ['broken YAML', '---\nid: [a\n---\n## A\nx\nRequired output: y\n', 'p.md:'],
  ['no title', GOOD.replace('title: Release Check\n', ''), 'p.md:1: "title" must be a text.'],
  ['an id with spaces', GOOD.replace('check-release', 'Check Release'), 'p.md:2: "id" must be lower case'],
  ['a number for a title', GOOD.replace('Release Check', '12'), 'p.md:3: "title" must be a text.'],
  ['no steps', GOOD.slice(0, GOOD.indexOf('##')), 'No steps'],
  ['no output', GOOD.replace('Required output: Which fail.\n', ''), 'p.md:14: Step "Run the tests" has no line "Required output: …".'],
  ['no instruction', GOOD.replace('Run them.\n', ''), 'p.md:14: Step "Run the tests" has no instruction.'],
  ['a signal that is none', GOOD.replace('git_log', 'git log!'), 'p.md:12: Signal not understood: git log!'],
])('names file, line and rule: %s', (_, text, expected) => {
  expect(() => readProtocol(text, 'p.md')).toThrow(expected);
});
