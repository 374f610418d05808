import type { CallMeta, FilledForm, PersonForm } from '@synapse/protocol';
import type { ShownEffect } from '../dry-run/show-effect.ts';
import type { GrantProposal, GrantScope } from '../policy/grant.ts';

/** The result of a trial: what the call would change, and its output. */
export interface Trial {
  /** SHA-256 of the changes. An approval names it, and applies exactly these changes. */
  readonly fingerprint: string;
  readonly effect: ShownEffect;
  /** The output of the call. It becomes the call's result if its effect is approved. */
  readonly output: string;
  readonly completion: CallMeta['completion'];
}

/** What a command changed on its copy, if the question is about these changes. */
export interface AskedChanges extends Trial {
  /** A short summary: `changed 3 files`. */
  readonly headline: string;
  /** Whether the command had a network. Without one, it downloaded and sent nothing. Undefined if it is not known. */
  readonly network?: boolean;
}

/** A call that needs a decision, as shown to the user. */
export interface ApprovalRequest {
  readonly callId: string;
  readonly sessionId: string | undefined;
  readonly tool: string;
  readonly title: string;
  /** The parsed arguments. Only these run: see {@link fingerprint}. */
  readonly arguments: Readonly<Record<string, unknown>>;
  /** Names of arguments with their default value, which need not be shown. Default: none. */
  readonly defaults?: readonly string[];
  /** SHA-256 of tool and arguments. An answer applies only to this call. */
  readonly fingerprint: string;
  /** Why the call needs approval, in one sentence. */
  readonly reason: string;
  /** All known effects of the call, one per line: `writes src/app.ts`, `runs npm test`. */
  readonly effects: readonly string[];
  /**
   * Set if the command already ran on a copy, and the question is about its changes there: approval applies exactly these
   * changes, denial drops them. The model reads the output either way.
   */
  readonly changed?: AskedChanges;
  /**
   * Whether the question is only about changes of files in the workspace, which a mode or a configured rule asks about: it can be asked
   * when they are about to be applied. Default: it is about more.
   */
  readonly onlyChanges?: boolean;
  /** What "always allow" would save, with examples; empty if nothing may be remembered. */
  readonly proposals: readonly GrantProposal[];
  /**
   * Runs the command on a copy of the workspace, without network, and reports what it changed there. Has no other effect.
   * Undefined if this is not possible. Only the user may start it, because it runs the command.
   *
   * @throws SynapseError if the trial fails
   */
  readonly tryOut?: (signal: AbortSignal) => Promise<Trial>;
}

/** The answer to a question. */
export type ApprovalAnswer =
  | {
      readonly verdict: 'allow';
      readonly scope: GrantScope;
      /** The proposal to remember. Required for a scope beyond `once`. */
      readonly proposal?: GrantProposal;
      /** The fingerprint of the trial whose changes are applied. Nothing runs again. */
      readonly effect?: string;
    }
  | {
      readonly verdict: 'deny';
      /** The reason, shown to the model so that it can adapt. */
      readonly reason?: string;
    }
  /** The question was passed on. The call ends with `approval_required` and must be repeated after the answer. */
  | { readonly verdict: 'later' };

/**
 * Answers questions of the policy: a terminal, an MCP client, or a queue for other clients.
 *
 * @example
 * const careful: Approver = { name: 'careful', ask: async ({ tool }) => ({ verdict: tool === 'run_command' ? 'deny' : 'allow', scope: 'once' }) };
 */
export interface Approver {
  /** The name for records. */
  readonly name: string;
  /**
   * Shows the request and waits for the answer. Must settle when the signal is aborted, which counts as a
   * denial. An error also counts as a denial.
   *
   * @param onShown to be called with the place, such as `the open Synapse console`, once a person can see the question in a place that
   * the caller does not show
   */
  ask(request: ApprovalRequest, signal: AbortSignal, onShown?: (place: string) => void): Promise<ApprovalAnswer>;
  /**
   * Shows a form of an MCP server and waits for the input. Default: a form that needs no typing is shown as a question, and
   * other forms are cancelled.
   */
  fill?(form: PersonForm, signal: AbortSignal): Promise<FilledForm>;
  /** Whether a request is shown in full. If not, the approver of the hands is asked first, such as an open console. Default: it is. */
  showsAll?(request: ApprovalRequest): boolean;
  /** Whether a form can be shown. If not, it goes to the approver of the hands. Default: it can. */
  canFill?(form: PersonForm): boolean;
}
