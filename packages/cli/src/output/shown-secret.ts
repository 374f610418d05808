import { placeText, wayText, type KnownSecret } from '@synapse/hands/internal';

/** What may be shown of a secret: everything but its value. */
export function shownSecret({ name, also, places, added, store }: KnownSecret) {
  return { name, also, places: places.map((place) => ({ host: placeText(place), as: wayText(place.as) })), added, store };
}
