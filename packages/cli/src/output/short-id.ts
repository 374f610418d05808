/** Length of a shown id, in characters: eight digits of a UUID tell 9,000 calls apart with 99 % probability, and a prefix is enough to name one. */
const SHORT = 8;
const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/u;

/** Shortens an id for display. Ids that a caller chose are shown in full. */
export function shortId(id: string): string {
  return UUID.test(id) ? id.slice(0, SHORT) : id;
}
