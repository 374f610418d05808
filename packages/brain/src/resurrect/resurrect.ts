import type { Hands } from '@synapse/hands';
import { PROJECT_RESURRECTION, type ResurrectionStepId } from '../protocols/project-resurrection.ts';
import type { Attribution } from '../report/attribution.ts';
import { readDevlog } from './devlog/read-devlog.ts';
import { analyzeGit } from './history/analyze-git.ts';
import { readMetadata } from './metadata/read-metadata.ts';
import { openNotebook, type Ask } from './notebook.ts';
import { discoverStructure } from './structure/discover-structure.ts';
import { synthesize } from './synthesis/synthesize.ts';

/** Tells that a step begins or has ended. */
export interface StepEvent {
  readonly id: string;
  readonly title: string;
  readonly phase: 'start' | 'end';
  /** From 1. */
  readonly index: number;
  readonly total: number;
  /** Milliseconds it took; at its end. */
  readonly ms?: number;
  /** Calls it made; at its end. */
  readonly calls?: number;
}

/** How to run it. */
export interface ResurrectOptions {
  /** Ends the run soon, with a report of what was seen so far. */
  readonly signal?: AbortSignal;
  readonly sessionId?: string;
  readonly onStep?: (event: StepEvent) => void;
}

/** What came of a run. */
export interface Resurrection {
  /** Markdown with YAML front matter; `parseReport` reads it. */
  readonly report: string;
  readonly attribution: Attribution;
  readonly steps: readonly { readonly id: string; readonly title: string; readonly ms: number; readonly calls: number }[];
  /** `false` where a step could not do its work: the run was ended, or a call it needs took too long. */
  readonly complete: boolean;
}

/**
 * Runs Project Resurrection without a model: looks at a workspace through hands, and writes down what
 * it is, where work stopped and what to do next. It only reads. The same project in the same state gives
 * the same report, but for words such as "3 days ago".
 *
 * @example
 * await using hands = await createHands({ workspace: '.' });
 * const { report } = await resurrect(hands);
 */
export async function resurrect(hands: Hands, options: ResurrectOptions = {}): Promise<Resurrection> {
  const notebook = openNotebook(hands, options);
  const { steps: guide } = PROJECT_RESURRECTION;
  const steps: { id: string; title: string; ms: number; calls: number }[] = [];
  let complete = true;

  async function step<Result>(stepId: ResurrectionStepId, work: (ask: Ask) => Result | Promise<Result>): Promise<Result> {
    const index = guide.findIndex(({ id }) => id === stepId) + 1;
    const title = guide[index - 1]?.title ?? stepId;
    const page = notebook.page(stepId);
    const startedAt = performance.now();
    options.onStep?.({ id: stepId, title, phase: 'start', index, total: guide.length });
    const result = await work(page.ask);
    const done = { ms: performance.now() - startedAt, calls: page.calls() };
    complete &&= page.complete();
    steps.push({ id: stepId, title, ...done });
    options.onStep?.({ id: stepId, title, phase: 'end', index, total: guide.length, ...done });
    return result;
  }

  const structure = await step('step-01-discover-structure', discoverStructure);
  const metadata = await step('step-02-read-metadata', (ask) => readMetadata(ask, structure));
  const history = await step('step-03-analyze-git', (ask) => analyzeGit(ask, structure));
  const devlogs = await step('step-04-read-devlog', (ask) => readDevlog(ask, structure));
  const findings = { structure, metadata, history, devlogs, now: Date.now() };
  const { report, attribution } = await step('step-05-synthesize', () =>
    synthesize(findings, notebook, complete && options.signal?.aborted !== true),
  );
  return { report, attribution, steps, complete };
}
