import type { ApprovalRequest, Trial } from '@synapse/hands';
import { describeRequest, describeTrial } from '@synapse/hands/internal';
import type { ConsoleApproval, ConsoleLine, ConsoleTrial } from '@synapse/protocol/console';

const copy = (lines: ReadonlyArray<ConsoleLine>): ConsoleLine[] => lines.map(({ kind, text }) => ({ kind, text }));

/** Converts a trial for the page, with all hidden characters visible. */
export function trialView(trial: Trial): ConsoleTrial {
  const { changes, output, notes, completion, blocked } = describeTrial(trial);
  return {
    fingerprint: trial.fingerprint,
    changes: copy(changes),
    output: copy(output),
    notes: [...notes],
    completion,
    ...(blocked === undefined ? {} : { blocked }),
  };
}

/** The source and time of a question. */
export interface Asked {
  readonly id: string;
  readonly askedAt: number;
  readonly project: string;
  readonly from: string;
}

/** Converts a question for the page: in full, with all hidden characters visible. */
export function approvalView(request: ApprovalRequest, asked: Asked): ConsoleApproval {
  const described = describeRequest(request);
  const { heading, body, effects, reason, canTry, proposals } = described;
  const { changed } = request;
  const headline = described.changed === undefined ? undefined : `${described.changed.headline} It ${described.changed.ran}.`;
  return {
    kind: 'call',
    ...asked,
    fingerprint: request.fingerprint,
    callId: request.callId,
    ...(request.sessionId === undefined ? {} : { session: request.sessionId }),
    tool: request.tool,
    heading,
    body: copy(body),
    effects: [...effects],
    reason,
    ...(changed === undefined || headline === undefined ? {} : { changed: { ...trialView(changed), headline } }),
    canTry,
    proposals: proposals.map(({ rules, covers, doesNotCover }) => ({ rules: [...rules], covers, doesNotCover })),
  };
}
