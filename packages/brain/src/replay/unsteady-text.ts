import type { Normalizer, ProvenReason } from './normalizers.ts';

/** Returns a text without what differs in each run for the given reasons. */
export function steadyText(text: string, normalizers: readonly Normalizer[], reasons: readonly ProvenReason[]): string {
  let steady = text;
  for (const { reason, pattern, instead } of normalizers) if (reasons.includes(reason)) steady = steady.replace(pattern, instead ?? `<${reason}>`);
  // Columns move with the width of what is in them.
  return steady.replaceAll(/ {2,}/gu, ' ').replaceAll(/ $/gmu, '');
}

const inOrder = (text: string): string => text.split('\n').toSorted().join('\n');

/** All choices of some reasons, the smallest first. */
function choicesOf(reasons: readonly ProvenReason[]): ProvenReason[][] {
  const choices = reasons.reduce<ProvenReason[][]>((all, reason) => [...all, ...all.map((one) => [...one, reason])], [[]]);
  return choices.toSorted((one, other) => one.length - other.length);
}

const ALL = ['time', 'random', 'disk', 'network', 'timing'] as const;

/**
 * The fewest reasons that explain all of the difference of two texts; undefined if they do not. A reason counts only if both texts are the same
 * without its kinds of text. `timing` also means another order of the same lines.
 */
export function provenReasons(recorded: string, again: string, normalizers: readonly Normalizer[]): ProvenReason[] | undefined {
  if (recorded === again) return [];
  const found = ALL.filter((reason) => [recorded, again].some((text) => steadyText(text, normalizers, [reason]) !== steadyText(text, [], [])));
  for (const reasons of choicesOf([...new Set([...found, 'timing' as const])])) {
    const [one = '', other = ''] = [recorded, again].map((text) => steadyText(text, normalizers, reasons));
    if (one === other || (reasons.includes('timing') && inOrder(one) === inOrder(other))) return reasons;
  }
  return undefined;
}

/** The reasons for which a text differs in each run, if it holds nothing else. */
export function unsteadyAlone(text: string, normalizers: readonly Normalizer[]): ProvenReason[] {
  const reasons = ALL.filter((reason) => steadyText(text, normalizers, [reason]) !== steadyText(text, [], []));
  const rest = steadyText(text, normalizers, reasons).replaceAll(/<\w+>/gu, '');
  return /[\p{L}\p{N}]/u.test(rest) ? [] : reasons;
}
