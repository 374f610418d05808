import {
  differing,
  isExecutable,
  isLink,
  linesOf,
  must,
  PATHS,
  textOf,
  type Content,
  type Contents,
  type Name,
  type Path,
  type Who,
} from './content.ts';

/** A file that a branch has a version of. */
export interface Touched {
  /** What the branch saw of the workspace when it changed it first; more than one where that may have been another time. */
  readonly bases: readonly Content[];
  readonly own: Content;
  /** Whether the branch changed nothing of what it saw, so that it may have no version of its own. */
  readonly isLoose: boolean;
}

const UNTOUCHED: Touched = { bases: [], own: null, isLoose: true };

/** A conflict of which a version was chosen. */
interface Chosen {
  readonly branch: Content;
  readonly workspace: Content;
  readonly taken: Content;
}

/** What applying made of the versions of a file. */
interface Outcome {
  readonly seen: Content;
  readonly now: Content;
}

/** What the branches and the workspace must have. */
export class Sides {
  readonly workspace = new Map<Path, Content>();
  readonly touched = new Map<Name, Map<Path, Touched>>();
  readonly #chosen = new Map<string, Chosen>();
  /** How often each path of the workspace was changed, and the repository. */
  readonly #changed = new Map<Path | '.git', number>();
  readonly #trace: string[] = [];
  readonly figures = { applied: 0, conflicts: 0, merged: 0, parts: 0, chosen: 0 };

  constructor(contents: Contents) {
    for (const [at, content] of contents) this.workspace.set(at, content);
  }

  log(line: unknown): void {
    this.#trace.push(typeof line === 'string' ? line : JSON.stringify(line));
  }

  trace(): string {
    return this.#trace.slice(-60).join('\n');
  }

  changedTimes(at: Path | '.git'): number {
    return this.#changed.get(at) ?? 0;
  }

  changed(at: Path | '.git'): void {
    this.#changed.set(at, this.changedTimes(at) + 1);
  }

  /** @param seen what was there before, as the one who wrote it saw it */
  note(one: Who, at: Path, seen: Content, content: Content): void {
    if (one === 'person') {
      if (this.workspace.get(at) !== content) this.changed(at);
      this.workspace.set(at, content);
      return;
    }
    const touched = this.touched.get(one);
    const known = touched?.get(at);
    const bases = [...(known?.isLoose === false ? [] : [seen]), ...(known?.bases ?? [])];
    // Where the workspace deleted it too, a branch needs no mark, and so has none if it comes back.
    touched?.set(at, { bases, own: content, isLoose: bases.includes(content) || content === null });
  }

  /** Notes all differences of what one had before, and has now. */
  noteAll(one: Who, before: Contents, after: Contents): void {
    for (const at of differing(before, after)) this.note(one, at, before.get(at) ?? null, after.get(at) ?? null);
  }

  choose(branch: Name, at: Path, taken: Content): void {
    const own = this.touched.get(branch)?.get(at)?.own ?? null;
    this.#chosen.set(`${branch} ${at}`, { branch: own, workspace: this.workspace.get(at) ?? null, taken });
  }

  forget(branch: Name): void {
    this.touched.delete(branch);
    for (const at of PATHS) this.#chosen.delete(`${branch} ${at}`);
  }

