/** What stands for variables in a configuration. */
export interface Variables {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** What `${workspaceFolder}` stands for. */
  readonly workspace: string;
  /** What `${userHome}` stands for. */
  readonly home: string;
}

/** A text without variables, or which of them has no value here. */
export type Expanded = { readonly text: string; readonly used: readonly string[] } | { readonly problem: string };

/** `${NAME}`, `${NAME:-default}`, and as VS Code writes them `${env:NAME}`, `${input:id}`, `${workspaceFolder}`. */
const VARIABLE = /\$\{(?<name>[^}:]*)(?::(?<rest>[^}]*))?\}/gu;
const ENVIRONMENT_NAME = /^[A-Za-z_][A-Za-z0-9_]*$/u;

/** Places that VS Code has words for. */
const PLACES: ReadonlyMap<string, keyof Pick<Variables, 'workspace' | 'home'>> = new Map([
  ['workspaceFolder', 'workspace'],
  ['userHome', 'home'],
]);

function valueOf(name: string, rest: string | undefined, variables: Variables): { value: string; variable?: string } | { problem: string } {
  const place = rest === undefined ? PLACES.get(name) : undefined;
  if (place !== undefined) return { value: variables[place] };
  if (name === 'input')
    return { problem: `\${input:${rest ?? ''}} asks a person at each start, which is not supported: use an environment variable` };
  const variable = name === 'env' && rest !== undefined ? rest : name;
  const fallback = name !== 'env' && rest?.startsWith('-') === true ? rest.slice(1) : undefined;
  const isPlain = ENVIRONMENT_NAME.test(variable) && (rest === undefined || name === 'env' || fallback !== undefined);
  if (!isPlain) return { problem: `\${${name}${rest === undefined ? '' : `:${rest}`}} is no variable that is known here` };
  const value = Object.hasOwn(variables.environment, variable) ? variables.environment[variable] : undefined;
  // As in a shell, an empty value counts as none where there is a default.
  if (value !== undefined && (value !== '' || fallback === undefined)) return { value, variable };
  if (fallback !== undefined) return { value: fallback };
  return { problem: `the environment variable ${variable} is not set` };
}

/**
 * Puts the values of variables into a text, once: what a value holds is not looked at again.
 *
 * @returns the text with the environment variables that it took, or what has no value
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
