/** Maximum nesting of a text: more than arguments and their frame need. Serializing deeper values could overflow the stack. */
const MAX_DEPTH = 80;

/** Whether a value is nested deeper than a message may be. */
export function isTooDeep(value: unknown, depth = 0): boolean {
  if (depth > MAX_DEPTH) return true;
  return typeof value === 'object' && value !== null && Object.values(value).some((one) => isTooDeep(one, depth + 1));
}
