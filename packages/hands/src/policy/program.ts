/**
 * What a word of a command stands for:
 * `data` nothing outside the program · `read`, `write`, `delete` a file · `list` names and facts of a file ·
 * `readTree`, `deleteTree` a folder and all below it · `readWrite` both · `move` read and gone from there ·
 * `link` given another name, by which it is read and written, with all below ·
 * `url` another machine · `code` something that is run · `script` code, where the program's `check` does not pass it ·
 * `suffix` the end of a file's name, unless it leads elsewhere.
 */
export type Role =
  | 'data'
  | 'read'
  | 'list'
  | 'write'
  | 'delete'
  | 'readWrite'
  | 'readTree'
  | 'writeTree'
  | 'readWriteTree'
  | 'deleteTree'
  | 'move'
  | 'link'
  | 'url'
  | 'code'
  | 'script'
  | 'suffix';

/** What a program does with its words. Options are written as on the command line: `-o`, `--output`. */
export interface Program {
  /** Options with a value, and what the value is. A long name is also known by its beginning, as GNU does. */
  readonly options?: Readonly<Record<string, Role>>;
  /** Options whose value, if any, hangs on them: `-i.bak`, never `-i .bak`. */
  readonly attached?: Readonly<Record<string, Role>>;
  /** Options with two values: what the second one is. */
  readonly second?: Readonly<Record<string, Role>>;
  /** What the operands are, where `first` and `last` do not say otherwise. */
  readonly operands?: Role;
  readonly first?: Role;
  /** Not used where the first operand is the only one, nor where one of these options took its place. */
  readonly last?: Role;
  /** Options in whose presence the first operand is like all others. */
  readonly firstIsOption?: readonly string[];
  readonly lastIsOption?: readonly string[];
  /** Options without a value that make every operand something else. */
  readonly switches?: Readonly<Record<string, Role>>;
  /** What is read when there are no operands at all; `.` for programs that walk. */
  readonly withoutOperands?: Role;
  /** What is done below the working folder where there is not one operand. */
  readonly alone?: Role;
  /** Words that only become known when the command runs can do no harm: no word names a file. */
  readonly anyWords?: boolean;
  /** What a `script` must pass to be data. */
  readonly check?: (script: string) => boolean;
  /** It talks to machines that no word names. */
  readonly network?: boolean;
}
