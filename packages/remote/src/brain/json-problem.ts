/** Deeper values are refused with another reason. Also ends at circular ones. */
const MAX_DEPTH = 64;

/** Whether JSON can carry an object as it is. Objects of another realm, such as a page's frame, have another prototype. */
function isPlain(value: object): boolean {
  if (Array.isArray(value)) return true;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

/** Names the first value that JSON cannot carry; undefined if there is none. What is undefined is left out, as JSON leaves it out. */
export function jsonProblem(value: unknown, path = '', depth = 0): string | undefined {
  const name = path === '' ? 'The input' : path.slice(0, 100);
  switch (typeof value) {
    case 'bigint':
    case 'function':
    case 'symbol':
      return `${name} is a ${typeof value}; only JSON values can be sent.`;
    case 'number':
      return Number.isFinite(value) ? undefined : `${name} must be a finite number.`;
    case 'object':
      if (value === null || depth > MAX_DEPTH) return undefined;
      return isPlain(value) ? fieldProblem(value, path, depth) : `${name} is not a plain object; only JSON values can be sent.`;
    case 'string':
    case 'boolean':
    case 'undefined':
    default:
      return undefined;
  }
}

function fieldProblem(value: object, path: string, depth: number): string | undefined {
  for (const [key, field] of Object.entries(value)) {
    const problem = jsonProblem(field, path === '' ? key : `${path}.${key}`, depth + 1);
    if (problem !== undefined) return problem;
  }
  return undefined;
}
