import type { AskedRequest, RequestRefusal } from '../asked-request.ts';
import { isAllowedHost, type HostAddress } from '../host-rules.ts';
import type { LiveHosts } from './live-hosts.ts';
import { placeholderFor } from '../../../secrets/placeholder.ts';
import type { UsedSecret } from '../../../secrets/put-secret.ts';
import type { Secret, SecretPlace } from '../../../secrets/secret.ts';
import { unseen, type Unseen } from '../../../secrets/scrubber.ts';
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

/** What one command may request of the hosts whose TLS is ended, and the secrets that go with it. */
export class CommandEdge {
  readonly #opened: OpenedHosts;
  readonly #denied: readonly DeniedRequests[];
  readonly #live: LiveHosts | undefined;
  readonly #places: readonly PlacedSecret[];
  readonly #unseen = new Map<string, Unseen>();
  /** The variables of the command: what stands for its secrets. */
  readonly environment: Readonly<Record<string, string>>;
  /** Files in the home folder of the command. */
  readonly homeFiles: readonly HomeFile[];

  private constructor(
    opened: OpenedHosts,
    denied: readonly DeniedRequests[],
    secrets: ReadonlyArray<{ secret: Secret; places: readonly SecretPlace[] }>,
    live: LiveHosts | undefined,
  ) {
    this.#live = live;
    this.#opened = opened;
    this.#denied = denied;
    const using = secrets.map(({ secret, places }) => ({ secret, places, used: { value: secret.value, placeholder: placeholderFor(secret.value) } }));
    this.#places = using.flatMap(({ places, used }) => places.map((place) => ({ place, used })));
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
    const names = [...opened.hosts, ...opened.rules.map(({ host }) => host)];
    const mayGet = (place: SecretPlace): boolean => isAllowedHost(place, names) && (place.scheme === 'https' || source.opensLocal(place.host));
    const secrets = (source.exist() ? await source.secrets() : []).flatMap((secret) => {
      const places = secret.places.filter(mayGet);
      return places.length === 0 ? [] : [{ secret, places }];
    });
    const denied = source.denied();
    return secrets.length === 0 && opened.rules.length === 0 && denied.length === 0 ? undefined : new CommandEdge(opened, denied, secrets, live);
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
    const values = this.#places.filter(({ place }) => place.host === host && place.port === port).map(({ used }) => used.value);
    if (values.length === 0) return undefined;
    const key = `${host}:${port}`;
    const known = this.#unseen.get(key) ?? unseen(values);
    this.#unseen.set(key, known);
    return known;
  }
}
