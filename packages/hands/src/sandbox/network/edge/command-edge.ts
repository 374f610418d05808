import type { AskedRequest, RequestRefusal } from '../asked-request.ts';
import { isAllowedHost, type HostAddress } from '../host-rules.ts';
import { placeholderFor } from '../../../secrets/placeholder.ts';
import type { UsedSecret } from '../../../secrets/put-secret.ts';
import type { Secret, SecretPlace } from '../../../secrets/secret.ts';
import { unseen, type Unseen } from '../../../secrets/scrubber.ts';
import { rulesAbout, type RequestRule } from './request-rule.ts';

/** A rule of the policy that denies some requests of a host. */
export interface DeniedRequests {
  readonly text: string;
  readonly isAbout: (host: string) => boolean;
  readonly mayCover: (method: string, path: string) => boolean;
}

/** Where the secrets and rules of commands come from. */
export interface EdgeSource {
  /** Whether there may be secrets. Called for each command. */
  readonly exist: () => boolean;
  /** Read for each command, so that a replaced secret counts from the next one on. */
  readonly secrets: () => readonly Secret[];
  /** Whether a rule opens a host of this machine, so that it may get a secret without encryption. */
  readonly opensLocal: (host: string) => boolean;
  /** Rules of the policy about requests. */
  readonly denied: () => readonly DeniedRequests[];
  /** The rule that keeps a command from a host or an address, unless the host was approved. Default: none does. */
  readonly deniedBy?: (host: string, approved: ReadonlySet<string>) => string | undefined;
}

/** What a network opens: hosts as a whole, and requests. */
export interface OpenedHosts {
  readonly hosts: readonly string[];
  readonly rules: readonly RequestRule[];
}

/** A place of a secret in one command. */
export interface PlacedSecret {
  readonly place: SecretPlace;
  readonly used: UsedSecret;
}

/** Maximum length of the path in a rule that is proposed. */
const MAX_PATH = 120;

/** The rule that would allow a request. */
export function allowingRule({ scheme, host, port, method, path }: AskedRequest): string {
  const named = port === (scheme === 'https' ? 443 : 80) ? host : `${host}:${port}`;
  const plain = path.split(/[?#]/u, 1)[0] ?? '/';
  const isPlain = /^\/[\w.~/@:+,=-]*$/u.test(plain) && plain.length <= MAX_PATH && !/\/\/|\/\.{1,2}(?:\/|$)/u.test(plain);
  return `${named} ${/^[A-Z]{1,20}$/u.test(method) ? method : '*'} ${isPlain ? plain : '/**'}`;
}

/** What one command may request of the hosts whose TLS is ended, and the secrets that go with it. */
export class CommandEdge {
  readonly #opened: OpenedHosts;
  readonly #denied: readonly DeniedRequests[];
  readonly #places: readonly PlacedSecret[];
  readonly #unseen = new Map<string, Unseen>();
  /** The variables of the command: what stands for its secrets. */
  readonly environment: Readonly<Record<string, string>>;

  private constructor(
    opened: OpenedHosts,
    denied: readonly DeniedRequests[],
    secrets: ReadonlyArray<{ secret: Secret; places: readonly SecretPlace[] }>,
  ) {
    this.#opened = opened;
    this.#denied = denied;
    const using = secrets.map(({ secret, places }) => ({ secret, places, used: { value: secret.value, placeholder: placeholderFor(secret.value) } }));
    this.#places = using.flatMap(({ places, used }) => places.map((place) => ({ place, used })));
    this.environment = Object.fromEntries(
      using.flatMap(({ secret: { name, also, texts }, used }) => [
        ...[name, ...also].map((variable) => [variable, used.placeholder] as const),
        ...Object.entries(texts),
      ]),
    );
  }

  /** Opens what a command may request; undefined if no host needs its TLS to be ended. */
  static open(opened: OpenedHosts, source: EdgeSource): CommandEdge | undefined {
    const names = [...opened.hosts, ...opened.rules.map(({ host }) => host)];
    const mayGet = (place: SecretPlace): boolean => isAllowedHost(place, names) && (place.scheme === 'https' || source.opensLocal(place.host));
    const secrets = (source.exist() ? source.secrets() : []).flatMap((secret) => {
      const places = secret.places.filter(mayGet);
      return places.length === 0 ? [] : [{ secret, places }];
    });
    const denied = source.denied();
    return secrets.length === 0 && opened.rules.length === 0 && denied.length === 0 ? undefined : new CommandEdge(opened, denied, secrets);
  }

  /** Whether requests to a host are looked at. All others pass as they are. */
  isEnded(asked: HostAddress): boolean {
    return (
      this.#places.some(({ place }) => place.host === asked.host && place.port === asked.port) ||
      this.#denied.some(({ isAbout }) => isAbout(asked.host)) ||
      (rulesAbout(asked, this.#opened.rules).length > 0 && !isAllowedHost(asked, this.#opened.hosts))
    );
  }

  /** Why a request is refused; undefined if it is not. */
  refusal(request: AskedRequest): RequestRefusal | undefined {
    const { host, method, path } = request;
    const denying = this.#denied.find(({ isAbout, mayCover }) => isAbout(host) && mayCover(method, path));
    if (denying !== undefined) return { deniedBy: denying.text };
    if (isAllowedHost(request, this.#opened.hosts)) return undefined;
    const isOpen = rulesAbout(request, this.#opened.rules).some(({ pattern }) => pattern.covers(method, path));
    return isOpen ? undefined : { allowedBy: allowingRule(request) };
  }

  /** Whether rules tell methods of a host apart. */
  hasRules({ host, port }: HostAddress): boolean {
    return this.#denied.some(({ isAbout }) => isAbout(host)) || !isAllowedHost({ host, port }, this.#opened.hosts);
  }

  /** The secrets for a request. */
  secretsFor({ scheme, host, port }: Pick<AskedRequest, 'scheme' | 'host' | 'port'>): readonly PlacedSecret[] {
    return this.#places.filter(({ place }) => place.scheme === scheme && place.host === host && place.port === port);
  }

  /** What must not come back from a host; undefined if it never got a secret. */
  unseenFrom({ host, port }: HostAddress): Unseen | undefined {
    const values = this.#places.filter(({ place }) => place.host === host && place.port === port).map(({ used }) => used.value);
    if (values.length === 0) return undefined;
    const key = `${host}:${port}`;
    const known = this.#unseen.get(key) ?? unseen(values);
    this.#unseen.set(key, known);
    return known;
  }
}
