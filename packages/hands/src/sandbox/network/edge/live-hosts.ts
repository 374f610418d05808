import type { ProcessRequest } from '../../../process/processes.ts';
import type { AskedRequest, RequestRefusal } from '../asked-request.ts';
import { allowingRule, isPlainRequest } from './allowing-rule.ts';
import type { EdgeSource } from './edge-source.ts';
import type { HostRefusal } from '../filtering-proxy.ts';
import { parseDomainRule, type HostAddress } from '../host-rules.ts';
import { LiveQuestions } from './live-questions.ts';
import { hostText } from '../noted-request.ts';

/** What the network of one command depends on. */
export type CommandNetwork = Pick<ProcessRequest, 'approvedHosts' | 'askRequest'>;

/** Whether a host has the port of HTTP or HTTPS. Rules for later commands name no other one. */
const hasUsualPort = ({ port }: HostAddress): boolean => port === 80 || port === 443;

/** What answers of persons open to one command, beside what its rules open: answers from before, and those while it runs. */
export class LiveHosts implements Disposable {
  readonly #source: EdgeSource | undefined;
  readonly #questions: LiveQuestions | undefined;
  readonly #approved: Set<string>;
  /** Hosts that no rule opened. */
  readonly #opened = new Set<string>();

  constructor({ approvedHosts = new Set(), askRequest }: CommandNetwork, source: EdgeSource | undefined) {
    this.#source = source;
    this.#approved = new Set(approvedHosts);
    this.#questions = askRequest === undefined ? undefined : new LiveQuestions(askRequest);
  }

  /** The rule that keeps the command from a host or an address. */
  readonly deniedBy = (host: string): string | undefined => this.#source?.deniedBy?.(host, this.#approved);

  #asksAbout(host: string): boolean {
    return this.#source?.asksAbout?.(host) === true;
  }

  #isGranted(host: string): boolean {
    return this.#source?.granted?.().some(({ isWhole, isAbout }) => isWhole && isAbout(host)) === true;
  }

  /** Whether a host that would be refused is allowed after all. What denies it stays. */
  readonly allows = async (asked: HostAddress, why: HostRefusal): Promise<boolean> => {
    const { host } = asked;
    if (typeof why === 'object' && ('spent' in why || !this.#asksAbout(host))) return false;
    const askedBy = typeof why === 'object' ? why.deniedBy : undefined;
    // A person can judge a name, and nothing else opens other ports or this network.
    const isUsual = parseDomainRule(host) === host && hasUsualPort(asked);
    if (why === 'no address' || (why === 'closed' && !isUsual)) return false;
    const granted = this.#isGranted(host) && hasUsualPort(asked);
    const held = { text: `connect to ${hostText(asked)}`, rule: isUsual ? `${host} * /**` : undefined, askedBy };
    if (!granted && (await this.#questions?.allows(`${host}:${asked.port}`, held)) !== true) return false;
    this.#approved.add(host);
    if (why === 'closed') this.#opened.add(`${host}:${asked.port}`);
    return true;
  };

  /** Whether an answer opened a host that no rule opens. */
  isOpened({ host, port }: HostAddress): boolean {
    return this.#opened.has(`${host}:${port}`);
  }

  /** Whether an earlier answer allows a request. */
  isGranted(request: AskedRequest): boolean {
    const { host, method, path } = request;
    return hasUsualPort(request) && this.#source?.granted?.().some(({ isAbout, covers }) => isAbout(host) && covers(method, path)) === true;
  }

  /** Whether a person allows a request that is refused. */
  async allowsRequest(request: AskedRequest, refusal: RequestRefusal): Promise<boolean> {
    if (('deniedBy' in refusal && !refusal.asks) || this.#questions === undefined || !isPlainRequest(request)) return false;
    const { scheme, host, port } = request;
    const exact = allowingRule(request);
    const [named = '', method = '', path = ''] = exact.split(' ');
    const rule = hasUsualPort(request) && parseDomainRule(host) === host ? exact : undefined;
    const held = { text: `${method} ${named}${path}`, rule, askedBy: 'deniedBy' in refusal ? refusal.deniedBy : undefined };
    return await this.#questions.allows(`${scheme}://${host}:${port} ${method} ${path}`, held);
  }

  [Symbol.dispose](): void {
    this.#questions?.[Symbol.dispose]();
  }
}
