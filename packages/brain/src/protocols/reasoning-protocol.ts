/** A call that shows that a model is at a step. */
export interface StepSignal {
  readonly tool: string;
  /** The JSON of the input holds one of these, without regard to case. Plain text: a pattern from a repository could take forever. */
  readonly input?: readonly string[];
}

/** One step of a protocol: guidance for the model, never a gate. */
export interface ProtocolStep {
  readonly id: string;
  /** A few words for a person. */
  readonly title: string;
  /** What to do, in words for a model. */
  readonly instruction: string;
  /** What the step must bring before the next one makes sense. */
  readonly requiredOutput: string;
  /** Whether there may be nothing to do. */
  readonly optional: boolean;
  /** By which calls the step is recognized. Default: none, and the step is never shown as the current one. */
  readonly signals?: readonly StepSignal[];
}

/** A guided procedure of several steps. Plain data: prompts are made of it, and the offline brain follows it. */
export interface ReasoningProtocol {
  readonly id: string;
  readonly title: string;
  readonly description: string;
  readonly steps: readonly ProtocolStep[];
}
