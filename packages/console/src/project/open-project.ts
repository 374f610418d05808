import { randomUUID } from 'node:crypto';
import type { CallOptions, Hands } from '@synapse/hands';
import type { CallEvent, CallResult } from '@synapse/protocol';
import type { ConsoleEvent, ConsoleServerFrame } from '@synapse/protocol/console';
import type { OpenQuestions } from '../approvals/open-questions.ts';
import { defaultsOf, WorkspaceJobs, type Defaults } from '@synapse/hands/internal';
import { CallIndex } from '../calls/call-index.ts';
import type { OutputMemory } from '../calls/output-memory.ts';
import { RunBoard } from '../runs/run-board.ts';
import { EventRing } from './event-ring.ts';
import { jobView } from './job-view.ts';

/** Number of newest calls that a page receives immediately. */
const FIRST_CALLS = 200;
/** Milliseconds between checks for jobs of other processes. */
const JOBS_MS = 700;

/** What a project is opened with. */
export interface OpenProjectParts {
  readonly hands: Hands;
  readonly stateFolder: string;
  readonly questions: OpenQuestions;
  readonly outputs: OutputMemory;
  readonly version: string;
}

/** A project that is open in the console, with its events. */
export class OpenProject implements AsyncDisposable {
  /** Changes on each start, so that event numbers of a previous console are invalid. */
  readonly epoch = randomUUID();
  readonly root: string;
  readonly stateFolder: string;
  readonly hands: Hands;
  readonly jobs: WorkspaceJobs;
  readonly outputs: OutputMemory;
  readonly ring = new EventRing();
  readonly runs: RunBoard;
  readonly index: CallIndex;
  /** The defaults of the arguments of a tool, which lines of calls leave out. */
  readonly defaultsOf: (tool: string) => Defaults | undefined;
  readonly #parts: OpenProjectParts;
  readonly #closing = new AbortController();
  readonly #stack = new DisposableStack();
  #jobsBefore = '';

  private constructor(parts: OpenProjectParts) {
    const { hands, stateFolder, outputs } = parts;
    this.#parts = parts;
    this.outputs = outputs;
    this.root = hands.workspace;
    this.stateFolder = stateFolder;
    this.hands = {
      ...hands,
      call: (async (name: string, input?: unknown, options?: CallOptions) => this.#call(name, input, options)) as Hands['call'],
    };
    this.jobs = new WorkspaceJobs(stateFolder, this.root);
    this.runs = new RunBoard({ hands: this.hands, stateFolder, onChange: (run) => this.emit({ type: 'run', run }) });
    const defaults = new Map(hands.tools('json-schema').map(({ name, inputSchema }) => [name, defaultsOf(inputSchema)]));
    this.defaultsOf = (tool) => defaults.get(tool);
    this.index = new CallIndex(stateFolder, this.root, (calls) => this.emit({ type: 'calls', calls: [...calls] }), this.defaultsOf);
  }

  static async open(parts: OpenProjectParts): Promise<OpenProject> {
    const project = new OpenProject(parts);
    await project.index.open(project.#closing.signal);
    const { questions, hands } = parts;
    project.#stack.use(questions.subscribe(() => project.emit({ type: 'approvals', approvals: questions.list() })));
    project.#stack.defer(hands.subscribe((event) => project.#hear(event)));
    project.#stack.defer(hands.onToolsChanged(() => project.emit({ type: 'stale', topics: ['tools', 'servers'] })));
    const timer = setInterval(() => project.#lookAtJobs(), JOBS_MS);
    project.#stack.defer(() => clearInterval(timer));
    return project;
  }

  emit(event: ConsoleEvent): void {
    this.ring.add(event);
  }

  /** Returns the current state, except for older calls. */
  snapshot(): Extract<ConsoleServerFrame, { type: 'snapshot' }> {
    return {
      type: 'snapshot',
      epoch: this.epoch,
      seq: this.ring.last,
      project: this.root,
      version: this.#parts.version,
      calls: this.index.rows().slice(-FIRST_CALLS),
      approvals: this.#parts.questions.list(),
      jobs: this.jobs.list().map(jobView),
      runs: this.runs.list(),
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort();
    this.#stack.dispose();
    await this.runs[Symbol.asyncDispose]();
    await this.#parts.hands[Symbol.asyncDispose]();
  }

  async #call(name: string, input: unknown, options: CallOptions | undefined): Promise<CallResult> {
    const result: CallResult = await this.#parts.hands.call(name, input, options);
    this.outputs.put(this.root, result);
    return result;
  }

  #hear(event: CallEvent): void {
    if (event.type === 'call-progress' && event.output !== undefined) this.emit({ type: 'progress', call: event.callId, output: event.output });
    if (event.type === 'job-start' || event.type === 'job-end') this.#lookAtJobs();
    if (event.type === 'call-end' && event.meta.pending !== undefined) this.emit({ type: 'stale', topics: ['pending'] });
  }

  #lookAtJobs(): void {
    const jobs = this.jobs.list().map(jobView);
    const now = JSON.stringify(jobs);
    if (now === this.#jobsBefore) return;
    this.#jobsBefore = now;
    this.emit({ type: 'jobs', jobs });
  }
}
