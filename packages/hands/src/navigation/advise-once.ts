/** Maximum number of remembered advices. An older one is given again. */
const MAX_GIVEN = 1_000;

const given = new Set<string>();

/** Whom an advice is for. */
export interface Advised {
  /** A caller without a session may be another one each time. */
  readonly session: string | undefined;
  readonly root: string;
}

/** Returns an advice for the first answer of a session that needs it. It costs more than the answers that follow, and stays true. */
export function adviseOnce(advice: string, { session, root }: Advised): string | undefined {
  if (session === undefined) return advice;
  const key = JSON.stringify([session, root, advice]);
  if (given.has(key)) return undefined;
  given.add(key);
  const [oldest] = given;
  if (given.size > MAX_GIVEN && oldest !== undefined) given.delete(oldest);
  return advice;
}
