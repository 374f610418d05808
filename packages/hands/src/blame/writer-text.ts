import type { Facts } from './line-facts.ts';

const ID_CHARACTERS = 8;
const WORDS: Readonly<Record<Facts['by'], string>> = {
  hands: 'hands',
  'person-or-other': 'a person or another program',
  before: 'before Synapse',
  unknown: 'not known',
};

type Shown = Pick<Facts, 'by' | 'tool' | 'call' | 'branch'>;

function oneText({ by, tool, call, branch }: Shown): string {
  if (by !== 'hands') return WORDS[by];
  return `${tool ?? WORDS.hands} ${call?.slice(0, ID_CHARACTERS) ?? ''}${branch === undefined ? '' : ` in ${branch}`}`;
}

/** Who wrote a line, in words: `edit_file 1a2b3c4d in fix-login, formatting a person or another program`. */
export function writerText({ formatted, ...line }: Shown & { readonly formatted?: Shown | undefined }): string {
  return `${oneText(line)}${formatted === undefined ? '' : `, formatting ${oneText(formatted)}`}`;
}
