/** Names of files that usually contain secrets. Hands ask for approval before they read one. */
const SECRET = /(?:^|\/)(?:\.env(?:\.[^/]+)?|[^/]+\.(?:pem|p12|pfx|key)|id_(?:rsa|dsa|ecdsa|ed25519))$/iu;
/** Templates are meant to be read, and public keys are public. */
const HARMLESS = /\.(?:example|sample|template|test|dist|pub)$/iu;

/** Whether a file usually contains secrets, by its name. Such files are not searched or suggested for a commit. */
export function usuallyHoldsSecrets(path: string): boolean {
  return SECRET.test(path) && !HARMLESS.test(path);
}
