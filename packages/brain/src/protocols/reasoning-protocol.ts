/** A call that indicates that the model is at a step. */
export interface StepSignal {
  readonly tool: string;
  /** The JSON of the input contains one of these, ignoring case. Plain text, because a pattern from a repository could take forever. */
  readonly input?: readonly string[];
}

/** A step of a protocol: guidance for the model, never a requirement. */
export interface ProtocolStep {
  readonly id: string;
  /** A short title for users. */
  readonly title: string;
  /** The instruction for the model. */
  readonly instruction: string;
  /** The result that the next step needs. */
  readonly requiredOutput: string;
  /** Whether the step may have nothing to do. */
  readonly optional: boolean;
  /** Calls that identify the step. Default: none, and the step is never shown as the current one. */
  readonly signals?: readonly StepSignal[];
}

/** A guided procedure of several steps. Plain data: prompts are built from it, and the analysis without a model follows it. */
export interface ReasoningProtocol {
  readonly id: string;
  readonly title: string;
  readonly description: string;
  readonly steps: readonly ProtocolStep[];
  /** Path of its file in the workspace. Default: none, and it is built in. */
  readonly file?: string;
}
