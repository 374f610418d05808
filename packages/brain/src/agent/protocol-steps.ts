import type { ProtocolStep, ReasoningProtocol } from '../protocols/reasoning-protocol.ts';

/** The step that a run has reached. */
export interface ReachedStep {
  readonly id: string;
  readonly title: string;
  /** From 1. */
  readonly index: number;
  readonly total: number;
}

/** A call, as input for the signals of steps. */
export interface SeenCall {
  /** The canonical tools that it uses. */
  readonly tools: ReadonlySet<string>;
  /** Text of the input, such as paths and patterns. */
  readonly input: string;
}

function shows(step: ProtocolStep, { tools, input }: SeenCall): boolean {
  const text = input.toLowerCase();
  return (step.signals ?? []).some((signal) => tools.has(signal.tool) && (signal.input?.some((part) => text.includes(part.toLowerCase())) ?? true));
}

/**
 * Infers from a model's calls which step of a protocol it is at. The model may jump and repeat: the matching signal sets
 * the step. If several steps match, it is the nearest one that is not before the current step.
 */
export class ProtocolSteps {
  readonly #protocol: ReasoningProtocol;
  #current = 0;

  constructor(protocol: ReasoningProtocol) {
    this.#protocol = protocol;
  }

  /** Undefined before the first signal. */
  get current(): ReachedStep | undefined {
    const { steps } = this.#protocol;
    const step = steps[this.#current - 1];
    return step === undefined ? undefined : { id: step.id, title: step.title, index: this.#current, total: steps.length };
  }

  /** Adds a call. Returns the step if it changes. */
  see(call: SeenCall): ReachedStep | undefined {
    const fitting = this.#protocol.steps.flatMap((step, index) => (shows(step, call) ? [index + 1] : []));
    const next = fitting.find((index) => index >= this.#current) ?? fitting.at(-1);
    return next === undefined ? undefined : this.#go(next);
  }

  /** The model writes its answer, which is the last step. */
  answer(): ReachedStep | undefined {
    return this.#go(this.#protocol.steps.length);
  }

  #go(index: number): ReachedStep | undefined {
    if (index === this.#current) return undefined;
    this.#current = index;
    return this.current;
  }
}
