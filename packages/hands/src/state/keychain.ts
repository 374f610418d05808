import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';

const SERVICE = 'synapse';
/** Milliseconds after which a keychain counts as missing. It may be waiting for a prompt on a screen that does not exist. */
const TIMEOUT_MS = 5_000;

/** The system's store for secrets. */
export interface Keychain {
  /** Stores a secret. Returns whether it succeeded. */
  store(account: string, secret: string): boolean;
  find(account: string): string | undefined;
  remove(account: string): void;
}

interface Program {
  /** Absolute paths: when npm runs this, the PATH begins with folders that a project can write. */
  readonly programs: readonly string[];
  readonly store: (account: string) => { readonly words: readonly string[]; readonly input: (secret: string) => string };
  readonly find: (account: string) => readonly string[];
  readonly remove: (account: string) => readonly string[];
}

/** Secrets are passed on stdin, because every user can see the arguments of a process. */
const PROGRAMS: Readonly<Partial<Record<NodeJS.Platform, Program>>> = {
  linux: {
    programs: ['/usr/bin/secret-tool', '/usr/local/bin/secret-tool', '/run/current-system/sw/bin/secret-tool'],
    store: (account) => ({ words: ['store', '--label', 'Synapse', 'service', SERVICE, 'account', account], input: (secret) => secret }),
    find: (account) => ['lookup', 'service', SERVICE, 'account', account],
    remove: (account) => ['clear', 'service', SERVICE, 'account', account],
  },
  darwin: {
    programs: ['/usr/bin/security'],
    store: (account) => ({
      words: ['-i'],
      input: (secret) => `add-generic-password -U -s ${SERVICE} -a ${account} -w '${secret}'\n`,
    }),
    find: (account) => ['find-generic-password', '-s', SERVICE, '-a', account, '-w'],
    remove: (account) => ['delete-generic-password', '-s', SERVICE, '-a', account],
  },
};

/** Returns the keychain of this system; undefined if there is none that Synapse supports. */
export function systemKeychain(
  platform: NodeJS.Platform = process.platform,
  environment: NodeJS.ProcessEnv = process.env,
  programs: readonly string[] = PROGRAMS[platform]?.programs ?? [],
): Keychain | undefined {
  const known = PROGRAMS[platform];
  const program = programs.find((path) => existsSync(path));
  if (known === undefined || program === undefined) return undefined;
  const run = (words: readonly string[], input = ''): string | undefined => {
    const { status, stdout } = spawnSync(program, words, { input, encoding: 'utf8', timeout: TIMEOUT_MS, env: environment });
    return status === 0 ? stdout.trim() : undefined;
  };
  const find = (account: string): string | undefined => run(known.find(account)) || undefined;
  return {
    store: (account, secret) => {
      const { words, input } = known.store(account);
      // Read the secret back: if the program reports success but stores nothing, the key would be lost.
      return run(words, input(secret)) !== undefined && find(account) === secret;
    },
    find,
    remove: (account) => void run(known.remove(account)),
  };
}
