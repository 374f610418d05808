import { splitRecords } from '../text/record-splitter.ts';

/**
 * A setting as git lists it. Key and value are Latin-1 strings with one character per byte, because git's
 * settings are bytes and need not be UTF-8.
 */
export interface ConfigEntry {
  /** `system`, `global` or `command` for the user's settings; `local` and `worktree` for the repository's. */
  readonly scope: string;
  /** Section and variable in lower case, as git lists them. */
  readonly key: string;
  /** Undefined if the setting has no value, which git reads as true. */
  readonly value: string | undefined;
}

/** Parses `git config --list --show-scope -z`: a scope, then a key with a value after a newline. */
export function parseConfigList(bytes: Buffer): ConfigEntry[] {
  const records = splitRecords(bytes).map((record) => record.toString('latin1'));
  const entries: ConfigEntry[] = [];
  for (let at = 0; at + 1 < records.length; at += 2) {
    const [scope = '', setting = ''] = records.slice(at, at + 2);
    const newline = setting.indexOf('\n');
    entries.push({
      scope,
      key: newline === -1 ? setting : setting.slice(0, newline),
      value: newline === -1 ? undefined : setting.slice(newline + 1),
    });
  }
  return entries;
}

/** Splits a key into section, subsection and variable; the subsection is everything between the first and the last dot. */
export function splitKey(key: string): { section: string; subsection: string | undefined; variable: string } {
  const first = key.indexOf('.');
  const last = key.lastIndexOf('.');
  return {
    section: key.slice(0, first),
    subsection: last > first ? key.slice(first + 1, last) : undefined,
    variable: key.slice(last + 1),
  };
}

const VALUE_ESCAPES: Readonly<Record<string, string>> = { '\\': '\\\\', '"': '\\"', '\n': '\\n', '\t': '\\t', '\b': '\\b' };

/** Formats settings as a configuration file, with one section header per setting and all values quoted. */
export function formatConfig(entries: readonly ConfigEntry[]): Buffer {
  let text = '';
  for (const { key, value } of entries) {
    const { section, subsection, variable } = splitKey(key);
    text += subsection === undefined ? `[${section}]\n` : `[${section} "${subsection.replace(/[\\"]/gu, '\\$&')}"]\n`;
    text += value === undefined ? `\t${variable}\n` : `\t${variable} = "${value.replace(/[\\"\n\t\b]/gu, (c) => VALUE_ESCAPES[c] ?? c)}"\n`;
  }
  return Buffer.from(text, 'latin1');
}
