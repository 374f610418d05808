// A separate program: it takes over a job whose Synapse process ends. Until then it only holds the ends of the job's pipes. Then
// it writes the log, acts on the requests of people, and checks what the job left. The job does not outlive it.
import { closeSync, constants, openSync, readFileSync, rmSync } from 'node:fs';
import { Socket } from 'node:net';
import { createInterface } from 'node:readline';
import * as z from 'zod';
import { toSynapseError, type SynapseError } from '@synapse/protocol';
import { keepMounted } from '../branch/branch-state.ts';
import { until } from '../events/timing.ts';
import { KeeperTask } from '../jobs/job-keeper.ts';
import { assertInput, writeInput } from '../jobs/job-input.ts';
import { JobLog, LOG_LIMITS, readLog } from '../jobs/job-log.ts';
import { receiveMessages, type JobMessage } from '../jobs/job-mailbox.ts';
import { exitFile, readRecord, writeRecord } from '../jobs/job-record.ts';
import { endingText, nextState, type JobEvent, type JobState } from '../jobs/job-state.ts';
import { readProcess } from '../process/process-table.ts';
import { ended, endTree } from '../process/process-tree.ts';
import { DEFAULT_RESOURCE_LIMITS } from '../sandbox/resource-limits.ts';
import { watchDisk, watchMemory } from '../sandbox/resource-watch.ts';
import type { ScrubbedOutput } from '../sandbox/scrubbed-output.ts';
import { defaultStateFolder } from '../state/state-folder.ts';
import { quarantineNotes } from '../tools/command-note.ts';
import { processIdentity } from '../workspace/process-identity.ts';
import type { HandsOptions } from './hands-options.ts';

/** Milliseconds between TERM and KILL. */
const GRACE_MS = 1_000;
/** Milliseconds to wait for the secrets: a keychain may ask a person who is away. */
const SECRETS_MS = 10_000;
/** Milliseconds to wait for the last processes of a job whose output has ended. */
const END_MS = 30_000;

const Input = z.object({ task: KeeperTask, hands: z.custom<HandsOptions>((value) => typeof value === 'object' && value !== null) });

const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
const first = await lines.next();
const { task, hands: handsOptions } = Input.parse(JSON.parse(first.value ?? ''));
const { folder, id, terminal, workspace } = task;
const root = { pid: task.process.pid, startTime: task.process.start_time, tag: task.process.mark };

const open = (pid: number, descriptor: number, flags: number): number => openSync(`/proc/${pid}/fd/${descriptor}`, flags | constants.O_NONBLOCK);
const [stdout, stderr] = [1, 2].map((descriptor) => open(root.pid, descriptor, constants.O_RDONLY));
let inputEnd = task.input ? open(root.pid, 0, constants.O_WRONLY) : undefined;
// Kept until this process ends: the job ends with its last owner.
open(task.owner.pid, task.owner.life, constants.O_WRONLY);
keepMounted(handsOptions.stateFolder ?? defaultStateFolder());
const holder = readProcess(root.pid);
if (holder?.startTime !== root.startTime || stdout === undefined || stderr === undefined) throw new Error('The job has ended.');
process.stdout.write(`${processIdentity()}\n`);

for (;;) {
  const line = await lines.next();
  if (line.done === true) break;
  if (line.value === 'ended') process.exit(0);
  if (line.value === 'eof' && inputEnd !== undefined) {
    closeSync(inputEnd);
    inputEnd = undefined;
  }
}

const log = new JobLog(folder, id, LOG_LIMITS, readLog(folder, id, 0, 0).end);
let state: JobState = { status: 'running', detached: true };
let failure: SynapseError | undefined;
let recorded = false;
const input = inputEnd === undefined ? undefined : new Socket({ fd: inputEnd, readable: false, writable: true });
input?.on('error', () => {});

/** Saves the state. If the disk is full, the job runs and ends anyway. */
function save(change: { readonly exitCode?: number | null; readonly notes?: readonly string[] } = {}): void {
  const record = readRecord(folder, id);
  if (record === undefined) return;
  const isOver = state.status === 'ended';
  try {
    writeRecord(folder, {
      ...record,
      owner: processIdentity(),
      status: state.status,
      detached: !isOver,
      outlives: !isOver,
      exit_code: change.exitCode ?? null,
      ending: state.status === 'ended' ? (failure?.message ?? endingText(state.ending)) : null,
      notes: [...(change.notes ?? [])],
      ended_at: isOver ? new Date().toISOString() : null,
      sandbox: isOver ? 'bubblewrap' : null,
      recorded,
    });
  } catch {
    // As above.
  }
}

