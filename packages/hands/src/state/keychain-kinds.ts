/** The name of all entries of Synapse. */
const SERVICE = 'synapse';

/** One run of the program of a keychain. The value is only on stdin: other users see the arguments of a process. */
export interface KeychainRun {
  readonly words: readonly string[];
  readonly input?: string;
}

/** How a keychain is used. `account` is the name of an entry. */
export interface KeychainKind {
  readonly name: string;
  /** Absolute paths: PATH may contain folders that a command can write. */
  readonly programs: readonly string[];
  readonly install: string;
  readonly save: (account: string, value: string) => KeychainRun;
  readonly read: (account: string) => KeychainRun;
  readonly remove: (account: string) => KeychainRun;
}

/** Quotes a word for `security -i`. */
const quoted = (word: string): string => `"${word.replaceAll(/["\\]/gu, String.raw`\$&`)}"`;

/** The keychains by platform. That of macOS is tested as text only. */
export const KEYCHAINS: Readonly<Partial<Record<NodeJS.Platform, KeychainKind>>> = {
  linux: {
    name: 'the Secret Service',
    programs: ['/usr/bin/secret-tool', '/usr/local/bin/secret-tool', '/bin/secret-tool', '/run/current-system/sw/bin/secret-tool'],
    install: 'Install libsecret-tools (libsecret on other systems than Debian), or leave out --store keychain.',
    save: (account, value) => ({ words: ['store', `--label=Synapse: ${account}`, 'service', SERVICE, 'account', account], input: value }),
    read: (account) => ({ words: ['lookup', 'service', SERVICE, 'account', account] }),
    remove: (account) => ({ words: ['clear', 'service', SERVICE, 'account', account] }),
  },
  darwin: {
    name: 'the keychain',
    programs: ['/usr/bin/security'],
    install: 'It belongs to macOS.',
    // Interactive mode: as an argument, others would see the value.
    save: (account, value) => ({
      words: ['-i'],
      input: `add-generic-password -U -s ${quoted(SERVICE)} -a ${quoted(account)} -w ${quoted(value)}\n`,
    }),
    read: (account) => ({ words: ['find-generic-password', '-s', SERVICE, '-a', account, '-w'] }),
    remove: (account) => ({ words: ['delete-generic-password', '-s', SERVICE, '-a', account] }),
  },
};
