import type { Program } from '../program.ts';

/**
 * A pattern up to its delimiter. In GNU sed a delimiter in brackets does not end it, in other seds it does: `s/[/]/g;s/e;#/x/`
 * is either two commands or runs a program. So brackets may not hold a delimiter, backslash or bracket: then both agree.
 */
const pattern = (mark: string): string => String.raw`(?:\\.|\[(?:\^|(?!\^))(?:\[:[a-z]+:\]|[^${mark}\\\n[\]])+\]|[^${mark}\\\n[])*`;
const SED_ADDRESS = String.raw`(?:(?:\d+|\$|/${pattern('/')}/)(?:,(?:\+?\d+|\$|/${pattern('/')}/))?\s*!?)?`;
const SED_SUBSTITUTE = ['/', '|', '#', ',', ':', '@', '~']
  .map((mark) => {
    const end = mark === '|' ? String.raw`\|` : mark;
    return String.raw`s${end}${pattern(mark)}${end}(?:\\.|[^${mark}\\\n])*${end}[gpiIM0-9]*`;
  })
  .join('|');
/** Commands that neither run a program (`e`) nor access a file (`r`, `w`). */
const SED_SAFE = new RegExp(String.raw`\s*${SED_ADDRESS}\s*(?:[pdqPDGgHhxnN=]|${SED_SUBSTITUTE})\s*(?:;|$)`, 'uy');

/**
 * Whether a sed script only changes text. Reads one command after the other: one pattern for all of them has exponentially many
 * ways to divide spaces. Scripts over 500 characters are not checked.
 */
function isPlainSedScript(script: string): boolean {
  if (script.trim() === '' || script.length > 500) return false;
  const end = script.trimEnd().length;
  for (SED_SAFE.lastIndex = 0; SED_SAFE.lastIndex < end;) if (!SED_SAFE.test(script)) return false;
  return true;
}

/** GNU sed. */
export const programs: readonly Program[] = [
  {
    names: 'sed',
    words: {
      options: { script: '-e --expression', code: '-f --file', data: '-l' },
      attached: { suffix: '-i --in-place' },
      first: 'script',
      firstIsOption: '-e --expression -f --file',
      operands: 'read',
      switches: { readWrite: '-i --in-place' },
      check: isPlainSedScript,
    },
    flags: 'nErsuz quiet silent regexp-extended separate unbuffered null-data posix sandbox debug line-length=',
  },
];
