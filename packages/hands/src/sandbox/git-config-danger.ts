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

/**
 * The settings of a git configuration that could make git run something, or that cannot be understood.
 * An allow-list: git learns new settings that name programs more often than this file is read.
 */
export function dangerousSettings(text: string): string[] {
  const found = new Set<string>();
  let section = '';
  for (const raw of text.replaceAll('\r\n', '\n').split('\n')) {
    let line = raw;
    const header = HEADER.exec(line);
    if (header !== null) {
      section = header.groups?.['section']?.toLowerCase() ?? '';
      line = line.slice(header[0].length);
    }
    if (/^\s*(?:[#;]|$)/u.test(line)) continue;
    const setting = SETTING.exec(line);
    // A continued line would be read here as something else than git reads.
    if (setting === null || line.endsWith('\\') || section === '') {
      found.add('unreadable');
      continue;
    }
    const name = `${section}.${(setting.groups?.['key'] ?? '').toLowerCase()}`;
    if (!isHarmless(name, setting.groups?.['value'] ?? 'true')) found.add(name);
  }
  return [...found];
}
