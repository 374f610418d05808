// The address of the source in `package.json` of each published package. Provenance is refused if it is not the one that built it.

/** Where GitHub says which repository it builds. */
const fromGitHub = ({ GITHUB_SERVER_URL, GITHUB_REPOSITORY }) =>
  GITHUB_REPOSITORY ? `${GITHUB_SERVER_URL || 'https://github.com'}/${GITHUB_REPOSITORY}` : undefined;

/** Returns the address of the repository: the given one, or that of the GitHub workflow; undefined if neither is known. */
export function repositoryAddress(given, env) {
  const text = given ?? fromGitHub(env);
  if (text === undefined) return undefined;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol !== 'https:' || url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '' || url.pathname.length < 2) {
    throw new Error(`Not the address of a repository: ${JSON.stringify(text)}\nGive one such as https://github.com/owner/name.`);
  }
  return `git+${url.href.replace(/(?:\.git)?\/*$/u, '')}.git`;
}

/** Returns a manifest that names its repository, and the folder of the package in it. Without an address, the manifest stays as it is. */
export function withRepository(manifest, directory, address) {
  return address === undefined ? manifest : { ...manifest, repository: { type: 'git', url: address, directory } };
}
