import type { ProtocolStep, ReasoningProtocol } from '../protocols/reasoning-protocol.ts';

/** A step that the calls of a run have reached. */
export interface ReachedStep {
  readonly id: string;
  readonly title: string;
  /** From 1. */
  readonly index: number;
  readonly total: number;
}

/** A call as a step's signals see it. */
export interface SeenCall {
  readonly tool: string;
  /** Text of the input, such as paths and patterns. */
  readonly input: string;
}

function shows(step: ProtocolStep, { tool, input }: SeenCall): boolean {
  const text = input.toLowerCase();
  return (step.signals ?? []).some((signal) => signal.tool === tool && (signal.input?.some((part) => text.includes(part.toLowerCase())) ?? true));
}

/**
 * Tells, from the calls that a model makes, which step of a protocol it is at. The model may jump and repeat: the
 * signal that fits says where it is, and where several steps fit, the nearest one not before the current.
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

  /** Takes a call in. Gives the step where that changes it. */
  see(call: SeenCall): ReachedStep | undefined {
    const fitting = this.#protocol.steps.flatMap((step, index) => (shows(step, call) ? [index + 1] : []));
    const next = fitting.find((index) => index >= this.#current) ?? fitting.at(-1);
    return next === undefined ? undefined : this.#go(next);
  }

  /** The model writes its answer: that is the last step. */
  answer(): ReachedStep | undefined {
    return this.#go(this.#protocol.steps.length);
  }

  #go(index: number): ReachedStep | undefined {
    if (index === this.#current) return undefined;
    this.#current = index;
    return this.current;
  }
}
