import type { Hands } from '@synapse/hands';
import { PROJECT_RESURRECTION, type ResurrectionStepId } from '../protocols/project-resurrection.ts';
import { readDevlog } from './devlog/read-devlog.ts';
import { analyzeGit } from './history/analyze-git.ts';
import { receiptClaims } from './evidence/receipt-claims.ts';
import { readMetadata } from './metadata/read-metadata.ts';
import type { Ask } from './call-log.ts';
import { openSteps, type OfflineOptions, type OfflineReport } from './run-steps.ts';
import { discoverStructure } from './structure/discover-structure.ts';
import { synthesize } from './synthesis/synthesize.ts';

/**
 * Runs Project Resurrection without a model: inspects a workspace through hands and reports what it is, where work
 * stopped and what to do next. It only reads. The same project in the same state yields the same report, except for
 * relative times such as "3 days ago".
 *
 * @example
 * await using hands = await createHands({ workspace: '.' });
 * const { report } = await resurrect(hands);
 */
export async function resurrect(hands: Hands, options: OfflineOptions = {}): Promise<OfflineReport> {
  const { folder = '' } = options;
  const run = openSteps(hands, PROJECT_RESURRECTION, options);
  const step = <Result>(id: ResurrectionStepId, work: (ask: Ask) => Result | Promise<Result>): Promise<Result> => run.step(id, work);
  const structure = await step('step-01-discover-structure', (ask) => discoverStructure(ask, folder !== ''));
  const metadata = await step('step-02-read-metadata', (ask) => readMetadata(ask, structure));
  const history = await step('step-03-analyze-git', (ask) => analyzeGit(ask, structure, metadata));
  const devlogs = await step('step-04-read-devlog', (ask) => readDevlog(ask, structure, history.repository));
  const findings = { structure, metadata, history, devlogs, now: Date.now() };
  const { report, attribution } = await step('step-05-synthesize', async () =>
    synthesize(findings, run.callLog, run.complete(), folder === '' ? await receiptClaims(hands) : []),
  );
  return { report, attribution, steps: run.steps, complete: run.complete() };
}
