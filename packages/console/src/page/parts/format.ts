/** Formats milliseconds for display. */
export function duration(ms: number | undefined): string {
  if (ms === undefined) return '';
  if (ms < 10) return `${ms.toFixed(1)} ms`;
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1_000).toFixed(1)} s`;
  return `${Math.floor(ms / 60_000)} m ${Math.round((ms % 60_000) / 1_000)} s`;
}

/** Formats bytes for display. */
export function size(bytes: number | undefined): string {
  if (bytes === undefined) return '';
  if (bytes < 1_000) return `${bytes} B`;
  if (bytes < 1_000_000) return `${(bytes / 1_000).toFixed(1)} kB`;
  return `${(bytes / 1_000_000).toFixed(1)} MB`;
}

const two = (value: number): string => String(value).padStart(2, '0');

/** Formats a time, with the date if it is not today. */
export function clock(time: number, now = new Date()): string {
  const at = new Date(time);
  const hours = `${two(at.getHours())}:${two(at.getMinutes())}:${two(at.getSeconds())}`;
  return at.toDateString() === now.toDateString() ? hours : `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())} ${hours}`;
}

export function count(amount: number, one: string, many = `${one}s`): string {
  return `${amount.toLocaleString('en')} ${amount === 1 ? one : many}`;
}

const BIDI = /[\u202a-\u202e\u2066-\u2069\u200e\u200f]/gu;

/** Escapes characters in untrusted text that change the direction of text. */
export function visible(text: string): string {
  return text.replaceAll(BIDI, (character) => `\\u${(character.codePointAt(0) ?? 0).toString(16)}`);
}
