import type { CallLog } from '../call-log.ts';
import type { Attribution, Confidence } from '../../report/attribution.ts';
import { judge } from './confidence.ts';
import type { Claim } from '../evidence/claim.ts';
import type { Findings } from './findings.ts';
import { lastActiveArea } from './last-active-area.ts';
import { nextSteps } from './next-steps.ts';
import { projectFacts } from './project-facts.ts';
import { logState, testState, workState } from './work-state.ts';
import { writeReport } from './write-report.ts';

/** Returns the attribution: the files that were read and the calls that were made. */
export function attributionOf(callLog: CallLog, confidence: Confidence): Attribution {
  return { files_read: [...callLog.filesRead], tool_calls: Object.fromEntries(callLog.toolCalls), confidence };
}

/** Step 5: writes the Deep Status Report. Makes no calls; it reports what the previous steps found. */
export function synthesize(
  findings: Findings,
  callLog: CallLog,
  complete: boolean,
  checked: readonly Claim[] = [],
): { report: string; attribution: Attribution } {
  const { confidence, reasons } = judge(findings, callLog.unseen, complete);
  const attribution = attributionOf(callLog, confidence);
  const report = writeReport({
    attribution,
    sections: [
      { title: 'Last Active Area', claims: lastActiveArea(findings), empty: 'No evidence found.' },
      {
        title: 'Current State',
        claims: [...projectFacts(findings), ...workState(findings), ...testState(findings), ...checked, ...logState(findings)],
        empty: 'No evidence found.',
      },
      { title: 'Suggested Next Steps', claims: nextSteps(findings), isRanked: true, empty: 'Nothing was seen that calls for a next step.' },
    ],
    doubts: reasons,
    complete,
  });
  return { report, attribution };
}
