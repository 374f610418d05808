/** Words for next steps, blockers and done items, in the languages that logs are often written in. */
const NEXT_WORDS = [
  String.raw`next\s+(?:steps?|up|time|session)|what['’]?s\s+next|to-?dos?|upcoming|planned(?:\s+features)?|plans?|roadmap|future\s+work`,
  String.raw`nächste[rs]?\s+schritte?|als\s+nächstes|noch\s+(?:zu\s+tun|offen)|zu\s+erledigen|geplant|offene\s+(?:punkte|fragen|aufgaben)|aufgaben`,
  String.raw`à\s+faire|reste\s+à\s+faire|prochaines?\s+étapes?|prévu`,
  String.raw`próximos\s+pas(?:os|sos)|por\s+hacer|pendientes?|tareas\s+pendientes|a\s+fazer|pendências`,
  String.raw`prossimi\s+passi|da\s+fare|volgende\s+stappen|nog\s+te\s+doen`,
].join('|');

/** The same words as labels before a colon. */
export const FOREIGN_LABELS = String.raw`${NEXT_WORDS.slice(NEXT_WORDS.indexOf('nächste'))}|offen|blockiert|hängt(?:\s+an)?|festgefahren|bloquée?|bloqueado`;
export const FOREIGN_STUCK = 'blockiert|hängt|festgefahren|bloquée?|bloqueado';
export const FOREIGN_DONE = 'erledigt|fertig|terminé|fait|hecho|feito|fatto|klaar';

/** Matches a heading that consists of such words only. In a README, `Next.js` does not match. */
export const PLAN_HEADING = new RegExp(String.raw`^[^\p{L}\p{N}]*(?:${NEXT_WORDS})[^\p{L}\p{N}]*$`, 'iu');
/** Matches such words anywhere in a heading of a log. */
export const FOREIGN_NEXT = new RegExp(String.raw`(?<![\p{L}\p{N}])(?:${FOREIGN_LABELS})(?![\p{L}\p{N}])`, 'iu');
