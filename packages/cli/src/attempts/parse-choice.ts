/** What a person answered to the question which attempt to apply. */
export type Choice =
  | { readonly does: 'apply'; readonly at: number }
  | { readonly does: 'show'; readonly at: number }
  | { readonly does: 'nothing' }
  | { readonly does: 'unclear' };

/** @param number of attempts that can be chosen */
export function parseChoice(answer: string, number: number): Choice {
  const text = answer.trim().toLowerCase();
  if (text === 'n' || text === 'no' || text === '') return { does: 'nothing' };
  if (number === 1 && (text === 'y' || text === 'yes')) return { does: 'apply', at: 0 };
  const { shows, digits } = /^(?<shows>d\s*)?(?<digits>\d{1,3})$/u.exec(text)?.groups ?? {};
  const at = Number(digits) - 1;
  if (digits === undefined || at < 0 || at >= number) return { does: 'unclear' };
  return shows === undefined ? { does: 'apply', at } : { does: 'show', at };
}
