/** One setting of a git configuration, unparsed. */
export interface GitSetting {
  /** `section.key`, without a subsection, in lower case. */
  readonly name: string;
  readonly subsection: string;
  /** As written, with quotes and comments. */
  readonly value: string;
}

const HEADER = /^\s*\[\s*(?<section>[-.\w]+)(?:\s+"(?<subsection>(?:[^"\\]|\\.)*)")?\s*\]/u;
/** The value is trimmed later: a pattern for that takes quadratic time for a line with many blanks. */
const SETTING = /^\s*(?<key>[a-z][-\da-z]*)\s*(?:=(?<value>[\s\S]*))?$/iu;

/** What other programs take for the end of a line. */
const LINE_BREAK = /[\r\u2028\u2029]/u;

/** Reads a setting of a section; undefined if git may interpret the line differently. */
function settingIn(section: string, subsection: string, line: string): GitSetting | undefined {
  const groups = SETTING.exec(line)?.groups;
  const value = groups?.['value']?.trim() ?? 'true';
  // git would interpret a continued line differently.
  if (groups === undefined || LINE_BREAK.test(value) || line.endsWith('\\') || section === '') return undefined;
  return { name: `${section}.${(groups['key'] ?? '').toLowerCase()}`, subsection, value };
}

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
    const setting = settingIn(section, subsection, line);
    if (setting === undefined) isReadable = false;
    else settings.push(setting);
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
