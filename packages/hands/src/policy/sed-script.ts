/**
 * A pattern up to its mark. To GNU sed a mark in brackets does not end it, to others it does: `s/[/]/g;s/e;#/x/` is two
 * commands or runs a program. So brackets are only read where both see the same: no mark, backslash or bracket in them.
 */
const pattern = (mark: string): string => String.raw`(?:\\.|\[\^?(?:\[:[a-z]+:\]|[^${mark}\\\n[\]])+\]|[^${mark}\\\n[])*`;
const SED_ADDRESS = String.raw`(?:(?:\d+|\$|/${pattern('/')}/)(?:,(?:\+?\d+|\$|/${pattern('/')}/))?\s*!?)?`;
const SED_SUBSTITUTE = ['/', '|', '#', ',', ':', '@', '~']
  .map((mark) => {
    const end = mark === '|' ? String.raw`\|` : mark;
    return String.raw`s${end}${pattern(mark)}${end}(?:\\.|[^${mark}\\\n])*${end}[gpiIM0-9]*`;
  })
  .join('|');
/** One command, or several, that neither run a program (`e`) nor touch a file (`r`, `w`). */
const SED_SAFE = new RegExp(String.raw`^\s*(?:${SED_ADDRESS}\s*(?:[pdqPDGgHhxnN=]|${SED_SUBSTITUTE})\s*(?:;\s*|$))+$`, 'u');

/** Whether a sed script only changes text. Long scripts are not looked at: the pattern may backtrack. */
export function isPlainSedScript(script: string): boolean {
  return script.length <= 500 && SED_SAFE.test(script);
}
