/**
 * Divides an amount among needs: who needs less than an equal share gets all of it, and what is left goes to the others.
 *
 * @param total an integer
 */
export function fairShares(needs: readonly number[], total: number): number[] {
  const shares = needs.map(() => 0);
  let left = total;
  let waiting = needs.length;
  for (const [index, need] of [...needs.entries()].toSorted(([, one], [, other]) => one - other)) {
    const share = Math.min(need, Math.floor(left / waiting));
    shares[index] = share;
    left -= share;
    waiting -= 1;
  }
  return shares;
}
