/** Whether a value of JSON is nested deeper than so many levels. It calls nothing of itself: a stranger's value may be of any depth. */
export function isDeeper(value: unknown, levels: number): boolean {
  let level: object[] = typeof value === 'object' && value !== null ? [value] : [];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth === levels) return true;
    const next: object[] = [];
    for (const one of level) for (const inner of Object.values(one)) if (typeof inner === 'object' && inner !== null) next.push(inner);
    level = next;
  }
  return false;
}
