/** Formats a count with its noun, such as `1 line` or `2,000 lines`. */
export function count(amount: number, noun: string, plural = `${noun}s`): string {
  return `${amount.toLocaleString('en')} ${amount === 1 ? noun : plural}`;
}

/** Formats a size in bytes, such as `1.2KB`. */
export function size(bytes: number): string {
  if (bytes < 1000) return `${bytes}B`;
  const units = ['KB', 'MB', 'GB', 'TB'];
  let value = bytes / 1000;
  let unit = 0;
  while (value >= 999.95 && unit < units.length - 1) {
    value /= 1000;
    unit += 1;
  }
  return `${value.toFixed(1)}${units[unit]}`;
}
