import { SynapseError } from '@synapse/protocol';
import type { JournalLimits } from '../journal/capture.ts';
import type { CallFacts } from '../pipeline/facts.ts';
import type { PlaceGuards } from '../policy/call-guards.ts';
import type { ProcessRequest, Processes } from '../process/processes.ts';
import type { OverlayRun } from '../sandbox/overlay.ts';
import type { Confinement } from '../workspace/confinement.ts';
import type { Workspace } from '../workspace/workspace.ts';
import { overlayEffect } from './overlay-effect.ts';
import { RehearsedContents } from './rehearsed-contents.ts';

/** Of what was left out, a result names at most so much. */
const MAX_TOLD = 10;

/** What commands are run with so that what they change can be undone. */
export interface CoveredParts {
  /** Runs a command in the workspace itself. */
  readonly plain: Processes;
  readonly canCopy: () => Promise<boolean>;
  readonly runOnCopy: (request: ProcessRequest) => Promise<OverlayRun>;
  readonly confinement: Confinement;
  readonly guards: PlaceGuards;
  readonly limits: JournalLimits;
  readonly workspace: Workspace;
  readonly facts: CallFacts;
  readonly signal: AbortSignal;
}

/**
 * Runs commands on a copy of the workspace, and then does in the workspace what they did there, as one change that can be
 * undone. A command that is ended in the middle changes nothing.
 */
export function coveredCommands(parts: CoveredParts): Processes {
  const { plain, confinement, guards, limits, workspace, facts, signal } = parts;
  return {
    async run(request) {
      // Asked before, and not learned from a failure: a command must never run a second time.
      if (!(await parts.canCopy())) {
        facts.notes.push('What this command changed cannot be undone: commands cannot run on a copy here.');
        return await plain.run(request);
      }
      await using run = await parts.runOnCopy(request);
      facts.undo = 'covered';
      if (run.outcome.aborted) {
        facts.notes.push('It ran on a copy and was ended; the workspace is as it was.');
        return run.outcome;
      }
      const contents = new RehearsedContents(() => undefined);
      const effect = overlayEffect({ run, lower: confinement, guards, contents, limits, signal });
      if (effect.blocked !== undefined) throw notKept(effect.blocked);
      if (effect.steps.length > 0) {
        await workspace.carryOut(effect.steps, (sum) => contents.read(sum));
        facts.appliedFrom = 'copy';
      }
      for (const { path, reason } of effect.omitted.slice(0, MAX_TOLD)) facts.notes.push(`Not kept of what it did: ${path} (${reason}).`);
      if (effect.omitted.length > MAX_TOLD) facts.notes.push(`Not kept: ${effect.omitted.length - MAX_TOLD} more.`);
      for (const caution of effect.cautions.slice(0, MAX_TOLD)) facts.notes.push(`${caution}.`);
      return run.outcome;
    },
  };
}

function notKept(why: string): SynapseError {
  return new SynapseError('conflict', `The command ran on a copy, and what it did was thrown away: ${why}. The workspace is as it was.`, {
    hint: 'Repeat it, or let it run without undo for commands.',
    retryable: true,
  });
}
