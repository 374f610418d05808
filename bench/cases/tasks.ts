import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createHands, type Hands } from '@synapse/hands';
import { countTokens } from 'gpt-tokenizer';
import type { Row } from '../result.ts';
import { taskFiles, TASKS, type Call, type Task } from './task-list.ts';

const GROUP = 'Twelve made tasks, well chained: tokens of requests and answers (o200k), and turns';
/** What an agent with only a shell shows at most of an output, in characters. */
const SHELL_CHARACTERS = 40_000;
/** What the twelve tasks may cost with programs: tokens, and turns. */
const WITH_PROGRAMS = { tokens: 10_500, turns: 20 };

function makeProject(): string {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'synapse-tasks-')));
  for (const [path, content] of Object.entries(taskFiles(root))) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), content);
  }
  const git = (...words: string[]): unknown => spawnSync('git', ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.com', ...words], { cwd: root });
  git('init', '-q', '-b', 'main');
  git('add', '-A');
  for (const part of ['first', 'second', 'third']) git('commit', '-q', '--allow-empty', '-m', `feat: the ${part} part`);
  return root;
}

async function ownTokens(hands: Hands, turns: Task['ours']): Promise<number> {
  let tokens = 0;
  let job = 'job-1';
  for (const [name, made] of turns.flat()) {
    // Ids of jobs are random.
    const input: object = name === 'job' ? { ...made, id: job } : made;
    const result = await hands.call<string>(name, input, { sessionId: 'tasks' });
    const answer = result.ok ? result.output : `Error: ${result.error.message}\n${result.error.hint ?? ''}`;
    job = /job-[0-9a-f]+/u.exec(answer)?.[0] ?? job;
    tokens += countTokens(JSON.stringify({ name, arguments: input })) + countTokens(answer);
  }
  return tokens;
}

function shellTokens(root: string, commands: Task['shell']): number {
  return commands.reduce((sum, command) => {
    const { stdout, stderr, status } = spawnSync('bash', ['-c', command], { cwd: root, encoding: 'utf8', maxBuffer: 1e9 });
    const shown = `Exit code: ${status}\nOutput:\n${stdout}${stderr}`.slice(0, SHELL_CHARACTERS);
    return sum + countTokens(JSON.stringify({ name: 'shell', arguments: { command } })) + countTokens(shown);
  }, 0);
}

/** The tokens of a task in a fresh project. */
async function inProject(turns: ReadonlyArray<readonly Call[]>): Promise<number> {
  const [root, state] = [makeProject(), mkdtempSync(join(tmpdir(), 'synapse-tasks-state-'))];
  try {
    await using hands = await createHands({ workspace: root, stateFolder: state, allow: ['write', 'exec'] });
    return await ownTokens(hands, turns);
  } finally {
    for (const folder of [root, state]) rmSync(folder, { recursive: true, force: true });
  }
}

function byShell(commands: Task['shell']): number {
  const root = makeProject();
  try {
    return shellTokens(root, commands);
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

const cost = (tokens: number, turns: number): string => `${tokens.toLocaleString('en')} / ${turns}`;

/** Each task in a fresh project, without and with programs, beside a shell alone whose commands are chained as well. */
export async function taskCases(): Promise<Row[]> {
  const rows: Row[] = [];
  const total = { own: 0, turns: 0, programs: 0, programTurns: 0, peer: 0, peerTurns: 0 };
  for (const { what, ours, programs, shell } of TASKS) {
    const [own, peer] = [await inProject(ours), byShell(shell)];
    const byPrograms = programs === undefined ? own : await inProject(programs);
    const turns = (programs ?? ours).length;
    total.own += own;
    total.turns += ours.length;
    total.programs += byPrograms;
    total.programTurns += turns;
    total.peer += peer;
    total.peerTurns += shell.length;
    rows.push({
      group: GROUP,
      what,
      ours: `${cost(own, ours.length)}${programs === undefined ? '' : `; by a program ${cost(byPrograms, turns)}`}`,
      peer: `${cost(peer, shell.length)} (a shell alone)`,
      compared: `${(own / peer).toFixed(2)}x`,
      target: '≤ 1x',
      met: own <= peer,
    });
  }
  const peer = cost(total.peer, total.peerTurns);
  const against = (own: number): string => `${(own / total.peer).toFixed(2)}x`;
  return [
    ...rows,
    {
      group: GROUP,
      what: 'all twelve',
      ours: cost(total.own, total.turns),
      peer,
      compared: against(total.own),
      target: '≤ 1x',
      met: total.own <= total.peer,
    },
    {
      group: GROUP,
      what: 'all twelve, with programs',
      ours: cost(total.programs, total.programTurns),
      peer,
      compared: against(total.programs),
      target: `≤ ${cost(WITH_PROGRAMS.tokens, WITH_PROGRAMS.turns)}`,
      met: total.programs <= WITH_PROGRAMS.tokens && total.programTurns <= WITH_PROGRAMS.turns,
    },
  ];
}
