/** A line and the commit that it comes from. */
export interface BlamedLine {
  /** From 1. */
  readonly line: number;
  readonly sha: string;
  readonly author: string;
  /** ISO 8601, in UTC. */
  readonly date: string;
  readonly text: string;
  /** Whether the line is not committed yet. */
  readonly uncommitted: boolean;
}

interface Origin {
  author: string;
  date: string;
}

const HEADER = /^([0-9a-f]{40}(?:[0-9a-f]{24})?) \d+ (\d+)(?: \d+)?$/u;
const NO_COMMIT = /^0+$/u;

/**
 * Reads `git blame --porcelain`, line by line: a header with id and line number, facts about the commit
 * where it is seen for the first time, and the text after a tab.
 */
export class BlameParser {
  readonly lines: BlamedLine[] = [];
  readonly #origins = new Map<string, Origin>();
  #sha = '';
  #line = 0;

  readonly take = (record: Buffer): void => {
    const text = record.toString('utf8');
    if (text.startsWith('\t')) {
      this.lines.push({ line: this.#line, sha: this.#sha, ...this.#origin(), text: text.slice(1), uncommitted: NO_COMMIT.test(this.#sha) });
      return;
    }
    const header = HEADER.exec(text);
    if (header !== null) {
      [, this.#sha = ''] = header;
      this.#line = Number(header[2]);
    } else if (text.startsWith('author ')) this.#origin().author = text.slice('author '.length);
    else if (text.startsWith('author-time ')) this.#origin().date = isoDate(Number(text.slice('author-time '.length)));
  };

  #origin(): Origin {
    const known = this.#origins.get(this.#sha);
    if (known !== undefined) return known;
    const origin = { author: '', date: '' };
    this.#origins.set(this.#sha, origin);
    return origin;
  }
}

/** A commit may claim any time, also one that no calendar has. */
function isoDate(seconds: number): string {
  const date = new Date(seconds * 1000);
  return Number.isNaN(date.getTime()) ? '' : date.toISOString().replace('.000Z', 'Z');
}
