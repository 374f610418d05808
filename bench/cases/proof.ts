import { execFileSync } from 'node:child_process';
import { hash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createHands, type Hands } from '@synapse/hands';
import {
  blameFile,
  canonicalJson,
  CurrentTree,
  FolderIndex,
  openRoot,
  PastWorkspace,
  Receipts,
  TreeStore,
  WorkspaceTree,
} from '@synapse/hands/internal';
import { measure, median, type Timing } from '../measure.ts';
import { time, type Row } from '../result.ts';
import { makeRepository } from './commands.ts';

const [FOLDERS, FILES] = [13_041, 27_674];
const GROUP = `Proof: receipts, blame and time, ${FILES.toLocaleString('en')} files`;
const CHANGED = 1_000;
const CALLS = 1_000;
/** The files that the calls of the history write. */
const WRITTEN = 40;
const LINES = 200;
const ROUNDS = 9;

async function must(hands: Hands, tool: string, input: unknown): Promise<string> {
  const result = await hands.call(tool, input);
  if (!result.ok) throw new Error(`${tool}: ${result.error.message}`);
  return result.meta.callId;
}

interface Told {
  readonly what: string;
  readonly ours: Timing | undefined;
  readonly peer?: readonly [timing: Timing | undefined, name: string];
  readonly target: string;
  readonly isMet: (ours: number, peer: number) => boolean;
}

function row({ what, ours, peer: [other, name] = [undefined, ''], target, isMet }: Told): Row {
  const [one, two] = [ours?.median ?? Number.NaN, other?.median ?? 0];
  const ratio = median((ours?.means ?? []).map((mean, round) => mean / (other?.means[round] ?? Number.NaN)));
  return {
    group: GROUP,
    what,
    ours: time(one),
    peer: other === undefined ? '' : `${time(two)} (${name})`,
    compared: other === undefined ? '' : `${ratio.toFixed(2)}×, +${time(Math.max(0, one - two))}`,
    target,
    met: isMet(one, two),
  };
}

/** What a receipt costs its command: the looks at the files before and after it. */
async function receiptRows(root: string, stateFolder: string): Promise<Row[]> {
  using stack = new DisposableStack();
  const confinement = stack.use(openRoot(root, stateFolder).confinement);
  const index = stack.use(new FolderIndex(confinement));
  const openTree = async (): Promise<WorkspaceTree> =>
    new WorkspaceTree({ confinement, index, store: new TreeStore(stateFolder, root), hides: () => false });
  const tree = stack.use(new CurrentTree({ get: () => index, made: index }, openTree));
  await tree.current();
  await tree.current();
  let run = 0;
  const change = (files: number): void => {
    run += 1;
    for (let at = 0; at < files; at += 1) writeFileSync(join(root, `d${at % 120}`, `changed-${at}.txt`), `${run}\n`);
  };
  const twice = async (look: () => Promise<unknown>): Promise<void> => {
    await look();
    await look();
  };
  const rows: Row[] = [];
  for (const { files, target, atMost } of [
    { files: 0, target: '≤ 2 ms', atMost: 2 },
    { files: 1, target: '≤ 2 ms', atMost: 2 },
    { files: CHANGED, target: '≤ 30 ms', atMost: 30 },
  ]) {
    change(files);
    await tree.current();
    const after = async (): Promise<void> => change(files);
    const [ours, plain] = await measure(
      [
        { name: 'receipt', run: async () => await twice(async () => await tree.current()), after },
        { name: 'index', run: async () => await twice(async () => await index.refresh()), after },
      ],
      { rounds: ROUNDS * 3, perRound: 1, warmUp: 3 },
    );
    const what = files === 0 ? 'receipt of a command, nothing changed' : `receipt of a command, ${files.toLocaleString('en')} changed`;
    rows.push(row({ what, ours, peer: [plain, 'the folder index alone'], target, isMet: (mine) => mine <= atMost }));
  }
  return rows;
}

