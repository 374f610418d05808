import type { Facts } from './line-facts.ts';

const ID_CHARACTERS = 8;
const WORDS: Readonly<Record<Facts['by'], string>> = {
  hands: 'hands',
  'person-or-other': 'a person or another program',
  before: 'before Synapse',
  unknown: 'not known',
};

type Shown = Pick<Facts, 'by' | 'tool' | 'call' | 'branch' | 'perhaps'>;

const shownCall = ({ tool, call }: Shown): string => `${tool ?? WORDS.hands} ${call?.slice(0, ID_CHARACTERS) ?? ''}`;

/** What else may have written it, which ran at that time in the workspace itself. */
function perhapsText({ by, perhaps = [] }: Shown): string {
  if (perhaps.length === 0) return '';
  const calls = perhaps.map((one) => shownCall({ by, ...one })).join(' or ');
  return `${by === 'unknown' ? ', perhaps' : ', or'} ${calls} while it ran`;
}

function oneText(shown: Shown): string {
  const { by, branch } = shown;
  if (by !== 'hands') return `${WORDS[by]}${perhapsText(shown)}`;
  return `${shownCall(shown)}${branch === undefined ? '' : ` in ${branch}`}`;
}

/** Who wrote a line, in words: `edit_file 1a2b3c4d in fix-login, formatting a person or another program`. */
export function writerText({ formatted, ...line }: Shown & { readonly formatted?: Shown | undefined }): string {
  return `${oneText(line)}${formatted === undefined ? '' : `, formatting ${oneText(formatted)}`}`;
}
