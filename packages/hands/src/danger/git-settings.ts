/** One setting of a git configuration, unparsed. */
export interface GitSetting {
  /** `section.key`, without a subsection, in lower case. */
  readonly name: string;
  readonly subsection: string;
  /** As written, with quotes and comments. */
  readonly value: string;
}

const HEADER = /^\s*\[\s*(?<section>[-.\w]+)(?:\s+"(?<subsection>(?:[^"\\]|\\.)*)")?\s*\]/u;
const SETTING = /^\s*(?<key>[a-z][-\da-z]*)\s*(?:=\s*(?<value>.*?)\s*)?$/iu;

/** Parses a git configuration. A line that git may interpret differently counts as unreadable. */
export function readSettings(text: string): { settings: GitSetting[]; isReadable: boolean } {
  const settings: GitSetting[] = [];
  let isReadable = true;
  let section = '';
  let subsection = '';
  for (const raw of text.replaceAll('\r\n', '\n').split('\n')) {
    let line = raw;
    const header = HEADER.exec(line);
    if (header !== null) {
      section = header.groups?.['section']?.toLowerCase() ?? '';
      subsection = header.groups?.['subsection'] ?? '';
      line = line.slice(header[0].length);
    }
    if (/^\s*(?:[#;]|$)/u.test(line)) continue;
    const setting = SETTING.exec(line);
    // git would interpret a continued line differently.
    if (setting === null || line.endsWith('\\') || section === '') isReadable = false;
    else
      settings.push({ name: `${section}.${(setting.groups?.['key'] ?? '').toLowerCase()}`, subsection, value: setting.groups?.['value'] ?? 'true' });
  }
  return { settings, isReadable };
}

/** Returns a value as git interprets it: without quotes and comments. */
export function plainValue(value: string): string {
  let plain = '';
  let quoted = false;
  for (let index = 0; index < value.length; index += 1) {
    const character = value.charAt(index);
    if (character === '\\') {
      index += 1;
      plain += value.charAt(index);
    } else if (character === '"') quoted = !quoted;
    else if (!quoted && (character === '#' || character === ';')) break;
    else plain += character;
  }
  return plain.trim();
}
