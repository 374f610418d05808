import fc from 'fast-check';
import { expect, it } from 'vitest';
import { listingText, OrderedListing, type TreeEntry } from './listing.ts';

const entry: TreeEntry = { kind: 'f', hash: '0'.repeat(64) };

it('keeps the order of names that come and go', () => {
  const name = fc.constantFrom('a', 'b', 'B', '\u00FF', 'é', '10', '9');
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.constantFrom('set', 'delete', 'list'), name)), (steps) => {
      const entries = new OrderedListing<TreeEntry>();
      for (const [what, on] of steps) {
        if (what === 'set') entries.set(on, entry);
        else if (what === 'delete') entries.delete(on);
        else expect(entries.names()).toEqual([...entries.keys()].toSorted());
      }
      expect(listingText(entries, entries.names())).toBe(listingText(new Map(entries)));
    }),
  );
});
