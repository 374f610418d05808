import { placeText, wayText, type Secret } from '@synapse/hands/internal';

/** What may be shown of a secret: everything but its value. */
export function shownSecret({ name, also, places, added }: Secret) {
  return { name, also, places: places.map((place) => ({ host: placeText(place), as: wayText(place.as) })), added };
}
