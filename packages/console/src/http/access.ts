import { hash, randomBytes, timingSafeEqual } from 'node:crypto';

/** Milliseconds for which a link is valid. */
export const LINK_MS = 10 * 60_000;
/** Maximum number of unused links, and of signed-in browsers. */
const MAX_LINKS = 20;
const MAX_SESSIONS = 50;

/** The credentials of a signed-in browser. */
export interface SignedIn {
  /** Secret for the cookie. */
  readonly secret: string;
  /** Secret for the page's storage. A cookie is sent to every port of a host; storage is limited to one origin. */
  readonly key: string;
}

const digest = (text: string): Buffer => hash('sha256', text, 'buffer');
/** Creates a secret of 256 bits, too many to guess. */
const secret = (): string => randomBytes(32).toString('base64url');

/** Access to the console: single-use links, and the browsers that opened one. */
export class Access {
  readonly #now: () => number;
  /** Expiry of links by hash. Hashes are compared instead of secrets, so that timing reveals nothing. */
  readonly #links = new Map<string, number>();
  readonly #sessions = new Map<string, Buffer>();

  constructor(now: () => number = Date.now) {
    this.#now = now;
  }

  /** Creates a token for a link. */
  createLink(): string {
    const token = secret();
    if (this.#links.size >= MAX_LINKS) this.#links.delete(this.#links.keys().next().value ?? '');
    this.#links.set(digest(token).toString('hex'), this.#now() + LINK_MS);
    return token;
  }

  /** Redeems a link; undefined if it was used or has expired. */
  signIn(token: string): SignedIn | undefined {
    const id = digest(token).toString('hex');
    const until = this.#links.get(id);
    this.#links.delete(id);
    if (until === undefined || until < this.#now()) return undefined;
    const made = { secret: secret(), key: secret() };
    if (this.#sessions.size >= MAX_SESSIONS) this.#sessions.delete(this.#sessions.keys().next().value ?? '');
    this.#sessions.set(digest(made.secret).toString('hex'), digest(made.key));
    return made;
  }

  /** Whether a cookie belongs to a signed-in browser. */
  knows(secretGiven: string | undefined): boolean {
    return secretGiven !== undefined && this.#sessions.has(digest(secretGiven).toString('hex'));
  }

  /** Whether the page of that browser has the matching key. */
  holds(secretGiven: string | undefined, key: string): boolean {
    const expected = secretGiven === undefined ? undefined : this.#sessions.get(digest(secretGiven).toString('hex'));
    return expected !== undefined && timingSafeEqual(expected, digest(key));
  }
}

/** Returns the cookie's name. It includes the port, because consoles on several ports share cookies. */
export function cookieName(port: number): string {
  return `synapse_console_${port}`;
}

/** Returns the secret in a request's cookies. */
export function secretOf(cookies: string | undefined, port: number): string | undefined {
  const start = `${cookieName(port)}=`;
  return cookies
    ?.split(';')
    .map((part) => part.trim())
    .find((part) => part.startsWith(start))
    ?.slice(start.length);
}
