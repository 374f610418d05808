import type { Notebook } from '../notebook.ts';
import type { Attribution } from '../../report/attribution.ts';
import { judge } from './confidence.ts';
import type { Findings } from './findings.ts';
import { lastActiveArea } from './last-active-area.ts';
import { nextSteps } from './next-steps.ts';
import { projectFacts } from './project-facts.ts';
import { logState, workState } from './work-state.ts';
import { writeReport } from './write-report.ts';

/** Step 5: the Deep Status Report. Makes no calls: it states what the steps before have evidence for. */
export function synthesize(findings: Findings, notebook: Notebook, complete: boolean): { report: string; attribution: Attribution } {
  const { confidence, reasons } = judge(findings, notebook.unseen, complete);
  const attribution: Attribution = {
    files_read: [...notebook.filesRead],
    tool_calls: Object.fromEntries(notebook.toolCalls),
    confidence,
  };
  const report = writeReport({
    attribution,
    lastActiveArea: lastActiveArea(findings),
    currentState: [...projectFacts(findings), ...workState(findings), ...logState(findings)],
    nextSteps: nextSteps(findings),
    doubts: reasons,
    complete,
  });
  return { report, attribution };
}
