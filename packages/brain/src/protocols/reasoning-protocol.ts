/** One step of a protocol: guidance for whoever reasons, never a gate. */
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
}

/** A guided procedure of several steps. Plain data: prompts are made of it, and the offline brain follows it. */
export interface ReasoningProtocol {
  readonly id: string;
  readonly title: string;
  readonly description: string;
  readonly steps: readonly ProtocolStep[];
}
