import { Agent as HttpAgent, type AgentOptions } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import type { Socket } from 'node:net';
import { connect as connectTls, type SecureContext } from 'node:tls';
import type { HostAddress } from '../host-rules.ts';

/** How connections to servers are made. */
export interface OnwardOptions {
  /** Opens a connection to an address that was judged. */
  readonly dial: (address: string, port: number) => Socket;
  /** How servers are verified. Default: by what this machine trusts. */
  readonly verifying?: () => SecureContext;
}

/** Milliseconds for which an unused connection is kept, and how many of one host. */
const KEPT: AgentOptions = { keepAlive: true, maxFreeSockets: 8, maxSockets: 64, timeout: 300_000 };
/** Milliseconds after which the addresses of a host are judged again. */
const JUDGED_MS = 20_000;

/**
 * The connections of one command to servers. They are kept open for the next request, because a handshake takes longer than most
 * requests; each leads to an address that was judged.
 */
export class Onward implements Disposable {
  readonly #judged = new Map<string, { readonly address: string; readonly until: number }>();
  readonly http: HttpAgent;
  readonly https: HttpsAgent;

  constructor({ dial, verifying }: OnwardOptions) {
    const judged = this.#judged;
    const addressOf = (host: string | null | undefined, port: number | string | null | undefined): readonly [string, number] => {
      const known = judged.get(`${host}:${port}`);
      if (known === undefined) throw new Error('This host was not judged.');
      return [known.address, Number(port)];
    };
    this.http = new (class extends HttpAgent {
      override createConnection({ host, port }: { host?: string | null | undefined; port?: number | string | null | undefined }): Socket {
        return dial(...addressOf(host, port));
      }
    })(KEPT);
    this.https = new (class extends HttpsAgent {
      override createConnection({ host, port }: { host?: string | null | undefined; port?: number | string | null | undefined }): Socket {
        const name = host ?? '';
        const isName = /[a-z]/iu.test(name);
        return connectTls({
          socket: dial(...addressOf(host, port)),
          host: name,
          ...(isName ? { servername: name } : {}),
          ...(verifying === undefined ? {} : { secureContext: verifying() }),
          ALPNProtocols: ['http/1.1'],
          rejectUnauthorized: true,
        });
      }
    })(KEPT);
  }

  /** Whether a host was judged a moment ago. */
  isJudged({ host, port }: HostAddress): boolean {
    const known = this.#judged.get(`${host}:${port}`);
    return known !== undefined && known.until > Date.now();
  }

  /** Notes the address of a host that was judged. */
  judge({ host, port }: HostAddress, address: string): void {
    this.#judged.set(`${host}:${port}`, { address, until: Date.now() + JUDGED_MS });
  }

  [Symbol.dispose](): void {
    this.http.destroy();
    this.https.destroy();
  }
}
