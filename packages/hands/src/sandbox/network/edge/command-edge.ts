import type { AskedRequest, RequestRefusal } from '../asked-request.ts';
import { isAllowedHost, type HostAddress } from '../host-rules.ts';
import type { LiveHosts } from './live-hosts.ts';
import { placeholderFor } from '../../../secrets/placeholder.ts';
import type { UsedSecret } from '../../../secrets/put-secret.ts';
import type { Secret, SecretPlace } from '../../../secrets/secret.ts';
import { unseen, type Unseen } from '../../../secrets/scrubber.ts';
import { unseenValues } from '../../../secrets/unseen-values.ts';
import type { HomeFile } from '../../run-files.ts';
import { allowingRule } from './allowing-rule.ts';
import type { DeniedRequests, EdgeSource } from './edge-source.ts';
import { npmSettings } from './npm-settings.ts';
import { rulesAbout, type RequestRule } from './request-rule.ts';

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

/** A secret, and its places that this command may reach. */
interface UsableSecret {
  readonly secret: Secret;
  readonly places: readonly SecretPlace[];
}

/** Returns the secrets that a command may use with what is opened to it. */
async function usableSecrets({ hosts, rules }: OpenedHosts, source: EdgeSource): Promise<readonly UsableSecret[]> {
  const names = [...hosts, ...rules.map(({ host }) => host)];
  const mayGet = (place: SecretPlace): boolean => isAllowedHost(place, names) && (place.scheme === 'https' || source.opensLocal(place.host));
  return (source.exist() ? await source.secrets() : []).flatMap((secret) => {
    const places = secret.places.filter(mayGet);
    return places.length === 0 ? [] : [{ secret, places }];
  });
}

/** What one command may request of the hosts whose TLS is ended, and the secrets that go with it. */
export class CommandEdge {
  readonly #opened: OpenedHosts;
  readonly #source: EdgeSource;
  readonly #denied: readonly DeniedRequests[];
  readonly #live: LiveHosts | undefined;
  /** What stands for each secret in the command, by name. */
  readonly #placeholders: ReadonlyMap<string, string>;
  /** The secrets of requests. A job may run for days, in which a secret is replaced or removed. */
  #places: readonly PlacedSecret[];
  /** Those that this command ever used: a host may show them at any time. */
  #used: readonly PlacedSecret[];
  readonly #unseen = new Map<string, Unseen>();
  /** The variables of the command: what stands for its secrets. */
  readonly environment: Readonly<Record<string, string>>;
  /** Files in the home folder of the command. */
  readonly homeFiles: readonly HomeFile[];

  private constructor(
    opened: OpenedHosts,
    source: EdgeSource,
    denied: readonly DeniedRequests[],
    secrets: readonly UsableSecret[],
    live: LiveHosts | undefined,
  ) {
    this.#live = live;
    this.#opened = opened;
    this.#source = source;
    this.#denied = denied;
    const using = secrets.map(({ secret, places }) => {
      const hasUser = places.some(({ as }) => as.kind === 'basic' && as.user === undefined);
      return { secret, places, used: { value: secret.value, placeholder: placeholderFor(secret.value, hasUser) } };
    });
    this.#placeholders = new Map(using.map(({ secret: { name }, used: { placeholder } }) => [name, placeholder]));
    this.#places = using.flatMap(({ places, used }) => places.map((place) => ({ place, used })));
    this.#used = this.#places;
    // A name that a person gave a secret counts before what a known kind of another one adds.
    this.environment = Object.fromEntries([
      ...using.flatMap(({ secret: { texts } }) => Object.entries(texts)),
      ...using.flatMap(({ secret: { also }, used }) => also.map((variable) => [variable, used.placeholder] as const)),
      ...using.map(({ secret: { name }, used }) => [name, used.placeholder] as const),
    ]);
    this.homeFiles = npmSettings(secrets);
  }

  /** Opens what a command may request; undefined if no host needs its TLS to be ended. */
  static async open(opened: OpenedHosts, source: EdgeSource, live?: LiveHosts): Promise<CommandEdge | undefined> {
    const secrets = await usableSecrets(opened, source);
    const denied = source.denied();
    return secrets.length === 0 && opened.rules.length === 0 && denied.length === 0
      ? undefined
      : new CommandEdge(opened, source, denied, secrets, live);
  }

  /**
   * Brings the secrets for a host up to date, if the command got one for it.
   *
   * @throws SynapseError if they cannot be read
   */
  async renew({ host, port }: HostAddress): Promise<void> {
    if (this.unseenFrom({ host, port }) === undefined) return;
    const secrets = await usableSecrets(this.#opened, this.#source);
    this.#places = secrets.flatMap(({ secret: { name, value }, places }) => {
      const placeholder = this.#placeholders.get(name);
      // It was added later: nothing stands for it in this command.
      if (placeholder === undefined) return [];
      return places.map((place) => ({ place, used: { value, placeholder } }));
    });
    // Also a value that is known, at a further host: that host may show it, too.
    const isNew = ({ place, used }: PlacedSecret): boolean =>
      !this.#used.some((one) => one.used.value === used.value && one.place.host === place.host && one.place.port === place.port);
    const added = this.#places.filter(isNew);
    if (added.length === 0) return;
    this.#used = [...this.#used, ...added];
    this.#unseen.clear();
  }

  /** Whether requests to a host are looked at. All others pass as they are. */
  isEnded(asked: HostAddress): boolean {
    return (
      this.#used.some(({ place }) => place.host === asked.host && place.port === asked.port) ||
      this.#denied.some(({ isAbout }) => isAbout(asked.host)) ||
      (rulesAbout(asked, this.#opened.rules).length > 0 && !isAllowedHost(asked, this.#opened.hosts))
    );
  }

  /** Why a request is refused; undefined if it is not. */
  refusal(request: AskedRequest): RequestRefusal | undefined {
    const { host, method, path } = request;
    const strict = this.#denied.filter(({ isAbout, mayCover }) => isAbout(host) && mayCover(method, path));
    const denying = strict.find(({ asks }) => !asks) ?? strict[0];
    // What a person allowed goes before the rule that asked.
    if (denying?.asks !== false && this.#live?.isGranted(request) === true) return undefined;
    if (denying !== undefined) return { deniedBy: denying.text, asks: denying.asks };
    if (isAllowedHost(request, this.#opened.hosts) || this.#live?.isOpened(request) === true) return undefined;
    const isOpen = rulesAbout(request, this.#opened.rules).some(({ pattern }) => pattern.covers(method, path));
    return isOpen ? undefined : { allowedBy: allowingRule(request) };
  }

  /** Whether a person allows a request that is refused, while the command waits. */
  async isAllowedLive(request: AskedRequest, refusal: RequestRefusal): Promise<boolean> {
    return (await this.#live?.allowsRequest(request, refusal)) === true;
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
    const values = this.#used
      .filter(({ place }) => place.host === host && place.port === port)
      .flatMap(({ place, used: { value } }) => unseenValues({ value, places: [place] }));
    if (values.length === 0) return undefined;
    const key = `${host}:${port}`;
    const known = this.#unseen.get(key) ?? unseen(values);
    this.#unseen.set(key, known);
    return known;
  }
}
