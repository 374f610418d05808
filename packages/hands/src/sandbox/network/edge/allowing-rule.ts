import { readingsOf } from '../../../net/request-pattern.ts';
import type { AskedRequest } from '../asked-request.ts';

/** Maximum length of the path in a rule that is proposed. */
const MAX_PATH = 120;

const isPlainMethod = (method: string): boolean => /^[A-Z]{1,20}$/u.test(method);

/** A path without its query, as rules name it; undefined if they cannot. */
function plainPathOf(path: string): string | undefined {
  const plain = path.split(/[?#]/u, 1)[0] ?? '/';
  return /^\/[\w.~/@:+,=-]*$/u.test(plain) && plain.length <= MAX_PATH && !/\/\/|\/\.+(?:\/|$)/u.test(plain) ? plain : undefined;
}

/** Whether a rule can name exactly this request, and a person can read it whole. */
export const isPlainRequest = ({ method, path }: AskedRequest): boolean => isPlainMethod(method) && plainPathOf(path) !== undefined;

/** The rule that would allow a request. Only the whole host allows a path that servers may read in several ways. */
export function allowingRule({ scheme, host, port, method, path }: AskedRequest): string {
  const named = port === (scheme === 'https' ? 443 : 80) ? host : `${host}:${port}`;
  if (readingsOf(path) === undefined) return named;
  return `${named} ${isPlainMethod(method) ? method : '*'} ${plainPathOf(path) ?? '/**'}`;
}