  /** Whether what applying made of a file is what was chosen for it. */
  #isChosen(branch: Name, at: Path, { seen, now }: Outcome): boolean {
    const chosen = this.#chosen.get(`${branch} ${at}`);
    const own = this.touched.get(branch)?.get(at)?.own ?? null;
    return (
      chosen !== undefined && chosen.branch === own && chosen.workspace === (this.workspace.get(at) ?? null) && chosen.taken === now && seen === now
    );
  }

  /** Whether a branch only changed the permissions of a file, and the workspace has the same. */
  #hasMode(bases: readonly Content[], own: Content, now: Content): boolean {
    const isFile = [own, now].every((one) => one !== null && !isLink(one));
    return isFile && isExecutable(own) === isExecutable(now) && bases.some((base) => base !== null && !isLink(base) && textOf(base) === textOf(own));
  }

  /** Whether a branch and the workspace have different versions of a file that both are wanted. */
  #isConflict({ bases, own }: Touched, now: Content): boolean {
    return own !== now && !bases.includes(own) && own !== null && !this.#hasMode(bases, own, now);
  }

  /** Checks that a version made of two has the new lines of each side, and no others. */
  #checkMerged({ bases, own }: Touched, before: Content, now: Content, why: string): void {
    const isKept = (line: string): boolean => linesOf(now).includes(line);
    const news = (base: Content): string[] => [before, own].flatMap(linesOf).filter((line) => !linesOf(base).includes(line));
    must(
      bases.map(news).some((lines) => lines.every(isKept)),
      `lost: ${why}`,
    );
    for (const line of linesOf(now)) must([before, own].flatMap(linesOf).includes(line), `written by neither side: ${line}: ${why}`);
  }

  /** Compares what applying made of a file with what it may make of it. */
  settle(branch: Name, at: Path, outcome: Outcome): void {
    const version = this.touched.get(branch)?.get(at) ?? UNTOUCHED;
    const { bases, own } = version;
    const { seen, now } = outcome;
    const before = this.workspace.get(at) ?? null;
    const why = JSON.stringify({ branch, at, bases, own, before, now, seen });
    this.#trace.push(why);
    const touched = this.touched.get(branch);
    if (this.#isChosen(branch, at, outcome)) {
      this.note('person', at, before, now);
      touched?.delete(at);
      this.figures.chosen += 1;
      return;
    }
    if (now !== before) {
      // Each side's new lines are there, or the workspace had what the branch began with.
      if (now !== own || !bases.includes(before)) {
        this.#checkMerged(version, before, now, why);
        this.figures.merged += 1;
      }
      this.note('person', at, before, now);
      this.figures.applied += 1;
    } else if (this.#isConflict(version, now)) {
      must(seen === own, `the version of the branch is lost: ${why}`);
      this.figures.conflicts += 1;
    }
    must(seen === own || seen === now, `written by neither side: ${why}`);
    if (seen !== now) return;
    // Of what is the same on both sides by chance, and was not chosen, the branch began with what it did before.
    if (now === before) touched?.set(at, { bases: [...bases, now], own: now, isLoose: true });
    else touched?.delete(at);
  }

  /** The same of a file of which a part was applied: the branch has all of it, and what the workspace has is a part of that. */
  settlePart(branch: Name, at: Path, { seen, now }: Outcome): void {
    const { bases, own } = this.touched.get(branch)?.get(at) ?? UNTOUCHED;
    const before = this.workspace.get(at) ?? null;
    const why = JSON.stringify({ branch, at, bases, own, before, now, seen });
    this.#trace.push(why);
    if (now === before) return;
    const news = (side: Content, base: Content): string[] => linesOf(side).filter((line) => !linesOf(base).includes(line));
    const isWhole = bases.some((base) => {
      const theirs = base === before ? [] : news(before, base);
      return [...theirs, ...news(own, base)].every((line) => linesOf(seen).includes(line)) && theirs.every((line) => linesOf(now).includes(line));
    });
    must(isWhole, `lost by a part: ${why}`);
    for (const line of linesOf(now)) must([before, own].flatMap(linesOf).includes(line), `written by neither side: ${line}: ${why}`);
    this.note('person', at, before, now);
    this.touched.get(branch)?.set(at, { bases: [now], own: seen, isLoose: false });
    this.figures.parts += 1;
  }

  /** A part that was applied was taken back: the workspace has what it had before, which the rest of the branch was made from too. */
  partTakenBack(touched: Map<Path, Touched> | undefined, at: Path): void {
    const known = touched?.get(at);
    if (known !== undefined) touched?.set(at, { ...known, bases: [...known.bases, this.workspace.get(at) ?? null] });
  }
}
