/**
 * How many words name what a program is asked to do: `git checkout` two, `npm run build` three. Programs
 * that are not here get no open-ended rule proposed: `mytool *` would say too much.
 */
const ARITIES: ReadonlyMap<string, number> = new Map(
  Object.entries({
    1: 'ls cat head tail wc grep egrep fgrep rg diff file stat du df tree pwd echo printf which whoami date uname sort cut tr uniq jq sha256sum md5sum find mkdir touch cp mv rm rmdir chmod tsc vitest jest mocha eslint prettier oxlint oxfmt biome pytest mypy ruff black flake8 tox phpunit rspec rubocop ctest ninja gofmt rustfmt clippy-driver shellcheck cloc',
    2: 'git npm pnpm yarn bun cargo go pip pip3 uv poetry pipenv bundle gem mvn gradle ./gradlew dotnet mix cmake docker podman kubectl helm terraform brew apt apt-get dnf yum gh glab composer flutter dart swift rustup nvm volta turbo nx lerna',
    3: 'npm run|pnpm run|yarn run|bun run|git remote|git stash|git submodule|git worktree|git bisect|docker compose|docker image|docker container|gh pr|gh issue|gh run|gh repo|cargo xtask|uv pip|poetry env|dotnet ef|kubectl get|terraform state',
  }).flatMap(([count, commands]) => commands.split(count === '3' ? '|' : ' ').map((command): [string, number] => [command, Number(count)])),
);

/** The words that name what a command does; undefined where an option stands between them, or nobody knows. */
export function namingWords(words: readonly string[]): readonly string[] | undefined {
  const [name = '', second = ''] = words;
  const arity = ARITIES.get(`${name} ${second}`) ?? ARITIES.get(name);
  if (arity === undefined || words.length < arity) return undefined;
  const naming = words.slice(0, arity);
  return naming.slice(1).some((word) => word.startsWith('-')) ? undefined : naming;
}
