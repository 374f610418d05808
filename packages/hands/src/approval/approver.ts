import type { CallMeta } from '@synapse/protocol';
import type { ShownEffect } from '../dry-run/show-effect.ts';
import type { GrantProposal, GrantScope } from '../policy/grant.ts';

/** What came of trying a call: what it would change, and what it said. */
export interface Trial {
  /** SHA-256 of the changes. A yes to them names it, and exactly these are made. */
  readonly fingerprint: string;
  readonly effect: ShownEffect;
  /** What the call answered; it is its answer if its effect is approved. */
  readonly output: string;
  readonly completion: CallMeta['completion'];
}

/** What a command changed on its copy, when that is what a person is asked about. */
export interface AskedChanges extends Trial {
  /** In a few words: `changed 3 files`. */
  readonly headline: string;
}

/** A call that a person has to decide on, as it is shown to them. */
export interface ApprovalRequest {
  readonly callId: string;
  readonly sessionId: string | undefined;
  readonly tool: string;
  readonly title: string;
  /** The parsed arguments that will run, and no others: see {@link fingerprint}. */
  readonly arguments: Readonly<Record<string, unknown>>;
  /** SHA-256 of tool and arguments. An answer is for this and nothing else. */
  readonly fingerprint: string;
  /** Why it is asked, in one sentence. */
  readonly reason: string;
  /** Everything the call does that is known, a line each: `writes src/app.ts`, `runs npm test`. */
  readonly effects: readonly string[];
  /**
   * Present where the command ran already, on a copy, and the question is about what it changed there: a yes makes exactly
   * these changes, a no drops them. The model reads the output either way.
   */
  readonly changed?: AskedChanges;
  /** What "always allow" would save, with examples; empty where nothing may be remembered. */
  readonly proposals: readonly GrantProposal[];
  /**
   * Runs the command on a copy of the workspace, without network, and tells what it changed there; nothing else happens.
   * Undefined where that cannot be. For a person to choose: it lets the command run.
   *
   * @throws SynapseError where it could not be tried after all
   */
  readonly tryOut?: (signal: AbortSignal) => Promise<Trial>;
}

/** What a person said. */
export type ApprovalAnswer =
  | {
      readonly verdict: 'allow';
      readonly scope: GrantScope;
      /** Which of the proposals to remember; needed for a scope beyond `once`. */
      readonly proposal?: GrantProposal;
      /** The fingerprint of the trial whose changes are to be made; nothing is run again then. */
      readonly effect?: string;
    }
  | {
      readonly verdict: 'deny';
      /** Told to the model, so that it can do better. */
      readonly reason?: string;
    }
  /** The question was handed on. The call ends as `approval_required`; whoever gets the answer makes it again. */
  | { readonly verdict: 'later' };

/**
 * Who answers where the policy asks: a terminal, an MCP client, a queue for other doors.
 *
 * @example
 * const careful: Approver = { name: 'careful', ask: async ({ tool }) => ({ verdict: tool === 'run_command' ? 'deny' : 'allow', scope: 'once' }) };
 */
export interface Approver {
  /** For the records. */
  readonly name: string;
  /**
   * Shows the request and waits for the answer. Must settle when the signal is aborted; that counts as a
   * denial. Whatever it throws counts as a denial, too.
   */
  ask(request: ApprovalRequest, signal: AbortSignal): Promise<ApprovalAnswer>;
}
