import { SynapseError } from '@synapse/protocol';
import { isIP } from 'node:net';
import { isLoopbackAddress } from '../net/address-reach.ts';
import { USUAL_PORTS, type SecretPlace, type SecretWay } from './secret.ts';
import { MIN_CHARACTERS, MIN_DIFFERENT } from './unseen-values.ts';

const refuse = (message: string, hint: string): SynapseError => new SynapseError('invalid_arguments', message, { hint });
const shown = (text: string): string => JSON.stringify(text.slice(0, 80));

/** A name of the DNS or of the local network, in ASCII. No `*`: a secret is for servers that a person knows. */
const HOST = /^(?=.{1,253}$)(?:[a-z\d_](?:[-a-z\d_]{0,61}[a-z\d_])?\.)*[a-z](?:[-a-z\d]{0,61}[a-z\d])?$/u;
const ADDRESS = /^(?:(?<scheme>https?):\/\/)?(?<host>[^:@/?#\s]+)(?::(?<port>\d{1,5}))?\/?$/iu;

/** Whether a host is this machine by its name. */
const isThisMachine = (host: string): boolean => host === 'localhost' || isLoopbackAddress(host);

/**
 * Parses a server: `api.github.com`, `nexus.example.com:8443`, `http://localhost:4873`.
 *
 * @throws SynapseError `invalid_arguments` for anything that two parsers could read differently, and for `http:` to other machines
 */
export function parseServer(text: string): Omit<SecretPlace, 'as'> {
  const groups = ADDRESS.exec(text)?.groups;
  const part = (name: string): string | undefined => groups?.[name]?.toLowerCase();
  const host = part('host') ?? '';
  const scheme = part('scheme') === 'http' ? 'http' : 'https';
  const port = Number(groups?.['port'] ?? USUAL_PORTS[scheme]);
  if (groups === undefined || !(HOST.test(host) || isIP(host) === 4) || port < 1 || port > 65_535) {
    throw refuse(
      `${shown(text)} is no name of a host.`,
      'Write --host api.example.com, or api.example.com:8443. A secret is for exact hosts, so * is not possible.',
    );
  }
  if (scheme === 'http' && !isThisMachine(host)) {
    throw refuse(
      `${shown(text)} would get the secret without encryption.`,
      'Write https:// or leave it out. http:// is only for this machine: http://localhost:8080.',
    );
  }
  return { scheme, host, port };
}

/** A name of a header or a parameter. */
const TOKEN = /^[A-Za-z\d][\w.-]{0,63}$/u;
/** Headers that decide where a request goes, or how it is read. */
const NOT_FOR_SECRETS =
  /^(?:host|connection|content-.*|transfer-encoding|te|trailer|upgrade|expect|range|if-.*|accept.*|proxy-.*|via|forwarded|cookie2?|keep-alive)$/iu;
const WAYS = 'bearer, basic, "basic USER", "header X-Key", "query key", "aws KEY-ID", or env';

/** The ways that need a name. */
const NAMED_WAYS: Readonly<Record<string, (name: string) => SecretWay | undefined>> = {
  basic: (user) => (/^[\x21-\x39\x3b-\x7e]{1,128}$/u.test(user) ? { kind: 'basic', user } : undefined),
  query: (name) => (TOKEN.test(name) ? { kind: 'query', name } : undefined),
  // Keys of sessions (ASIA…) need a token beside them.
  aws: (id) => (/^AKIA[A-Z\d]{12,124}$/u.test(id) ? { kind: 'aws', id } : undefined),
  header: (name) => (TOKEN.test(name) && !NOT_FOR_SECRETS.test(name) ? { kind: 'header', name: name.toLowerCase() } : undefined),
};

/**
 * Parses how a secret is shown: `bearer`, `basic`, `basic USER`, `header X-Key`, `query key`, `aws KEY-ID`, `env`.
 *
 * @throws SynapseError `invalid_arguments` if it is none of these
 */
export function parseWay(text: string): SecretWay {
  const [kind = '', name, ...more] = text.trim().split(/\s+/u);
  if (more.length === 0 && name === undefined && (kind === 'bearer' || kind === 'basic' || kind === 'env')) return { kind };
  const way = more.length === 0 && name !== undefined && Object.hasOwn(NAMED_WAYS, kind) ? NAMED_WAYS[kind]?.(name) : undefined;
  if (way !== undefined) return way;
  throw refuse(`--as does not know ${shown(text)}.`, `It takes ${WAYS}.`);
}

const NAME = /^[A-Za-z_]\w{0,63}$/u;
/** Variables that decide how programs run. */
const OTHER_MEANING =
  /^(?:PATH|HOME|IFS|ENV|SHELL|TERM|PWD|USER|TMPDIR|TZ|LANG|LC_.*|LD_.*|BASH_ENV|NODE_OPTIONS|NODE_EXTRA_CA_CERTS|.*_PROXY|SSL_CERT_.*|XDG_.*)$/iu;

/** @throws SynapseError `invalid_arguments` if a name is none for a secret's variable */
export function assertSecretName(name: string): void {
  if (NAME.test(name) && !OTHER_MEANING.test(name)) return;
  throw refuse(
    `${shown(name)} is no name for a secret.`,
    NAME.test(name) ? 'This variable means something else. Choose another, such as DEPLOY_TOKEN.' : 'Use letters, digits and _, as in DEPLOY_TOKEN.',
  );
}

const MAX_CHARACTERS = 8_192;

/**
 * Checks a value: what a header can carry.
 *
 * @throws SynapseError `invalid_arguments`; never includes the value
 */
export function checkSecretValue(given: string, ways: readonly SecretWay[]): string {
  const value = given.replace(/\r?\n$/u, '');
  if (value.length < MIN_CHARACTERS)
    throw refuse('The value is too short: it needs 8 characters.', 'Shorter texts appear anywhere, so they could not be kept secret.');
  if (value.length > MAX_CHARACTERS) throw refuse('The value is too long: at most 8,192 characters.', 'Give only the secret itself.');
  if (new Set(value).size < MIN_DIFFERENT)
    throw refuse('The value is too simple: it needs 4 different characters.', 'Such texts appear anywhere, so they could not be kept secret.');
  if (!/^[\x20-\x7e]*$/u.test(value) || value.trim() !== value) {
    throw refuse(
      'The value has line breaks, spaces at its ends, or characters that a header cannot carry.',
      'Give a single line of ASCII, without spaces around it.',
    );
  }
  if (ways.some((as) => as.kind === 'basic' && as.user === undefined) && !/^[^:]+:./u.test(value)) {
    throw refuse('The value for basic must be user:password.', 'Or name the user: --as "basic USER".');
  }
  return value;
}
