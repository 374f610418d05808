import { isIP } from 'node:net';
import type { AnsweredRequest } from './asked-request.ts';
import type { HostRefusal } from './filtering-proxy.ts';
import { parseDomainRule, type HostAddress } from './host-rules.ts';
import type { Noted } from './network-log.ts';

/** The host in what a client asked for, as `host:port` or as a URL. */
export const ASKED = /^(?:https?:\/\/)?(?:[^@/\s]*@)?(?<host>[\w.-]{1,253})(?::(?<port>\d{1,5}))?(?:[/?]|$)/iu;
/** Maximum length of a path in the record. */
const MAX_PATH = 80;

/** A path as it may be told: what a client writes there may be any text. Without its query. */
export function plainPath(path: string): string {
  const plain = path.split(/[?#]/u, 1)[0] ?? '';
  return /^\/[\w.~/@:+,=%-]*$/u.test(plain) ? (plain.length > MAX_PATH ? `${plain.slice(0, MAX_PATH)}…` : plain) : '/…';
}

/** A request in one line: `GET api.example.com/repos`. */
export function requestText({ scheme, host, port, method, path }: AnsweredRequest): string {
  const name = port === (scheme === 'https' ? 443 : 80) ? host : `${host}:${port}`;
  return `${/^[A-Z]{1,20}$/u.test(method) ? method : '?'} ${name}${path === '' ? '' : plainPath(path)}`;
}

/** A host with its port, where that is none of the web. */
export const hostText = ({ host, port }: HostAddress): string => (port === 80 || port === 443 ? host : `${host}:${port}`);

/** What is noted of a request to a host whose TLS is ended. */
export function notedRequest(request: AnsweredRequest): Noted {
  const { method, path, refusal, failure, sent } = request;
  const base = {
    method: /^[A-Z]{1,20}$/u.test(method) ? method : '?',
    host: hostText(request),
    path: path === '' ? '' : plainPath(path),
    ...(sent === undefined ? {} : { sent }),
  };
  if (refusal !== undefined)
    return { ...base, outcome: 'refused', ...('deniedBy' in refusal ? { about: `denied by ${refusal.deniedBy}` } : { rule: refusal.allowedBy }) };
  return failure === undefined ? { ...base, outcome: 'sent' } : { ...base, outcome: 'failed', about: failure };
}

/** What is noted of a refused target; undefined if it names no host: what a client writes may be any text. */
export function refusedTarget(target: string, why: HostRefusal): Noted | undefined {
  const groups = ASKED.exec(target)?.groups;
  const host = groups?.['host']?.toLowerCase();
  // A name that a rule denies was understood, also without a dot.
  if (host === undefined || (typeof why !== 'object' && parseDomainRule(host) !== host && isIP(host) === 0)) return undefined;
  const port = groups?.['port'];
  const named = port === undefined || port === '443' || port === '80' ? host : `${host}:${port}`;
  return { method: 'CONNECT', host: named, path: '', outcome: 'refused', ...(why === 'closed' ? { rule: named } : { about: reasonOf(why) }) };
}

function reasonOf(why: Exclude<HostRefusal, 'closed'>): string {
  if (why === 'no address') return 'none of its addresses may be reached';
  return 'spent' in why ? why.spent : `denied by ${why.deniedBy}`;
}
