const MONTHS =
  'jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sep(?:t(?:ember)?)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?';
const DATES: readonly RegExp[] = [
  /\b(\d{4}-\d{2}-\d{2})\b/u,
  /\b(\d{4}[/.]\d{2}[/.]\d{2})\b/u,
  new RegExp(`\\b(\\d{1,2}\\.? (?:${MONTHS})\\.?,? \\d{4})\\b`, 'iu'),
  new RegExp(`\\b((?:${MONTHS})\\.? \\d{1,2}(?:st|nd|rd|th)?,? \\d{4})\\b`, 'iu'),
];

/** Returns the date in a heading, in milliseconds since 1970. */
export function dateOf(heading: string): number | undefined {
  for (const pattern of DATES) {
    const found = pattern.exec(heading)?.[1];
    if (found === undefined) continue;
    const time = Date.parse(
      `${found
        .replace(/(\d)(?:st|nd|rd|th)\b/u, '$1')
        .replace(/[/.](?=\d)/gu, '-')
        .replace(/[.,]/gu, '')} UTC`,
    );
    return Number.isNaN(time) ? undefined : time;
  }
  return undefined;
}
