import { existsSync, realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Mount } from '../../bubblewrap-arguments.ts';
import type { AnsweredRequest } from '../asked-request.ts';
import type { FilteringProxyOptions } from '../filtering-proxy.ts';
import { CommandAuthority } from './authority.ts';
import type { CommandEdge } from './command-edge.ts';
import { EndedHosts } from './ended-hosts.ts';
import { javaTrustStore } from './java-trust.ts';
import type { OnwardOptions } from './onward.ts';
import { JAVA_PROXY } from '../bridge-port.ts';
import { namedRoots, SYSTEM_BUNDLES, trustedRoots, verifying as verifyingByMachine } from './trusted-roots.ts';

/** The certificates in the sandbox: what this machine trusts, with the authority of the command; and the authority with what Node is to add. */
const BUNDLE = '/tmp/.synapse-bridge/trust/bundle.pem';
const AUTHORITY = '/tmp/.synapse-bridge/trust/authority.pem';
/** The same as the bundle, for Java. */
const JAVA_STORE = '/tmp/.synapse-bridge/trust/java.jks';

/**
 * The variables by which programs trust a bundle. wget and programs of GnuTLS have none; the bundle is mounted over the one of the system
 * for them.
 */
const TRUST: Readonly<Record<string, string>> = {
  SSL_CERT_FILE: BUNDLE,
  CURL_CA_BUNDLE: BUNDLE,
  REQUESTS_CA_BUNDLE: BUNDLE,
  PIP_CERT: BUNDLE,
  GIT_SSL_CAINFO: BUNDLE,
  CARGO_HTTP_CAINFO: BUNDLE,
  AWS_CA_BUNDLE: BUNDLE,
  BUNDLE_SSL_CA_CERT: BUNDLE,
  npm_config_cafile: BUNDLE,
  YARN_HTTPS_CA_FILE_PATH: BUNDLE,
  JAVA_TOOL_OPTIONS: `${JAVA_PROXY} -Djavax.net.ssl.trustStore=${JAVA_STORE}`,
  // Deno keeps its own roots, and adds these.
  DENO_CERT: AUTHORITY,
  // uv has roots of its own, and takes those of SSL_CERT_FILE only so.
  UV_SYSTEM_CERTS: 'true',
};
/** Those of Node, which the bridge adds: where it is Node itself, it would take twice as long to start with them. */
const TRUST_OF_NODE: Readonly<Record<string, string>> = {
  // It keeps its own roots, and adds these.
  NODE_EXTRA_CA_CERTS: AUTHORITY,
  // Its fetch uses a proxy only with this variable.
  NODE_USE_ENV_PROXY: '1',
};

/** What a command needs to use hosts whose TLS is ended. */
export interface CommandTrust {
  readonly open: NonNullable<FilteringProxyOptions['ended']>;
  readonly mounts: readonly Mount[];
  readonly environment: Readonly<Record<string, string>>;
  /** Variables that the bridge adds. */
  readonly added: Readonly<Record<string, string>>;
}

interface TrustParts {
  /** Folder for the certificates, which is deleted when the command ends. */
  readonly folder: string;
  readonly onRequest: (request: AnsweredRequest) => void;
  readonly verifying: OnwardOptions['verifying'];
}

/** Makes the authority of a command, and what the command needs to trust it. */
export async function endFor(edge: CommandEdge, { folder, onRequest, verifying = verifyingByMachine }: TrustParts): Promise<CommandTrust> {
  const authority = new CommandAuthority();
  const bundle = join(folder, 'bundle.pem');
  const alone = join(folder, 'authority.pem');
  const java = join(folder, 'java.jks');
  // Most name the file of the system there.
  const further = namedRoots('REQUESTS_CA_BUNDLE', 'CURL_CA_BUNDLE');
  writeFileSync(bundle, trustedRoots() + (trustedRoots().includes(further) ? '' : further) + authority.certificate, { mode: 0o644 });
  writeFileSync(alone, namedRoots('NODE_EXTRA_CA_CERTS') + authority.certificate, { mode: 0o644 });
  writeFileSync(java, javaTrustStore(trustedRoots() + authority.certificate), { mode: 0o644 });
  const system = new Set(SYSTEM_BUNDLES.filter((path) => existsSync(path)).map((path) => realpathSync(path)));
  return {
    open: (io) => new EndedHosts({ ...io, edge, authority, verifying, onRequest }),
    mounts: [
      { kind: 'read-only', path: BUNDLE, source: bundle },
      { kind: 'read-only', path: AUTHORITY, source: alone },
      { kind: 'read-only', path: JAVA_STORE, source: java },
      ...Array.from(system, (path) => ({ kind: 'read-only', path, source: bundle }) as const),
    ],
    environment: { ...TRUST, ...edge.environment },
    added: Object.fromEntries(Object.entries(TRUST_OF_NODE).filter(([name]) => !Object.hasOwn(edge.environment, name))),
  };
}
