/** Of the last so many calls. */
const WINDOW = 20;
/** From so many equal calls on the model is told, and from so many on it is stopped. */
const WARN_AT = 3;
const STOP_AT = 5;

/** What a call is, compared with those before it. */
export type Repetition = 'new' | 'warn' | 'stop';

/** What the model reads beside the result of a call that it repeats. */
export const REPETITION_HINT =
  'You made this exact call several times. Its result does not change by itself: use what you have, or try something else.';

/** A text that is equal for equal values, whatever the order of their fields. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const fields = Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1));
  return `{${fields.map(([name, field]) => `${JSON.stringify(name)}:${canonical(field)}`).join(',')}}`;
}

/** Notices a model that makes one call, with one input, again and again. */
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
