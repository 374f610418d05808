/** The methods and paths of a rule about requests. */
export interface RequestPattern {
  readonly methods: ReadonlySet<string> | undefined;
  readonly path: string;
  /** Whether it covers a request, however a server reads its path. */
  covers(method: string, path: string): boolean;
  /** Whether it covers a request in any way in which a server may read it, or if the path can be read as anything. */
  mayCover(method: string, path: string): boolean;
}

const METHODS = /^(?:\*|[A-Z]{1,20}(?:\|[A-Z]{1,20})*)$/u;
const PATH = /^\/[\x21-\x7e]*$/u;
const escape = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\/]/gu, String.raw`\$&`);

/** `*` within a segment, `**` for any segments; a `/**` at the end also stands for nothing. */
function pathMatcher(pattern: string, flags: string): RegExp {
  const isOpen = pattern.endsWith('/**');
  const body = (isOpen ? pattern.slice(0, -3) : pattern)
    .split(/(\*\*|\*)/u)
    .map((piece) => (piece === '**' ? '.*' : piece === '*' ? '[^/]*' : escape(piece)))
    .join('');
  return new RegExp(`^${body}${isOpen ? '(?:/.*)?' : ''}$`, flags);
}

/**
 * What leads elsewhere: `.` or `..` as a segment, with what Windows leaves out at its end, `\\`, `//`, `;`, a `?` or `#` that was encoded, an encoding,
 * control characters.
 */
const LEADS_ELSEWHERE = /[\\;?#%\p{Cc}]|\/\/|\/\.[. ]*(?:\/|$)/u;

/**
 * The ways in which servers may read a path, without its query: as it stands, decoded, and with letters of other widths as usual ones. Undefined
 * if it can lead anywhere: with `.` or `..` as a segment, `\\`, `//`, `;`, `#`, an encoded `?`, control characters, bytes that are not ASCII, or an encoding in
 * an encoding.
 */
export function readingsOf(path: string): readonly string[] | undefined {
  const plain = path.split('?', 1)[0] ?? '';
  // A fragment is for programs; a server that gets one may take it for a part of the path.
  if (!/^\/[\x21-\x7e]*$/u.test(plain) || path.includes('#')) return undefined;
  let decoded: string;
  try {
    decoded = decodeURIComponent(plain);
  } catch {
    return undefined;
  }
  const usual = decoded.normalize('NFKC');
  return [decoded, usual].some((reading) => LEADS_ELSEWHERE.test(reading)) ? undefined : [...new Set([plain, decoded, usual])];
}

/** How a server that does not tell these apart reads a path: without dots and spaces at the ends of segments, and without a slash at the end. */
const trimmed = (reading: string): string => reading.replaceAll(/[. ]+(?=\/|$)/gu, '').replace(/(?<=.)\/+$/u, '');

/**
 * Compiles the words of a rule after its host: methods, a path, or both.
 *
 * @returns the pattern, or a message about what is wrong with it
 */
export function compileRequestPattern(words: readonly string[]): RequestPattern | string {
  const [first = '', second, ...more] = words;
  const hasMethods = !first.startsWith('/');
  const path = hasMethods ? (second ?? '/**') : first;
  if (more.length > 0 || (!hasMethods && second !== undefined)) return 'it takes methods and one path';
  if (hasMethods && !METHODS.test(first)) return `${JSON.stringify(first.slice(0, 40))} is no list of methods, such as GET or GET|HEAD`;
  if (!PATH.test(path) || /[?#;\\%]|\/\/|\/\.{1,2}(?:\/|$)|\*{3}/u.test(path)) return 'a path begins with /, and has no query, no encoding and no ..';
  const methods = hasMethods && first !== '*' ? new Set(first.split('|')) : undefined;
  const matcher = pathMatcher(path, 'su');
  // A denial holds for a server that does not tell capital letters apart, too.
  const loose = pathMatcher(path, 'sui');
  const isMethod = (method: string): boolean => methods === undefined || methods.has(method);
  return {
    methods,
    path,
    covers: (method, asked) => isMethod(method) && readingsOf(asked)?.every((reading) => matcher.test(reading)) === true,
    mayCover: (method, asked) =>
      isMethod(method) && readingsOf(asked)?.some((reading) => loose.test(reading) || loose.test(trimmed(reading))) !== false,
  };
}
