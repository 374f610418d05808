/** Values of the variables in a configuration. */
export interface Variables {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Value of `${workspaceFolder}`. */
  readonly workspace: string;
  /** Value of `${userHome}`. */
  readonly home: string;
}

/** A text with its variables replaced, or the variable that has no value. */
export type Expanded = { readonly text: string; readonly used: readonly string[] } | { readonly problem: string };

/** `${NAME}`, `${NAME:-default}`, and in the form of VS Code `${env:NAME}`, `${input:id}`, `${workspaceFolder}`. */
const VARIABLE = /\$\{(?<name>[^}:]*)(?::(?<rest>[^}]*))?\}/gu;
const ENVIRONMENT_NAME = /^[A-Za-z_][A-Za-z0-9_]*$/u;

/** Folder variables of VS Code. */
const PLACES: ReadonlyMap<string, keyof Pick<Variables, 'workspace' | 'home'>> = new Map([
  ['workspaceFolder', 'workspace'],
  ['userHome', 'home'],
]);

/** The environment variable that a reference names, and its default; undefined if it names none. */
function variableOf(name: string, rest: string | undefined): { variable: string; fallback: string | undefined } | undefined {
  const variable = name === 'env' && rest !== undefined ? rest : name;
  const fallback = name !== 'env' && rest?.startsWith('-') === true ? rest.slice(1) : undefined;
  const isPlain = ENVIRONMENT_NAME.test(variable) && (rest === undefined || name === 'env' || fallback !== undefined);
  return isPlain ? { variable, fallback } : undefined;
}

function valueOf(name: string, rest: string | undefined, variables: Variables): { value: string; variable?: string } | { problem: string } {
  const place = rest === undefined ? PLACES.get(name) : undefined;
  if (place !== undefined) return { value: variables[place] };
  if (name === 'input')
    return { problem: `\${input:${rest ?? ''}} asks a person at each start, which is not supported: use an environment variable` };
  const named = variableOf(name, rest);
  if (named === undefined) return { problem: `\${${name}${rest === undefined ? '' : `:${rest}`}} is no variable that is known here` };
  const { variable, fallback } = named;
  const value = Object.hasOwn(variables.environment, variable) ? variables.environment[variable] : undefined;
  // As in a shell, a default also replaces an empty value.
  if (value !== undefined && (value !== '' || fallback === undefined)) return { value, variable };
  if (fallback !== undefined) return { value: fallback };
  return { problem: `the environment variable ${variable} is not set` };
}

/**
 * Replaces the variables in a text, once: values are not expanded again.
 *
 * @returns the text and the environment variables it used, or the variable that has no value
 */
export function expandVariables(text: string, variables: Variables): Expanded {
  const used: string[] = [];
  let problem: string | undefined;
  const expanded = text.replace(VARIABLE, (whole, _name, _rest, _offset, _text, groups: { name: string; rest?: string }) => {
    const found = valueOf(groups.name, groups.rest, variables);
    if ('problem' in found) {
      problem ??= found.problem;
      return whole;
    }
    if (found.variable !== undefined) used.push(found.variable);
    return found.value;
  });
  return problem === undefined ? { text: expanded, used } : { problem };
}
