/** Traits of a project, by paths that show them. */
export const TRAITS = {
  tests: /(?:^|\/)(?:tests?|__tests__|specs?)\/|[._-](?:test|spec)s?\.(?!json)[^/.]+$|(?:^|\/)test_[^/]+\.py$|Tests?\.(?:java|kt|cs|swift)$/u,
  ci: /^(?:\.github\/workflows\/[^/]+\.ya?ml|\.gitlab-ci\.ya?ml|\.circleci\/config\.ya?ml|\.travis\.ya?ml|azure-pipelines\.ya?ml|Jenkinsfile|bitbucket-pipelines\.ya?ml|\.buildkite\/[^/]+|\.ci\/[^/]+|\.drone\.ya?ml|appveyor\.yml)$/u,
  docs: /^(?:docs?|documentation|website)\/.*\.(?:mdx?|markdown|rst|adoc|org|txt|html?|tex|ipynb)$/iu,
  containers: /(?:^|\/)(?:Dockerfile|Containerfile|(?:docker-)?compose\.ya?ml)$/u,
} as const satisfies Record<string, RegExp>;
export type Trait = keyof typeof TRAITS;

/** A trait with the first path that shows it, and the number of such paths. */
export interface TraitFound {
  readonly trait: Trait;
  readonly path: string;
  readonly files: number;
}

/** Returns the traits that paths show, in table order. */
export function findTraits(paths: readonly string[]): TraitFound[] {
  return traitNames.flatMap((trait) => {
    const matching = paths.filter((path) => TRAITS[trait].test(path));
    const [first] = matching.sort((a, b) => a.split('/').length - b.split('/').length || (a < b ? -1 : 1));
    return first === undefined ? [] : [{ trait, path: first, files: matching.length }];
  });
}

const traitNames: readonly Trait[] = ['tests', 'ci', 'docs', 'containers'];
