import { ADDRESSES } from './address-attacks.ts';
import { ARGUMENTS, GIT_ARGUMENTS } from './argument-attacks.ts';
import type { Attack } from './attack.ts';
import { LINKS, PATH_STRINGS } from './path-attacks.ts';
import { MOVES, PERSISTENCE, PIECES } from './persistence-attacks.ts';
import { RESOURCES } from './resource-attacks.ts';

/** All rows in execution order: some leave files that later ones need. */
export const ATTACKS: readonly Attack[] = [
  ...PATH_STRINGS,
  ...LINKS,
  ...RESOURCES,
  ...PERSISTENCE,
  ...PIECES,
  ...MOVES,
  ...GIT_ARGUMENTS,
  ...ARGUMENTS,
  ...ADDRESSES,
];
