import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { childEnvironment } from '../process/environment.ts';
import { withBoundedMemory } from '../process/bounded-memory.ts';
import { pathOutside } from '../process/path-outside.ts';
import type { HomeFile } from '../sandbox/run-files.ts';
import { type ConfigEntry, formatConfig, parseConfigList } from './git-config.ts';
import { LIST_MEMORY_KIB, LIST_MS, LIST_SETTINGS } from './git-environment.ts';
import { isUserSetting } from './safe-config.ts';
import { existsSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

/** The folder of the user with settings and lists of git. */
function userFolder(): string {
  const given = process.env['XDG_CONFIG_HOME'] ?? '';
  return join(given === '' ? join(homedir(), '.config') : given, 'git');
}

/** Returns the files of the user and the system with settings that git reads in every repository. */
export function userSettingsFiles(): readonly string[] {
  return [join(homedir(), '.gitconfig'), join(userFolder(), 'config'), '/etc/gitconfig'];
}

/** Returns a stamp that changes with the user's and system's files that git reads in every repository. */
export function userSettingsStamp(): string {
  return [...userSettingsFiles(), join(userFolder(), 'ignore'), join(userFolder(), 'attributes')]
    .map((file) => {
      // The home folder may be closed to this user, and so to git: then nothing exists in it.
      const stat = existsSync(file) ? statSync(file, { throwIfNoEntry: false }) : undefined;
      return stat === undefined ? '' : `${stat.ino}:${stat.size}:${stat.mtimeMs}:${stat.ctimeMs}`;
    })
    .join();
}

const execute = promisify(execFile);

const MAX_BYTES = 1024 * 1024;

/**
 * The user's settings that commands receive. None of them names a program, a file, or a key. Signing with gpg is left out:
 * its keys are not available to commands, so a commit would fail.
 */
const KEPT: ReadonlyArray<readonly [key: RegExp, reason: string]> = [
  [/^(?:user|author|committer)\.(?:name|email)$/u, 'who commits'],
  [/^user\.useconfigonly$/u, 'a person with several identities wants none guessed'],
  [/^format\.signoff$/u, 'signing off patches'],
  [/^init\.defaultbranch$/u, 'the name of the first branch'],
  [
    /^core\.(?:autocrlf|eol|safecrlf|whitespace|quotepath|abbrev|commentchar|ignorecase|precomposeunicode|longpaths)$/u,
    'how files and names are written',
  ],
  [/^(?:pull\.(?:rebase|ff)|push\.(?:default|autosetupremote|followtags)|fetch\.(?:prune|prunetags))$/u, 'what pull and push mean'],
  [/^(?:merge\.(?:ff|conflictstyle|renames|stat|log)|rerere\.(?:enabled|autoupdate))$/u, 'how merges go'],
  [/^rebase\.(?:autosquash|autostash|updaterefs|abbreviatecommands|stat|missingcommitscheck)$/u, 'how rebases go'],
  [/^diff\.(?:algorithm|renames|renamelimit|colormoved|mnemonicprefix|noprefix|context|indentheuristic)$/u, 'how differences look'],
  [
    /^(?:commit\.(?:verbose|status|cleanup)|log\.(?:date|decorate|follow|abbrevcommit)|branch\.(?:sort|autosetupmerge|autosetuprebase)|tag\.sort)$/u,
    'how lists look',
  ],
  [/^(?:status|column|advice)\.[-\da-z]+$/u, 'how lists look'],
];
const ALIAS = /^alias\./u;

function isKept({ key, value = '' }: ConfigEntry): boolean {
  // An alias that begins with ! runs a program.
  if (ALIAS.test(key)) return !value.trimStart().startsWith('!');
  return KEPT.some(([kept]) => kept.test(key));
}

/** Formats the user's settings for commands as the text of a configuration. */
export function personSettings(entries: readonly ConfigEntry[]): string {
  const kept = entries.filter((entry) => isUserSetting(entry) && isKept(entry) && !/[\n\0]/u.test(entry.key));
  return formatConfig(kept).toString('latin1');
}

/**
 * Reads the user's git settings, including includes and conditions on the folder, and returns those for commands. The
 * original files are never shown: they name credential helpers, editors and hooks.
 */
export class PersonConfig {
  readonly #root: string;
  readonly #variables: Readonly<Record<string, string | undefined>>;
  #known: { readonly stamp: string; readonly text: Promise<string> } | undefined;

  constructor(root: string, variables: Readonly<Record<string, string | undefined>> = process.env) {
    this.#root = root;
    this.#variables = variables;
  }

  /** Returns the configuration as a file of the home folder of commands; empty if git or the settings are missing. */
  readonly homeFiles = async (): Promise<readonly HomeFile[]> => {
    const stamp = userSettingsStamp();
    if (this.#known?.stamp !== stamp) this.#known = { stamp, text: this.#read() };
    return [{ name: '.gitconfig', content: await this.#known.text }];
  };

  /** Without the programs of the workspace: this git runs outside of any sandbox. */
  #environment(): Record<string, string> {
    const environment = childEnvironment(this.#variables);
    return { ...environment, PATH: pathOutside(environment['PATH'] ?? '', this.#root) };
  }

  async #read(): Promise<string> {
    const list = async (cwd: string): Promise<string> => {
      const [program, ...given] = withBoundedMemory(['git', ...LIST_SETTINGS], LIST_MEMORY_KIB);
      const { stdout } = await execute(program, given, {
        cwd,
        env: this.#environment(),
        encoding: 'buffer',
        timeout: LIST_MS,
        killSignal: 'SIGKILL',
        maxBuffer: MAX_BYTES,
      });
      return personSettings(parseConfigList(stdout));
    };
    try {
      return await list(this.#root);
    } catch {
      // If the repository's settings are unreadable, read the user's alone. This also fails if git is missing.
      return await list('/').catch(() => '');
    }
  }
}
