import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { resurrect, runAgent, SessionStore } from '@synapse/brain';
import { createHands } from '@synapse/hands';
import { median } from '../measure.ts';
import { time, type Row } from '../result.ts';

const cli = join(fileURLToPath(new URL('../..', import.meta.url)), 'packages/cli/bin/synapse.js');
const GROUP = 'The built-in brain';
const FILES = 27_000;
const COMMITS = 18_000;
const ROUNDS = 5;
const TURNS = 200;

/** Creates a repository with a long history, in which each commit changes two files. */
function makeHistory(base: string): string {
  const root = join(base, 'history');
  mkdirSync(root);
  execFileSync('git', ['init', '-q', '-b', 'main'], { cwd: root });
  const blob = (path: string, text: string): string => `M 100644 inline ${path}\ndata ${Buffer.byteLength(text)}\n${text}\n`;
  const path = (index: number): string => `packages/p${index % 40}/src/m${Math.floor(index / 40) % 60}/f${index}.ts`;
  const parts: string[] = [];
  for (let commit = 0; commit < COMMITS; commit += 1) {
    const who = `Ada <a@x> ${1_600_000_000 + commit * 3_000} +0000`;
    const message = `feat: change ${commit}`;
    const touched = commit === 0 ? Array.from({ length: FILES }, (_, index) => index) : [commit % FILES, (commit * 7) % FILES];
    const files = touched.map((index) => blob(path(index), `export function part${index}(): number {\n  return ${commit};\n}\n`));
    parts.push(`commit refs/heads/main\nauthor ${who}\ncommitter ${who}\ndata ${message.length}\n${message}\n${files.join('')}\n`);
  }
  execFileSync('git', ['fast-import', '--quiet'], { cwd: root, input: parts.join(''), maxBuffer: 1e9 });
  execFileSync('git', ['reset', '-q', '--hard'], { cwd: root });
  return root;
}

async function resurrection(base: string): Promise<Row> {
  const workspace = makeHistory(base);
  const totals: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    // As in `synapse resurrect`: a new process has opened nothing before.
    await using hands = await createHands({ workspace, stateFolder: join(base, `state-${round}`) });
    const { steps } = await resurrect(hands);
    totals.push(steps.slice(0, -1).reduce((sum, { ms }) => sum + ms, 0));
  }
  const own = median(totals);
  return {
    group: GROUP,
    what: `offline resurrection, ${FILES.toLocaleString('en')} files and ${COMMITS.toLocaleString('en')} commits: the tools' share`,
    ours: time(own),
    peer: '',
    compared: '',
    target: '< 2 s',
    met: own < 2_000,
  };
}

async function firstLine(base: string): Promise<Row> {
  const folder = join(base, 'small');
  mkdirSync(folder);
  const waits: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const startedAt = performance.now();
    const child = spawn(process.execPath, [cli, 'resurrect', folder], {
      env: { ...process.env, XDG_STATE_HOME: join(base, 'cli-state') },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    await once(child.stderr, 'data');
    waits.push(performance.now() - startedAt);
    child.stderr.resume();
    await once(child, 'close');
  }
  const own = median(waits);
  return { group: GROUP, what: 'synapse resurrect, to its first line', ours: time(own), peer: '', compared: '', target: '< 300 ms', met: own < 300 };
}

type Model = Parameters<typeof runAgent>[0]['model'];
const USAGE = {
  inputTokens: { total: 10, noCache: undefined, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: 1, text: undefined, reasoning: undefined },
};

/** A model that answers immediately: a call in each turn, and a word in the last. */
function instantModel(): Model {
  let turn = 0;
  return {
    specificationVersion: 'v4',
    provider: 'bench',
    modelId: 'instant',
    supportedUrls: {},
    doGenerate: () => Promise.reject(new Error('The loop streams.')),
    doStream: () => {
      turn += 1;
      const isLast = turn > TURNS;
      const said = isLast
        ? ([
            { type: 'text-start', id: '0' },
            { type: 'text-delta', id: '0', delta: 'Done.' },
            { type: 'text-end', id: '0' },
          ] as const)
        : ([{ type: 'tool-call', toolCallId: `c${turn}`, toolName: 'file_info', input: JSON.stringify({ path: `f${turn}` }) }] as const);
      const finish = { type: 'finish', usage: USAGE, finishReason: { unified: isLast ? 'stop' : 'tool-calls', raw: 'x' } } as const;
      return Promise.resolve({ stream: ReadableStream.from([...said, finish]) });
    },
  };
}

async function loopOverhead(base: string): Promise<Row> {
  const workspace = join(base, 'loop');
  mkdirSync(workspace);
  // A call for a missing file searches for similar names, which is not part of the loop.
  for (let turn = 1; turn <= TURNS; turn += 1) writeFileSync(join(workspace, `f${turn}`), '');
  await using hands = await createHands({ workspace, stateFolder: join(base, 'loop-state') });
  using store = SessionStore.open(join(base, 'loop-state'));
  const each: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const session = store.create({ workspace, model: 'bench/instant', task: 'x' });
    const startedAt = performance.now();
    const { status } = await runAgent({ hands, model: instantModel(), system: 'x', task: 'x', session, limits: { calls: TURNS + 1 } });
    if (status !== 'done') throw new Error(`The loop ended early: ${status}`);
    each.push((performance.now() - startedAt) / TURNS);
  }
  const own = median(each);
  return {
    group: GROUP,
    what: 'a turn of the agent loop with one call, session on disk, beside the model',
    ours: time(own),
    peer: '',
    compared: '',
    target: '< 5 ms',
    met: own < 5,
  };
}

/** Measures the time of the brain besides its model. */
export async function brainCases(): Promise<Row[]> {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'synapse-bench-brain-')));
  try {
    return [await resurrection(base), await firstLine(base), await loopOverhead(base)];
  } finally {
    rmSync(base, { recursive: true, force: true });
  }
}
