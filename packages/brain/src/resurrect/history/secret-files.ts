/** Names of files that usually contain secrets. Hands ask for approval before they read one. */
const SECRET = /(?:^|\/)(?:\.env(?:\.[^/]+)?|[^/]+\.(?:pem|p12|pfx|key)|id_(?:rsa|dsa|ecdsa|ed25519))$/iu;
/** Templates are meant to be read, and public keys are public. */
const HARMLESS = /\.(?:example|sample|template|test|dist|pub)$/iu;

/** Whether a file usually contains secrets, by its name. Such files are not searched or suggested for a commit. */
export function usuallyHoldsSecrets(path: string): boolean {
  return SECRET.test(path) && !HARMLESS.test(path);
}

/** Settings that are often committed and may contain a token. Hands ask before they read one. */
const MAY_HOLD =
  /(?:^|\/)(?:\.npmrc|\.yarnrc(?:\.yml)?|\.netrc|\.pypirc|\.git-credentials|\.htpasswd|auth\.json|credentials(?:\.[^/]+)?|secrets?\.[^/]+)$/iu;

/** Whether a file is not worth a question to a person, because it may contain secrets. */
export function isBetterNotRead(path: string): boolean {
  return usuallyHoldsSecrets(path) || MAY_HOLD.test(path);
}