/** Hashes every file of a folder. */
function hashAll(folder: string): void {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (entry.name === '.git') continue;
    const path = join(folder, entry.name);
    if (entry.isDirectory()) hashAll(path);
    else hash('sha256', readFileSync(path));
  }
}

async function verifyRow(root: string, stateFolder: string): Promise<Row> {
  let call: string;
  {
    await using hands = await createHands({ workspace: root, stateFolder, allow: ['write', 'exec'] });
    // The first look at so many files takes longer than a command waits.
    for (let at = 0; at < 3; at += 1) await must(hands, 'run_command', { command: 'true' });
    call = await must(hands, 'run_command', { command: 'true' });
  }
  using made = new Receipts(root, stateFolder);
  const text = canonicalJson(made.receipt(made.call(call)));
  const [ours, plain] = await measure(
    [
      {
        name: 'verify',
        run: async () => {
          using receipts = new Receipts(root, stateFolder);
          const { state } = await receipts.verify(text, { key: undefined });
          if (state !== 'valid') throw new Error(`the receipt is ${state}`);
        },
      },
      { name: 'hash', run: async () => hashAll(root) },
    ],
    { rounds: ROUNDS, perRound: 1, warmUp: 2 },
  );
  return row({
    what: 'verify a receipt',
    ours,
    peer: [plain, 'hash all files'],
    target: '≤ hashing + 100 ms',
    isMet: (mine, hashing) => mine <= hashing + 100,
  });
}

/** Each call changes a line of one of some files. */
async function writeHistory(hands: Hands, files: number): Promise<string> {
  const texts = Array.from({ length: files }, () => Array.from({ length: LINES }, (_, line) => `line ${line}`));
  let first = '';
  for (let call = 0; call < CALLS; call += 1) {
    const lines = texts[call % files] ?? [];
    lines[(call * 7) % LINES] = `call ${call}`;
    const id = await must(hands, 'write_file', { path: `written/${call % files}.txt`, content: `${lines.join('\n')}\n` });
    if (call === 0) first = id;
  }
  return first;
}

async function blameRow(base: string): Promise<Row> {
  const [root, stateFolder] = [join(base, 'blamed'), join(base, 'state-blamed')];
  mkdirSync(root);
  {
    await using hands = await createHands({ workspace: root, stateFolder, allow: ['write'] });
    await writeHistory(hands, 1);
  }
  const [ours] = await measure([{ name: 'blame', run: async () => blameFile(root, stateFolder, 'written/0.txt') }], {
    rounds: ROUNDS,
    perRound: 1,
    warmUp: 3,
  });
  return row({ what: `blame of a file with ${CALLS.toLocaleString('en')} writes`, ours, target: '≤ 100 ms', isMet: (mine) => mine <= 100 });
}

async function pastRow(root: string, stateFolder: string): Promise<Row> {
  let first: string;
  {
    await using hands = await createHands({ workspace: root, stateFolder, allow: ['write'] });
    first = await writeHistory(hands, WRITTEN);
  }
  const [ours] = await measure(
    [
      {
        name: 'at',
        run: async () => {
          using past = PastWorkspace.open(root, stateFolder, first, 'after');
          past.list('.');
          if (!past.read('written/0.txt').bytes.includes('call 0\n')) throw new Error('another text');
        },
      },
    ],
    { rounds: ROUNDS, perRound: 1, warmUp: 3 },
  );
  return row({
    what: `the workspace ${CALLS.toLocaleString('en')} calls back: list it, read a file`,
    ours,
    target: '≤ 200 ms',
    isMet: (mine) => mine <= 200,
  });
}

/** What proof costs, in a large repository. */
export async function proofCases(): Promise<Row[]> {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'synapse-bench-proof-')));
  try {
    const [root, stateFolder] = [join(base, 'large'), join(base, 'state')];
    makeRepository(root, FOLDERS, FILES);
    execFileSync('sync');
    const receipts = await receiptRows(root, join(base, 'state-receipts'));
    return [...receipts, await verifyRow(root, stateFolder), await blameRow(base), await pastRow(root, stateFolder)];
  } finally {
    rmSync(base, { recursive: true, force: true });
  }
}
