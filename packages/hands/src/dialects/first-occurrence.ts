/** How much text around the occurrence is tried, in characters to each side; then the whole file. */
const SURROUNDINGS = [80, 800, 8_000];

/** An edit of one place that is unique in its file. */
export interface UniqueEdit {
  readonly old_text: string;
  readonly new_text: string;
}

function isUnique(content: string, part: string): boolean {
  const first = content.indexOf(part);
  return content.indexOf(part, first + 1) === -1;
}

/**
 * The edit that replaces the first of several occurrences and no other: the text is given with as much
 * around it as makes it unique. Undefined where the content does not hold the text exactly.
 */
export function editFirst(content: string, oldText: string, newText: string): UniqueEdit | undefined {
  const at = oldText === '' ? -1 : content.indexOf(oldText);
  if (at === -1) return undefined;
  for (const characters of [...SURROUNDINGS, content.length]) {
    const before = content.slice(Math.max(0, at - characters), at).replace(/^[\udc00-\udfff]/u, '');
    const after = content.slice(at + oldText.length, at + oldText.length + characters).replace(/[\ud800-\udbff]$/u, '');
    const whole = before + oldText + after;
    if (isUnique(content, whole)) return { old_text: whole, new_text: before + newText + after };
  }
  return undefined;
}
