/** The number of recent calls to compare. */
const WINDOW = 20;
/** Repeated equal calls before the model is warned, and before the run is stopped. */
const WARN_AT = 3;
const STOP_AT = 5;

/** Whether a call repeats earlier ones. */
export type Repetition = 'new' | 'warn' | 'stop';

/** The note to the model with the result of a repeated call. */
export const REPETITION_HINT =
  'You made this exact call several times. Its result does not change by itself: use what you have, or try something else.';

/** A text that is equal for equal values, in any order of their fields. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const fields = Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1));
  return `{${fields.map(([name, field]) => `${JSON.stringify(name)}:${canonical(field)}`).join(',')}}`;
}

/** Detects a model that repeats a call with the same input. */
export class RepeatedCalls {
  readonly #recent: string[] = [];

  note(tool: string, input: unknown): Repetition {
    const key = `${tool} ${canonical(input)}`;
    this.#recent.push(key);
    if (this.#recent.length > WINDOW) this.#recent.shift();
    const times = this.#recent.filter((one) => one === key).length;
    return times >= STOP_AT ? 'stop' : times >= WARN_AT ? 'warn' : 'new';
  }
}
