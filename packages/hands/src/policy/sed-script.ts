/** One `sed` command that neither runs a program (`e`) nor touches a file (`r`, `w`). */
const SED_ADDRESS = String.raw`(?:(?:\d+|\$|/(?:\\.|[^/\\\n])*/)(?:,(?:\+?\d+|\$|/(?:\\.|[^/\\\n])*/))?\s*!?)?`;
const SED_SUBSTITUTE = ['/', '|', '#', ',', ':', '@', '~']
  .map((mark) => {
    const part = String.raw`(?:\\.|[^${mark}\\\n])*`;
    return `s${mark === '|' ? String.raw`\|` : mark}${part}${mark === '|' ? String.raw`\|` : mark}${part}${mark === '|' ? String.raw`\|` : mark}[gpiIM0-9]*`;
  })
  .join('|');
const SED_SAFE = new RegExp(String.raw`^\s*(?:${SED_ADDRESS}\s*(?:[pdqPDGgHhxnN=]|${SED_SUBSTITUTE})\s*(?:;\s*|$))+$`, 'u');

/** Whether a sed script only changes text. Long scripts are not looked at: the pattern may backtrack. */
export function isPlainSedScript(script: string): boolean {
  return script.length <= 500 && SED_SAFE.test(script);
}