function apply(event: JobEvent): void {
  const before = state;
  state = nextState(before, event);
  if (state === before || state.status !== 'ending') return;
  save();
  void endTree(root, GRACE_MS);
}

async function type({ text, eof }: Extract<JobMessage, { type: 'input' }>): Promise<string | undefined> {
  try {
    const job = { input, terminal, id, background: true, isOver: state.status === 'ended' };
    assertInput(job, text);
    await writeInput(job, text, eof);
    return undefined;
  } catch (error) {
    return toSynapseError(error).message;
  }
}

const mailbox = receiveMessages(folder, (to, message) => {
  if (to !== id) return undefined;
  if (message.type === 'input') return type(message);
  apply(message.type === 'stop' ? { type: 'stop', reason: 'stopped' } : { type: 'detach' });
  return Promise.resolve(undefined);
});
const { keepFreeBytes, keepFreeMemoryBytes } = DEFAULT_RESOURCE_LIMITS;
for (const { signal } of [watchDisk(workspace, keepFreeBytes), watchMemory(keepFreeMemoryBytes)]) {
  signal.addEventListener('abort', () => {
    failure ??= toSynapseError(signal.reason);
    apply({ type: 'stop', reason: 'stopped' });
  });
}
if (task.ends_at !== null) setTimeout(() => apply({ type: 'stop', reason: 'timed_out' }), Math.max(0, task.ends_at - Date.now()));

/** How output is written to the log: without the secrets that there are now, as the Synapse process did. */
async function logging(): Promise<ScrubbedOutput> {
  const write: ScrubbedOutput['take'] = (_, chunk) => log.write(chunk);
  try {
    const { SecretStore } = await import('../secrets/secret-store.ts');
    const store = new SecretStore(handsOptions.stateFolder ?? defaultStateFolder());
    const secrets = await until(store.list(), AbortSignal.timeout(SECRETS_MS));
    if (secrets.length === 0) return { take: write, end: () => {} };
    const { scrubbedOutput } = await import('../sandbox/scrubbed-output.ts');
    return scrubbedOutput(write, secrets);
  } catch (error) {
    // The log may be read by the model. The output is read all the same: otherwise the job would wait.
    log.write(Buffer.from(`[output left out: the secrets in it could not be read: ${toSynapseError(error).message}]\n`));
    return { take: () => {}, end: () => {} };
  }
}

const logged = await logging();
await Promise.all(
  (
    [
      [stdout, 'stdout'],
      [stderr, 'stderr'],
    ] as const
  ).map(async ([fd, name]) => {
    const stream = new Socket({ fd, readable: true, writable: false });
    const closed = Promise.withResolvers<void>();
    // A broken pipe is a normal end.
    stream.on('error', () => {});
    stream.on('data', (chunk: Buffer) => logged.take(name, chunk));
    stream.once('close', () => closed.resolve());
    await closed.promise;
  }),
);
await ended([holder], END_MS);
await endTree(root, 0);
logged.end();
log[Symbol.dispose]();

/** What the job left, as notes. */
async function judge(): Promise<string[]> {
  try {
    // Not before it is needed: a keeper may wait for days.
    const { createHands } = await import('./create-hands.ts');
    await using hands = await createHands(handsOptions);
    const { quarantined, notes } = await hands.sweepHandedOver();
    return [...quarantineNotes(quarantined), ...notes];
  } catch (error) {
    // The next command that runs there reports it.
    return [`What it left in the workspace could not be judged: ${toSynapseError(error).message}`];
  }
}

function exitCode(): number | null {
  try {
    const code = Number.parseInt(readFileSync(exitFile(folder, id), 'utf8'), 10);
    // Empty, if what writes it was killed meanwhile.
    return Number.isNaN(code) ? null : code;
  } catch {
    // It was killed.
    return null;
  }
}

/** Records the end in the audit log. */
async function recordEnd(ending: string): Promise<void> {
  const job = readRecord(folder, id);
  if (job?.basis === undefined) return;
  try {
    const { recordLostJob } = await import('../receipt/record-lost-job.ts');
    const stateFolder = handsOptions.stateFolder ?? defaultStateFolder();
    await recordLostJob({ folder, stateFolder, root: workspace, job: { ...job, sandbox: 'bubblewrap' }, seen: { exitCode: code, ending } });
    recorded = true;
  } catch {
    // For example, the disk is full. The next process that opens the workspace tries again.
  }
}

const code = exitCode();
const notes = await judge();
state = nextState(state, { type: 'exit', exitCode: code, signal: code === null ? 'SIGKILL' : null });
if (state.status === 'ended') await recordEnd(failure?.message ?? endingText(state.ending));
save({ exitCode: code, notes });
rmSync(exitFile(folder, id), { force: true });
mailbox[Symbol.dispose]();
process.exit(0);
