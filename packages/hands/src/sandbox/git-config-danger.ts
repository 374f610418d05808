/** Settings that only describe a repository. All others could name a program, a file to include, or another place. */
const HARMLESS: readonly RegExp[] = [
  /^core\.(?:repositoryformatversion|filemode|bare|logallrefupdates|ignorecase|precomposeunicode|symlinks|autocrlf|eol|sparsecheckout|sparsecheckoutcone)$/u,
  /^remote\.(?:fetch|tagopt|promisor|partialclonefilter|prune)$/u,
  /^branch\.(?:remote|merge|rebase)$/u,
  /^user\.(?:name|email)$/u,
  /^extensions\.(?:objectformat|refstorage|partialclone)$/u,
  /^submodule\.active$/u,
  /^(?:init\.defaultbranch|pull\.rebase|pull\.ff|push\.default|fetch\.prune|lfs\.repositoryformatversion)$/u,
];
const ADDRESS = /^(?:remote\.(?:url|pushurl)|submodule\.url)$/u;
/** `ext::sh -c …` runs a command, `fd::` takes a descriptor, a leading dash is an option of ssh. */
const PLAIN_ADDRESS = /^(?!-)(?!.*::)[^\0]+$/u;

const HEADER = /^\s*\[\s*(?<section>[-.\w]+)(?:\s+"(?:[^"\\]|\\.)*")?\s*\]/u;
const SETTING = /^\s*(?<key>[a-z][-\da-z]*)\s*(?:=\s*(?<value>.*?)\s*)?$/iu;

function isHarmless(name: string, value: string): boolean {
  if (ADDRESS.test(name)) return PLAIN_ADDRESS.test(value.replaceAll('"', ''));
  return HARMLESS.some((pattern) => pattern.test(name));
}

/** A setting that could make git run something, or that cannot be understood. */
interface Danger {
  /** Such as `core.hookspath`, or `unreadable`. */
  readonly name: string;
  readonly value: string;
  /** Its section and line as they are written: the same danger is written the same. */
  readonly written: string;
}

function* dangersIn(text: string): Generator<Danger> {
  let section = '';
  let header = '';
  for (const raw of text.replaceAll('\r\n', '\n').split('\n')) {
    let line = raw;
    const found = HEADER.exec(line);
    if (found !== null) {
      section = found.groups?.['section']?.toLowerCase() ?? '';
      header = found[0].trim();
      line = line.slice(found[0].length);
    }
    if (/^\s*(?:[#;]|$)/u.test(line)) continue;
    const written = `${header}\n${line.trim()}`;
    const setting = SETTING.exec(line);
    // A continued line would be read here as something else than git reads.
    if (setting === null || line.endsWith('\\') || section === '') {
      yield { name: 'unreadable', value: line, written };
      continue;
    }
    const name = `${section}.${(setting.groups?.['key'] ?? '').toLowerCase()}`;
    const value = setting.groups?.['value'] ?? 'true';
    if (!isHarmless(name, value)) yield { name, value, written };
  }
}

/**
 * The settings of a git configuration that could make git run something, or that cannot be understood.
 * An allow-list: git learns new settings that name programs more often than this file is read.
 */
export function dangerousSettings(text: string): string[] {
  return [...new Set(Array.from(dangersIn(text), ({ name }) => name))];
}

/**
 * The dangerous settings that a configuration has and an earlier one had not: what a person set stays theirs.
 *
 * @param isHarmless tells of further settings that do no harm where this configuration lies
 */
export function newDangerousSettings(before: string, after: string, isHarmless: (name: string, value: string) => boolean = () => false): string[] {
  const known = new Set(Array.from(dangersIn(before), ({ written }) => written));
  const found = Array.from(dangersIn(after)).filter(({ name, value, written }) => !known.has(written) && !isHarmless(name, value));
  return [...new Set(found.map(({ name }) => name))];
}
