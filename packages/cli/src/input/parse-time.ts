/** Time units in milliseconds. */
const UNITS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 };

/** A date alone means local midnight; `Date` would use UTC. */
const DATE = /^\d{4}-\d{2}-\d{2}$/u;

/** Parses a time: how long ago (`2h`), or when (`2026-11-20T09:30`). */
export function parseTime(text: string, now: Date): Date | undefined {
  const [, amount, unit = ''] = /^(\d{1,6})([smhdw])$/u.exec(text) ?? [];
  if (amount !== undefined) return new Date(now.getTime() - Number(amount) * (UNITS[unit] ?? 0));
  if (!/^\d{4}-\d{2}-\d{2}/u.test(text)) return undefined;
  const date = new Date(DATE.test(text) ? `${text}T00:00` : text);
  return Number.isNaN(date.getTime()) ? undefined : date;
}
